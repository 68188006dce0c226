// Messages to begin with, from an image of a quarter the size.
//
// Blocks of two by two variables that share a label make a smaller problem of the same kind: unary
// terms and the weights of edges between two blocks add up. A few sweeps there cost a quarter of
// what they cost here and carry twice as far. Any messages are feasible, so the result is a start
// like any other: usually a better one, never a wrong one.
#pragma once

#include <memory>

#include "rangemoves/messages/backend.hpp"

namespace rangemoves {

// Made before the messages that it is for, as it needs about half their memory for itself. Does
// nothing where the graph is no 4-connected grid, or too small for it to pay.
template <class Value>
class CoarseStart {
 public:
  CoarseStart(const ConvexProblem& problem, std::int64_t scale, const EngineOptions& options,
              Control& control);
  ~CoarseStart();

  // Sets messages of this problem that are all zero and that have not been loaded: their unary
  // terms take no memory yet.
  void add_to(const ConvexProblem& problem, MessagesOf<Value>& messages, Control& control);

 private:
  class Smaller;
  std::unique_ptr<Smaller> smaller_;  // null: nothing to add

  friend class Smaller;
  CoarseStart(int levels, const ConvexProblem& problem, std::int64_t scale,
              const EngineOptions& options, Control& control);
};

// Bytes that it allocates on a grid beyond what the messages themselves take once they are loaded.
std::int64_t coarse_start_bytes(std::int64_t variables, int labels, bool wide);

}  // namespace rangemoves
