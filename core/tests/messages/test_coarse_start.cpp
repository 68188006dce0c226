// Starting from a smaller image: a better bound where there is something to carry far, a true one
// always.
#include "rangemoves/messages/coarse_start.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/engine.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 64;

template <class Value>
std::int64_t first_bound(const ConvexProblem& problem, bool coarse, int threads = 1) {
  Control control;
  const auto messages = find_backend("cpu").make<Value>(problem, kScale, threads, control);
  EngineOptions options;
  options.threads = threads;
  if (coarse)
    CoarseStart<Value>(problem, kScale, options, control).add_to(problem, *messages, control);
  messages->load(problem, control);
  messages->sweep(false, nullptr, control);
  return messages->sweep(true, nullptr, control);
}

std::int64_t optimum(const ConvexProblem& problem, EngineChoice engine) {
  Control control;
  EngineOptions options;
  options.engine = engine;
  const MoveSolution solution = make_engine(options)->solve(problem, problem.low, control);
  expect(solution.proven, "proven");
  return solution.energy;
}

// Edges switched off, uneven sides, tables that are not symmetric.
void true_bounds() {
  for (std::int64_t seed = 0; seed < 6; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Neighbourhood graph =
        oracles::grid(oracles::between(random, 32, 40), oracles::between(random, 32, 70));
    const oracles::ProblemKind kind{seed % 2 == 1, false, false, false};
    const ConvexProblem problem =
        oracles::random_problem(random, graph, oracles::between(random, 2, 5), kind);
    const std::int64_t best = optimum(problem, EngineChoice::reference);
    expect(optimum(problem, EngineChoice::dual) == best, "the dual engine finds the optimum", seed);
    const std::int64_t bound = first_bound<std::int32_t>(problem, true);
    expect(bound <= kScale * best, "a true bound", seed);
    expect(first_bound<std::int64_t>(problem, true) == bound, "the same with 64 bits", seed);
  }
}

// Weak noise with a clear answer here and there: what is sure has to be carried far.
void carries_far() {
  Random random(1);
  const Neighbourhood graph = oracles::grid(64, 80);
  const int labels = 8;
  const ConvexTable table(oracles::linear_beyond(labels, 2, 1));
  ConvexProblem problem{graph, labels, oracles::no_costs(graph, labels), {}, {table}, {}, {}, {}};
  problem.low.assign(static_cast<std::size_t>(graph.nodes()), 0);
  problem.high.assign(problem.low.size(), labels - 1);
  problem.weight.assign(static_cast<std::size_t>(graph.edges()), 20);
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    const bool sure = random.below(50) == 0;
    for (int l = 0; l < labels; ++l)
      problem.unary.set(
          i, l,
          sure ? 200 * std::abs(l - i / 80 / 10) : static_cast<std::int64_t>(random.below(20)));
  }
  expect(first_bound<std::int32_t>(problem, true) > first_bound<std::int32_t>(problem, false),
         "the bound starts higher");
}

// Large enough for threads, with rows that do not fill the last vector.
void same_in_threads() {
  Random random(3);
  const Neighbourhood graph = oracles::grid(251, 403);
  const ConvexProblem problem = oracles::random_problem(random, graph, 5, {});
  expect(first_bound<std::int32_t>(problem, true, 3) == first_bound<std::int32_t>(problem, true),
         "the same in threads");
}

void graphs_stay_as_they_are() {
  Random random(2);
  const Neighbourhood graph = oracles::random_graph(random, 2000, 5000);
  const ConvexProblem problem = oracles::random_problem(random, graph, 3, {});
  expect(first_bound<std::int32_t>(problem, true) == first_bound<std::int32_t>(problem, false),
         "no grid, no blocks");
}

}  // namespace

int main() {
  true_bounds();
  carries_far();
  same_in_threads();
  graphs_stay_as_they_are();
}
