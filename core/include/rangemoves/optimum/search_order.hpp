// In which order a search gives variables their labels, so that as few of them as possible matter
// at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/optimum/reduced_costs.hpp"

namespace rangemoves {

// Variables that have a choice. Those that have a label and share a cost with one that has none are
// few at any moment.
std::vector<std::int32_t> narrow_order(const ReducedCosts& costs);

// The other way round: always the variable is taken out that leaves the smallest table behind.
std::vector<std::int32_t> elimination_order(const ReducedCosts& costs);

}  // namespace rangemoves
