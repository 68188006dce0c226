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
  // What the pass sent along every edge to its later node, by edge and label: with it anybody can
  // follow the pass, whatever rule made these numbers.
  std::vector<std::int64_t> sent;
};

// One forward pass over a copy of the messages. At every moment each edge has a message to one of
// its ends and the largest feasible one to the other, so the sum B of the least beliefs of all
// nodes is a bound at every moment. When the pass visits a node with beliefs b, which then has
// heard from all its neighbours, a labelling with label l there costs at least B - min b + b(l).
// After that the node sends on what it has learnt.
Elimination find_eliminated(const LazyMessages<std::int64_t>& problem, std::int64_t cut);

}  // namespace rangemoves
