// Labels that no labelling below a given energy can have.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

struct Elimination {
  std::int64_t bound;  // of the problem, from its messages to earlier nodes
  // Nodes and their labels: with one of these no labelling costs less than `cut`.
  std::vector<std::pair<std::int32_t, std::int32_t>> labels;
};

// One forward pass over a copy of the messages. At every moment each edge has a message to one of
// its ends and the largest feasible one to the other, so that the sum of the least beliefs is a
// bound by definition; at the moment when a node has collected all it can, a label costs that sum
// more than its own least belief is below it.
Elimination find_eliminated(const LazyMessages<std::int64_t>& problem, std::int64_t cut);

}  // namespace rangemoves
