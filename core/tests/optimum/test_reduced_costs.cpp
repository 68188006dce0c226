// Costs above the bound: they add up to what a labelling costs, and none of them is negative.
#include "rangemoves/optimum/reduced_costs.hpp"

#include "check.hpp"
#include "table_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

constexpr std::int64_t kNoCut = std::int64_t{1} << 50;

void adds_up(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 6, seed % 2 == 0);
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const auto costs = reduced_costs(*messages, kNoCut);
  expect(costs.has_value(), "fits", seed);
  expect(costs->bound >= messages->bound(), "what has no choice is in the bound", seed);
  for (const CostFunction& function : costs->functions) {
    expect(!function.scope.empty(), "depends on something", seed);
    for (const std::int32_t i : function.scope)
      expect(costs->choices(i) > 1, "that has a choice", seed);
    for (const std::int64_t value : function.values) expect(value >= 0, "never negative", seed);
  }
  problem.for_each_labelling([&](const Labelling& x, std::int64_t value) {
    expect(oracles::value_of(*costs, x) == value, "the value of a labelling", seed);
  });
}

// Below the cut values are what they are, above it they stay above it.
void up_to_the_cut(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 6, false);
  const auto messages = problem.messages<std::int64_t>();
  const std::int64_t cut = problem.value(oracles::random_labelling(random, problem));
  const auto costs = reduced_costs(*messages, cut);
  problem.for_each_labelling([&](const Labelling& x, std::int64_t value) {
    const std::int64_t found = oracles::value_of(*costs, x);
    expect(value < cut ? found == value : found >= cut && found <= value, "cut off", seed);
  });
}

void what_does_not_fit() {
  Random random(1);
  SmallProblem problem = oracles::tangled_problem(random, 6, false);
  const auto messages = problem.messages<std::int64_t>();
  for (int l = 0; l < problem.labels; ++l) messages->unary(0)[l] = unreachable<std::int64_t>;
  expect(!reduced_costs(*messages, kNoCut), "no label is left", 0);
  OrderedGraph graph{3, {}};
  const std::vector<ConvexTable> tables{ConvexTable::of_any(Table({1, 0, 1}))};
  LazyMessages<std::int64_t> large(std::move(graph), tables, 2, 1, nullptr);
  for (std::int32_t i = 0; i < 3; ++i) {
    large.unary(i)[0] = 0;
    large.unary(i)[1] = std::int64_t{1} << 60;
  }
  expect(!reduced_costs(large, INT64_MAX), "sums that are too large", 0);
  expect(reduced_costs(large, 1000).has_value(), "unless they are cut off", 0);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 1000; ++seed) adds_up(seed);
  for (std::int64_t seed = 0; seed < 500; ++seed) up_to_the_cut(seed);
  what_does_not_fit();
}
