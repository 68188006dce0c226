// Small problems for searches by tables, with costs that enumeration adds up.
#pragma once

#include <algorithm>

#include "rangemoves/optimum/reduced_costs.hpp"
#include "small_problems.hpp"

namespace oracles {

using rangemoves::CostFunction;
using rangemoves::ReducedCosts;

// Edges that cannot all be satisfied, on a grid or between any two.
inline SmallProblem tangled_problem(Random& random, std::int32_t most_nodes, bool leaves_out) {
  const int kind = random.below(2) == 0 ? 0 : 3;
  SmallProblem problem = small_problem(
      random, kind, {between(random, 1, most_nodes), between(random, 1, 4), leaves_out});
  for (std::int64_t& cost : problem.unary) cost /= 5;
  for (ConvexTable& table : problem.tables)
    table = ConvexTable::of_any(any_table(random, problem.labels));
  return problem;
}

// What a labelling costs by functions of the labels that are left.
inline std::int64_t value_of(const ReducedCosts& costs, const Labelling& x) {
  std::int64_t sum = costs.bound;
  for (const CostFunction& function : costs.functions) {
    std::size_t at = 0;
    for (const std::int32_t i : function.scope) {
      const auto& left = costs.left[static_cast<std::size_t>(i)];
      const auto label = std::find(left.begin(), left.end(), x[static_cast<std::size_t>(i)]);
      at = at * left.size() + static_cast<std::size_t>(label - left.begin());
    }
    sum += function.values[at];
  }
  return sum;
}

}  // namespace oracles
