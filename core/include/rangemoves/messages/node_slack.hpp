// Where a labelling pays more than the bound of the messages: the sum over all variables is the gap
// between its energy, times the scale, and the bound.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/messages/messages.hpp"

namespace rangemoves {

// After a forward sweep. Per variable: what its label costs above the least, given the messages,
// and half of what every edge of it pays beyond its messages. 0 where a variable does not take
// part. With `chosen`, one flag per variable: of those only, 0 elsewhere. Takes as many variables
// at a time as have beliefs of so many bytes; 0: of as many as node_slack_bytes counts.
template <class Value>
std::vector<std::int64_t> node_slack(const ConvexProblem& problem, std::int64_t scale,
                                     EdgeAccess<Value>& edges, const Labelling& x,
                                     const std::uint8_t* chosen, Control& control,
                                     std::int64_t most_beliefs = 0);

// Bytes that it allocates for so many chosen variables of all.
std::int64_t node_slack_bytes(std::int64_t variables, std::int64_t chosen, int labels, bool wide);

}  // namespace rangemoves
