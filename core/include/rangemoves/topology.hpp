// Finding out what a graph is, and a good order for sweeps over it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rangemoves/neighbourhood.hpp"

namespace rangemoves {

// A list of all nodes, first to last.
using NodeOrder = LargeVector<std::int32_t>;

// The grid whose nodes are numbered in raster order, if there is one. `row`: the length of a row
// where it is known, else 0.
std::optional<Topology> raster_grid(const Neighbourhood& graph, std::int32_t row, Control* control);

}  // namespace rangemoves
