// Branch and bound against enumeration: its bound wherever it is cut off, its labellings, and every
// step of the tree that it writes down.
#include "rangemoves/optimum/branch_and_bound.hpp"

#include <algorithm>

#include "check.hpp"
#include "proof_steps.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

constexpr BranchLimits kNoLimits{INT64_MAX, INT64_MAX, false}, kWithTables{};
const std::function<void()> kNoPoll = [] {};

// Edges that cannot all be satisfied and weigh more than the unary costs: sweeps alone leave gaps.
SmallProblem hard_problem(Random& random, bool leaves_out) {
  const int kind = random.below(2) == 0 ? 0 : 3;
  SmallProblem problem = oracles::small_problem(
      random, kind, {oracles::between(random, 1, 9), oracles::between(random, 1, 4), leaves_out});
  for (std::int64_t& cost : problem.unary) cost /= 5;
  for (ConvexTable& table : problem.tables)
    table = ConvexTable::of_any(oracles::any_table(random, problem.labels));
  return problem;
}

void holds(const SmallProblem& problem, const BranchResult& result, const Labelling& start,
           std::int64_t optimum, std::int64_t margin, std::int64_t seed) {
  expect(result.bound <= optimum, "no labelling costs less than the bound", seed);
  expect(result.value == problem.value(result.labels), "the value of its labelling", seed);
  expect(result.value <= problem.value(start), "never worse than the start", seed);
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    expect(problem.has(i, result.labels[i]), "no label that is left out", seed);
  expect(result.is_closed == (result.bound >= result.value - margin), "closed or not", seed);
  if (result.is_closed)
    expect(result.value - optimum <= margin, "nothing better by more than the margin", seed);
}

// Returns how many nodes its tree has.
std::int64_t to_the_end(std::int64_t seed, bool with_tables) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, seed % 3 == 0);
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const Labelling start = oracles::random_labelling(random, problem);
  const std::int64_t margin = seed % 2 == 0 ? 0 : oracles::between(random, 0, 60),
                     unit = oracles::between(random, 1, seed % 5 == 0 ? 20000 : 200),
                     optimum = problem.optimum();
  const BranchResult result = branch_and_bound(
      *messages, start, margin, unit, with_tables ? kWithTables : kNoLimits, true, kNoPoll);
  holds(problem, result, start, optimum, margin, seed);
  expect(result.is_closed, "without limits it comes to an end", seed);
  oracles::StepChecker checker(problem, result.steps);
  expect(checker.bound() >= result.bound, "its steps prove its bound", seed);
  expect(checker.is_at_end(), "steps root first, none left over", seed);
  return result.nodes;
}

void cut_off(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, seed % 3 == 0);
  const Labelling start = oracles::random_labelling(random, problem);
  const std::int64_t optimum = problem.optimum();
  for (std::int64_t nodes = 0;; ++nodes) {
    const auto messages = problem.messages<std::int64_t>();
    const std::int64_t visits = seed % 2 == 0 ? INT64_MAX : nodes * 200;
    const BranchResult result =
        branch_and_bound(*messages, start, 0, 20,
                         {seed % 2 == 0 ? nodes : INT64_MAX, visits, seed % 3 == 0}, true, kNoPoll);
    holds(problem, result, start, optimum, 0, seed);
    // Both sides of a split are looked at together.
    if (seed % 2 == 0)
      expect(result.nodes <= std::max<std::int64_t>(1, nodes + 1), "keeps to its limit", seed);
    oracles::StepChecker checker(problem, result.steps);
    expect(checker.bound() >= result.bound && checker.is_at_end(),
           "what was cut off proves its bound", seed);
    if (result.is_closed) break;
    if (seed % 2 == 1) nodes += 10;
  }
}

// From messages that are far off, with sweeps so coarse that they hardly move: labels are then
// taken out until one labelling is left, whose bound has not been computed since.
void from_bad_messages(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, false);
  const auto messages = problem.messages<std::int64_t>();
  oracles::scatter_messages(random, *messages, oracles::between(random, 0, 4000));
  const Labelling start = oracles::random_labelling(random, problem);
  const std::int64_t unit = std::int64_t{1} << random.below(20), optimum = problem.optimum();
  const BranchResult result = branch_and_bound(*messages, start, 0, unit, kNoLimits, true, kNoPoll);
  holds(problem, result, start, optimum, 0, seed);
  expect(result.is_closed, "comes to an end from any messages", seed);
  oracles::StepChecker checker(problem, result.steps);
  expect(checker.bound() >= result.bound && checker.is_at_end(), "and proves it", seed);
}

// The start has the optimum: nothing better may be reported, and no bound above it.
void from_the_optimum(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, false);
  Labelling best;
  const std::int64_t optimum = problem.optimum();
  problem.for_each_labelling([&](const Labelling& x, std::int64_t value) {
    if (value == optimum) best = x;
  });
  const auto messages = problem.messages<std::int64_t>();
  const BranchResult result = branch_and_bound(*messages, best, 0, 20, kNoLimits, false, kNoPoll);
  expect(result.bound == optimum && result.value == optimum && result.is_closed,
         "proves an optimum exactly", seed);
  expect(result.labels == best && result.steps.empty(), "keeps what it was given", seed);
}

void same_again(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, false);
  const Labelling start = oracles::random_labelling(random, problem);
  BranchResult results[2];
  for (BranchResult& result : results)
    result = branch_and_bound(*problem.messages<std::int64_t>(), start, 0, 20, kNoLimits, false,
                              kNoPoll);
  expect(results[0].labels == results[1].labels && results[0].bound == results[1].bound &&
             results[0].visits == results[1].visits && results[0].nodes == results[1].nodes,
         "twice the same", seed);
}

void polls() {
  Random random(1);
  const SmallProblem problem = hard_problem(random, false);
  const auto messages = problem.messages<std::int64_t>();
  struct Enough {};
  bool ended = false;
  const std::function<void()> poll = [] { throw Enough{}; };
  try {
    branch_and_bound(*messages, oracles::random_labelling(random, problem), 0, 20, kNoLimits, false,
                     poll);
  } catch (const Enough&) {
    ended = true;
  }
  expect(ended, "can be interrupted");
}

void values(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = hard_problem(random, true);
  const Labelling x = oracles::random_labelling(random, problem);
  expect(value_of(*problem.messages<std::int64_t>(), x) == problem.value(x), "a value", seed);
}

}  // namespace

int main() {
  std::int64_t branched = 0;
  for (std::int64_t seed = 0; seed < 2500; ++seed) branched += to_the_end(seed, false) > 1;
  expect(branched > 120, "some problems need branches");
  for (std::int64_t seed = 0; seed < 2500; ++seed)
    expect(to_the_end(seed, true) == 1, "with tables none does", seed);
  for (std::int64_t seed = 0; seed < 3000; ++seed) from_bad_messages(seed);
  for (std::int64_t seed = 0; seed < 500; ++seed) {
    cut_off(seed);
    from_the_optimum(seed);
    same_again(seed);
    values(seed);
  }
  polls();
}
