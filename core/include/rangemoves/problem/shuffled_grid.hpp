// Recognises a full grid or volume whose nodes are numbered in any way.
//
// Without diagonals the distance between two nodes is the sum of their distances along the axes. A
// grid has a corner at the far end of every axis; the distances d0 to one corner and d1 to the next
// one along an axis of n nodes differ by that axis alone, so that a node lies at (d0 - d1 + n-1) /
// 2 on it. With diagonals (8 or 26 neighbours) these are found first, and left out: how many
// neighbours two nodes share says along how many axes they differ. The whole is believed only once
// every edge has a place of its own in the grid that was found.
#pragma once

#include <cstdint>
#include <optional>

#include "rangemoves/problem/topology.hpp"

namespace rangemoves {

struct OrderedGrid {
  Topology topology;
  NodeOrder order;  // in raster order; rows along the longest side, planes along the shortest
};

// A grid with 4 or 8 neighbours or a volume with 6 or 26. It must have all of its edges, but for
// some without which all distances from its corners are the same. With diagonals all sides have at
// least three nodes, without at least two. `instead_of`: the kind of grid that it is known to be
// already; then one is returned only if it has fewer neighbours.
std::optional<OrderedGrid> shuffled_grid(const Neighbourhood& graph,
                                         std::optional<Topology::Kind> instead_of,
                                         Control* control);

}  // namespace rangemoves
