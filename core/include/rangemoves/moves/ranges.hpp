// Shared by the methods that move over ranges of labels: rswap, rswape, rexp.
#pragma once

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

// For each range [a, a+T] in turn, variables with a label in it choose among
// [a-extend, a+T+extend], until no range lowers the energy.
void swap_ranges(MoveLoop& loop, int extend, const PerEdge<Table>& h);

// Bytes of messages that range swaps keep at most, beside all else: twice those of costs of 32
// bits, or of 64 bits where a step of a message needs more than 32. Only where ties go to the
// highest labelling: there is one, whatever messages a move starts from; elsewhere which of several
// best labellings is found would depend on them.
std::int64_t most_kept_bytes(std::int64_t variables, int labels, std::int64_t largest_step,
                             const Settings& settings);

// The largest step from a label to the next of messages of a move with the tables h.
std::int64_t largest_step(const PerEdge<Table>& h, std::int64_t largest_weight);

// How many states a variable has in a range expansion: the labels of the range, and its own.
int range_states(const PerEdge<Table>& g, const Settings& settings);

}  // namespace rangemoves
