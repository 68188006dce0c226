// Better labellings from two: against all ways to combine their parts, and against all single
// changes.
#include "rangemoves/optimum/better_labels.hpp"

#include <algorithm>

#include "check.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

// The connected parts in which x and y differ, by numbers from 0; -1 where they agree. A number
// spreads along edges until nothing changes.
std::vector<int> parts(const SmallProblem& problem, const Labelling& x, const Labelling& y) {
  std::vector<int> part;
  for (std::int32_t i = 0; i < problem.nodes; ++i) part.push_back(x[i] != y[i] ? i : -1);
  for (bool changed = true; changed;) {
    changed = false;
    for (const oracles::SmallEdge& e : problem.edges) {
      int &a = part[e.tail], &b = part[e.head];
      if (a < 0 || b < 0 || a == b) continue;
      a = b = std::min(a, b);
      changed = true;
    }
  }
  return part;
}

std::int64_t best_combination(const SmallProblem& problem, const Labelling& x, const Labelling& y) {
  const std::vector<int> part = parts(problem, x, y);
  std::int64_t best = oracles::kNothing;
  for (std::uint32_t taken = 0; taken < 1u << problem.nodes; ++taken) {
    Labelling mixed = x;
    for (std::int32_t i = 0; i < problem.nodes; ++i)
      if (part[i] >= 0 && (taken >> part[i] & 1u) != 0) mixed[i] = y[i];
    best = std::min(best, problem.value(mixed));
  }
  return best;
}

void better(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {9, 4, seed % 3 == 0});
  const auto messages = problem.messages<std::int64_t>();
  const Labelling start = oracles::random_labelling(random, problem),
                  y = oracles::random_labelling(random, problem);
  Labelling x = start;
  take_better(*messages, x, y);
  const std::int64_t value = problem.value(x);
  expect(value <= best_combination(problem, start, y), "the best parts of both", seed);
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    for (int l = 0; l < problem.labels; ++l) {
      expect(problem.has(i, x[i]), "no label that is left out", seed);
      if (!problem.has(i, l)) continue;
      Labelling changed = x;
      changed[i] = l;
      expect(problem.value(changed) >= value, "no single change is better", seed);
    }
}

// A part of y with a label that is left out is not taken.
void left_out(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  SmallProblem problem = oracles::any_small_problem(random, {9, 4});
  if (problem.labels == 1) return;
  Labelling x = oracles::random_labelling(random, problem);
  const Labelling y = oracles::random_labelling(random, problem);
  const std::int32_t out = oracles::between(random, 0, problem.nodes - 1);
  if (x[out] == y[out]) return;
  problem.allowed[problem.place(out, y[out])] = 0;
  take_better(*problem.messages<std::int64_t>(), x, y);
  expect(x[out] != y[out], "a label that is left out is not taken", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 10000; ++seed) {
    better(seed);
    left_out(seed);
  }
}
