// Recognises grids, chains and trees in a list of edges, and finds a good order for sweeps.
#pragma once

#include <cstdint>
#include <optional>

#include "rangemoves/problem/neighbourhood.hpp"

namespace rangemoves {

// All nodes, first to last.
using NodeOrder = LargeVector<std::int32_t>;

// How many neighbours an inner node of a grid has.
int neighbours_in(Topology::Kind grid);

// The kind with the fewest neighbours that has a place of its own for every edge, on a grid of
// these sides; none where an edge has no place, or two share one. `rank`: where a node lies in
// raster order; empty: by its number.
std::optional<Topology::Kind> smallest_grid(const Neighbourhood& graph, std::int32_t height,
                                            std::int32_t width, const NodeOrder& rank,
                                            PollSometimes& poll);

// The grid whose nodes are numbered in raster order, if there is one. `row`: the length of a row
// where it is known, else 0.
std::optional<Topology> raster_grid(const Neighbourhood& graph, std::int32_t row, Control* control);

// Whether there is no cycle; two edges between the same nodes are one too.
bool is_forest(const Neighbourhood& graph, Control* control);

// Of a forest: from the root of each tree outward, so that every node has at most one before it.
NodeOrder root_first(const Neighbourhood& graph, Control* control);

// Neighbours close to each other: reverse Cuthill-McKee, component by component.
NodeOrder neighbours_close(const Neighbourhood& graph, Control* control);

// An equivalent order for sweeps, since no two neighbours change places, in which independent nodes
// lie side by side, so that threads can share them: sorted by the longest path that leads to a
// node, within short stretches so that neighbours stay close in memory.
NodeOrder side_by_side(const Neighbourhood& graph, const NodeOrder& order, Control* control);

}  // namespace rangemoves
