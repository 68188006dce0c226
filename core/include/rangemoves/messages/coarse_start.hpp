// Messages to begin with, from an image of a quarter the size.
//
// Blocks of two by two variables that share a label make a smaller problem of the same kind: unary
// terms and the weights of edges between two blocks add up. A few sweeps there cost a quarter of
// what they cost here and carry twice as far. Any messages are feasible, so the result is a start
// like any other: usually a better one, never a wrong one.
#pragma once

#include "rangemoves/messages/backend.hpp"

namespace rangemoves {

// Sets messages that are all zero. Does nothing where the graph is no 4-connected grid, or too
// small for it to pay.
template <class Value>
void start_coarse(const ConvexProblem& problem, std::int64_t scale, const EngineOptions& options,
                  MessagesOf<Value>& messages, Control& control);

// Whether the graph and the tables allow it.
bool starts_coarse(const ConvexProblem& problem);

// Bytes that it allocates on a grid while it runs.
std::int64_t coarse_start_bytes(std::int64_t variables, int labels, bool wide);

}  // namespace rangemoves
