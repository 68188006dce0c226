// A table in the form that kernels read: taps and straight tails, in both orientations.
#pragma once

#include <vector>

#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/problem/convex_problem.hpp"

namespace rangemoves {

// One table in both orientations.
template <class Value>
class ShapePair {
 public:
  explicit ShapePair(const ConvexTable& table);
  ShapePair(ShapePair&&) = default;
  ShapePair& operator=(ShapePair&&) = default;
  const EdgeShape<Value>& from_tail() const { return from_tail_; }  // what the tail sends
  const EdgeShape<Value>& from_head() const { return from_head_; }

 private:
  std::vector<Value> tail_taps_, head_taps_;
  EdgeShape<Value> from_tail_, from_head_;
};

}  // namespace rangemoves
