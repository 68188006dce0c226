// Shared by the methods that move over ranges of labels: rswap, rswape, rexp.
#pragma once

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/choice.hpp"

namespace rangemoves {

// How many steps apart the labels of a range may be, for g to be convex between them; at least one
// where there is more than one label.
int range_width(const PerEdge<Table>& g);

// For each range [a, a+T] in turn, variables with a label in it choose among
// [a-extend, a+T+extend], until no range lowers the energy.
void swap_ranges(MoveLoop& loop, int extend, const PerEdge<Table>& h);

// How many states a variable has in a range expansion: the labels of the range, and its own.
int range_states(const PerEdge<Table>& g, const Settings& settings);

}  // namespace rangemoves
