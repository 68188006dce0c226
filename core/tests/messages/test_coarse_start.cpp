// Starting from a smaller image: a better bound where there is something to carry far, a true one
// always.
#include "rangemoves/messages/coarse_start.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/storage.hpp"

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

// A problem with random weights, some of them zero, and random messages on its edges.
template <class Value>
std::unique_ptr<MessagesOf<Value>> random_messages(ConvexProblem& problem, Random& random) {
  Control control;
  for (std::int32_t& w : problem.weight)
    w = random.below(5) == 0 ? 0 : oracles::between(random, 1, 9);
  auto messages = find_backend("cpu").make<Value>(problem, kScale, 1, control);
  messages->load(problem, control);
  std::vector<double> message(static_cast<std::size_t>(problem.labels));
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    for (double& value : message)
      value = problem.weight[e] == 0 ? 0 : oracles::between(random, -900, 5000);
    messages->write(e, message.data());
  }
  return messages;
}

ConvexProblem without_costs(const Neighbourhood& graph, int labels) {
  ConvexProblem problem{graph,
                        labels,
                        oracles::no_costs(graph, labels),
                        {},
                        {ConvexTable(oracles::linear_beyond(labels, 2, 1))},
                        {},
                        {},
                        {}};
  problem.low.assign(static_cast<std::size_t>(graph.nodes()), 0);
  problem.high.assign(problem.low.size(), labels - 1);
  problem.weight.assign(static_cast<std::size_t>(graph.edges()), 0);
  return problem;
}

// Every edge by itself, as it is defined: one between two blocks gets its part of the message
// there, one within a block the mean of the edges before and after it.
template <class Value>
void hands_down(std::int32_t height, std::int32_t width, std::uint64_t seed) {
  constexpr std::int64_t part = 7, whole = 10;
  constexpr int labels = 4;
  Random random(seed);
  const Neighbourhood grid = oracles::grid(height, width),
                      blocks = oracles::grid((height + 1) / 2, (width + 1) / 2);
  ConvexProblem fine = without_costs(grid, labels), coarse = without_costs(blocks, labels);
  const auto to = random_messages<Value>(fine, random),
             from = random_messages<Value>(coarse, random);
  const std::int32_t block_width = (width + 1) / 2;
  const auto block_edge = [&](std::int32_t y, std::int32_t x, bool right) -> std::int64_t {
    const std::int32_t i = y * block_width + x, j = i + (right ? 1 : block_width);
    for (std::int64_t e = 0; e < blocks.edges(); ++e)
      if (std::min(blocks.tail(e), blocks.head(e)) == i &&
          std::max(blocks.tail(e), blocks.head(e)) == j)
        return coarse.weight[e] > 0 ? e : -1;
    return -1;
  };
  std::vector<double> message(labels);
  std::vector<std::vector<double>> expected;
  for (std::int64_t e = 0; e < grid.edges(); ++e) {
    const std::int32_t i = std::min(grid.tail(e), grid.head(e)), y = i / width, x = i % width;
    const bool right = std::abs(grid.tail(e) - grid.head(e)) == 1;
    const std::int32_t along = right ? x : y;
    std::vector<std::int64_t> parts;
    if (fine.weight[e] > 0) {
      parts.push_back(block_edge(y / 2, x / 2, right));
      if (along % 2 == 0 && along > 0)
        parts.push_back(block_edge(y / 2 - !right, x / 2 - right, right));
    }
    const std::int64_t share = std::max<std::int64_t>(
        1, std::count_if(parts.begin(), parts.end(), [](std::int64_t p) { return p >= 0; }));
    to->read(e, message.data());
    expected.push_back(message);
    for (const std::int64_t p : parts) {
      if (p < 0) continue;
      from->read(p, message.data());
      const std::int64_t factor =
          (part * fine.weight[e] << 20) / (whole * coarse.weight[p] * share);
      for (int l = 0; l < labels; ++l)
        expected.back()[l] += static_cast<double>(static_cast<std::int64_t>(message[l]) * factor /
                                                  (std::int64_t{1} << 20));
    }
  }
  Control control;
  add_block_messages(fine, *to, *from, part, whole, control);
  for (std::int64_t e = 0; e < grid.edges(); ++e) {
    to->read(e, message.data());
    expect(message == expected[static_cast<std::size_t>(e)], "each edge its part", e);
  }
}

void every_edge_gets_its_part() {
  std::uint64_t seed = 1;
  for (const auto& [height, width] : {std::pair{33, 34}, {70, 21}, {17, 5}, {4, 40}, {130, 3}}) {
    hands_down<std::int32_t>(height, width, seed++);
    hands_down<std::int64_t>(height, width, seed++);
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
  every_edge_gets_its_part();
  carries_far();
  same_in_threads();
  graphs_stay_as_they_are();
}
