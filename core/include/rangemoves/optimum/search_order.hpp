// In which order a search gives variables their labels, so that as few of them as possible matter
// at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/optimum/reduced_costs.hpp"

namespace rangemoves {

// The variables that have a choice, in an order for searches that keep the cheapest of all choices
// alike in what still matters: a variable matters from its place on until all that share a cost
// with it have a label too, and at any place few matter.
std::vector<std::int32_t> narrow_order(const ReducedCosts& costs);

// The same variables, for dynamic programming. From the last to the first, each is the one that
// can be taken out with the smallest table.
std::vector<std::int32_t> elimination_order(const ReducedCosts& costs);

}  // namespace rangemoves
