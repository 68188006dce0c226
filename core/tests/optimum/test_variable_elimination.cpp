// Dynamic programming against enumeration.
#include "rangemoves/optimum/variable_elimination.hpp"

#include <stdexcept>

#include "check.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

void exact(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {9, 4, seed % 3 == 0});
  const auto messages = problem.messages<std::int64_t>();
  const auto found = eliminate_variables(*messages, 1 << 20, [] {});
  expect(found.has_value(), "small problems are narrow", seed);
  expect(found->value == problem.optimum(), "the least value", seed);
  expect(problem.value(found->labels) == found->value, "of these labels", seed);
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    expect(problem.has(i, found->labels[i]), "no label that is left out", seed);
}

// A clique of n variables needs labels^n entries for its first variable alone.
void too_wide() {
  OrderedGraph graph{6, {}};
  for (std::int32_t i = 0; i < 6; ++i)
    for (std::int32_t j = i + 1; j < 6; ++j) graph.edges.push_back({i, j, 0, true, 1, 6 * i + j});
  const std::vector<ConvexTable> tables{ConvexTable::of_any(Table({2, 1, 0, 1, 2}))};
  LazyMessages<std::int64_t> problem(std::move(graph), tables, 3, 1, nullptr);
  for (std::int32_t i = 0; i < 6; ++i)
    for (int l = 0; l < 3; ++l) problem.unary(i)[l] = (i + l) % 3;
  expect(!eliminate_variables(problem, 729 - 1, [] {}), "too wide", 0);
  expect(eliminate_variables(problem, 2000, [] {}).has_value(), "wide enough", 0);
  bool thrown = false;
  try {
    eliminate_variables(problem, 2000, [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  expect(thrown, "polls", 0);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 1500; ++seed) exact(seed);
  too_wide();
}
