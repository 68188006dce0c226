// How much memory a run takes, said before any of it is allocated.
#pragma once

#include <cstdint>
#include <string>

#include "rangemoves/move_loop.hpp"

namespace rangemoves {

// What matters of a problem: all variables count as alike, and so do all edges.
struct ProblemSize {
  std::int64_t variables = 0, edges = 0;
  std::int32_t row = 1;
  std::int64_t largest_unary = 0;   // absolute
  std::int64_t largest_weight = 0;  // of an edge
  std::int64_t largest_degree = 0;  // sum of the weights of one variable's edges
  bool wide_costs = false;          // unary costs of 64 bits
};

// Bytes for the first move of a method, with everyone active, besides the unary terms that the
// caller holds. The band of the dual engine is not known beforehand: about five labels a variable.
std::int64_t estimate_memory(const ProblemSize& size, const Table& g, const std::string& method,
                             const Settings& settings);

}  // namespace rangemoves
