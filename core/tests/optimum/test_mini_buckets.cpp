// Mini-buckets against enumeration: exact with whole tables, a bound with any others.
#include "rangemoves/optimum/mini_buckets.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "rangemoves/optimum/search_order.hpp"
#include "table_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

const std::function<void()> kNoPoll = [] {};

void bounds(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 9, seed % 3 == 0);
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const auto costs = reduced_costs(*messages, INT64_MAX / 4);
  std::vector<std::int32_t> order = elimination_order(*costs);
  if (seed % 2 == 0) random.shuffle(order);
  const std::int64_t optimum = problem.optimum();
  std::int64_t most = costs->bound;
  for (double each = 1; each <= 1 << 20; each *= 4) {
    TablePlan plan = plan_tables(*costs, order, each);
    plan.rounds = static_cast<int>(seed % 5);
    const MiniBuckets found = fill_tables(*costs, std::move(plan), kNoPoll);
    expect(found.bound <= optimum, "no labelling costs less", seed);
    expect(found.bound >= costs->bound, "nor is it less than what there was", seed);
    if (found.plan.is_whole) expect(found.bound == optimum, "whole tables are exact", seed);
    for (const auto& tables : found.tables)
      for (const BucketTable& table : tables) {
        const std::size_t labels = table.costs.size() / table.least.size();
        for (std::size_t k = 0; k < table.costs.size(); ++k)
          expect(table.least[k / labels] >= 0 && table.least[k / labels] <= table.costs[k],
                 "least costs", seed);
      }
    most = found.bound;
  }
  expect(most == optimum, "the largest tables are whole", seed);
}

// The tables of all variables add up to what a labelling costs above the bound.
void adds_up(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 6, false);
  const auto costs = reduced_costs(*problem.messages<std::int64_t>(), INT64_MAX / 4);
  const double each = static_cast<double>(oracles::between(random, 1, 64));
  TablePlan plan = plan_tables(*costs, elimination_order(*costs), each);
  plan.rounds = static_cast<int>(seed % 4);
  const MiniBuckets found = fill_tables(*costs, std::move(plan), kNoPoll);
  problem.for_each_labelling([&](const Labelling& x, std::int64_t value) {
    std::int64_t sum = found.bound;
    for (std::size_t p = 0; p < found.plan.order.size(); ++p)
      for (std::size_t t = 0; t < found.tables[p].size(); ++t) {
        const std::vector<std::int32_t>& scope = found.plan.scopes[p][t];
        std::size_t at = 0;
        for (const std::int32_t i : scope)
          at = at * static_cast<std::size_t>(costs->choices(i)) +
               static_cast<std::size_t>(x[static_cast<std::size_t>(i)]);
        const auto labels = static_cast<std::size_t>(costs->choices(scope.back()));
        sum += found.tables[p][t].costs[at] - found.tables[p][t].least[at / labels];
      }
    expect(sum == value, "the value of a labelling", seed);
  });
}

// Returns whether rounds have raised the bound of tables that are too small to be exact.
bool rounds_raise_it(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 9, false);
  const auto costs = reduced_costs(*problem.messages<std::int64_t>(), INT64_MAX / 4);
  TablePlan plan = plan_tables(*costs, elimination_order(*costs), 30);
  const std::int64_t before = fill_tables(*costs, plan, kNoPoll).bound;
  plan.rounds = 10;
  const std::int64_t after = fill_tables(*costs, plan, kNoPoll).bound;
  if (plan.is_whole) expect(before == after, "exact with and without rounds", seed);
  return after > before;
}

void limits(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 9, false);
  const auto costs = reduced_costs(*problem.messages<std::int64_t>(), INT64_MAX / 4);
  const TablePlan plan = plan_tables(*costs, elimination_order(*costs), 30);
  double entries = 0;
  for (const auto& tables : plan.scopes)
    for (const auto& scope : tables) {
      double size = 1;
      for (const std::int32_t i : scope) size *= static_cast<double>(costs->choices(i));
      entries += size;
      expect(size <= 30, "no table is larger than it may be", seed);
      expect(size <= plan.largest, "the largest", seed);
    }
  expect(entries == plan.entries, "counts its entries", seed);
}

void polls() {
  Random random(1);
  SmallProblem problem = oracles::tangled_problem(random, 9, false);
  while (problem.labels < 2 || problem.nodes < 3)
    problem = oracles::tangled_problem(random, 9, false);
  const auto costs = reduced_costs(*problem.messages<std::int64_t>(), INT64_MAX / 4);
  bool thrown = false;
  try {
    fill_tables(*costs, plan_tables(*costs, elimination_order(*costs), 100),
                [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  expect(thrown, "polls", 0);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 1500; ++seed) bounds(seed);
  for (std::int64_t seed = 0; seed < 500; ++seed) adds_up(seed);
  int raised = 0;
  for (std::int64_t seed = 0; seed < 500; ++seed) raised += rounds_raise_it(seed);
  expect(raised > 40, "rounds raise bounds", raised);
  for (std::int64_t seed = 0; seed < 500; ++seed) limits(seed);
  polls();
}
