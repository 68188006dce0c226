// Shared by the methods that move over ranges of labels: rswap, rswape, rexp.
#pragma once

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

// For each range [a, a+T] in turn, variables with a label in it choose among
// [a-extend, a+T+extend], until no range lowers the energy.
void swap_ranges(MoveLoop& loop, int extend, const PerEdge<Table>& h);

// How many states a variable has in a range expansion: the labels of the range, and its own.
int range_states(const PerEdge<Table>& g, const Settings& settings);

}  // namespace rangemoves
