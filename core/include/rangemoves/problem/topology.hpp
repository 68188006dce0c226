// Recognises grids, chains and trees in a list of edges, and finds a good order for sweeps.
#pragma once

#include <cstdint>
#include <optional>

#include "rangemoves/problem/neighbourhood.hpp"

namespace rangemoves {

// All nodes, first to last.
using NodeOrder = LargeVector<std::int32_t>;

// The grid whose nodes are numbered in raster order, if there is one. `row`: the length of a row
// where it is known, else 0.
std::optional<Topology> raster_grid(const Neighbourhood& graph, std::int32_t row, Control* control);

// A 4-connected grid with all its edges, its nodes numbered in any way.
struct OrderedGrid {
  Topology topology;
  NodeOrder order;  // in raster order, rows along the longer side
};
std::optional<OrderedGrid> shuffled_grid(const Neighbourhood& graph, Control* control);

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
