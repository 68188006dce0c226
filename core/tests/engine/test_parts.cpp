// Parts of a problem: nothing outside changes, the energy never rises, bounds stay true, and parts
// that need not grow are optimal together with what proved the rest.
#include "rangemoves/engine/parts.hpp"

#include <algorithm>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/backend.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 16;

std::vector<std::int32_t> all_nodes(const Neighbourhood& graph) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) nodes.push_back(i);
  return nodes;
}

template <class Value>
void solve(std::int64_t seed, int threads) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph =
      seed % 2 == 0 ? oracles::grid(2, 4) : oracles::random_graph(random, 8, 10);
  const ConvexProblem problem =
      oracles::random_problem(random, graph, 3, {seed % 3 == 0, seed % 4 == 0, false, false});
  const std::int64_t best = oracles::brute_force(problem, problem.low, problem.high);
  Control control;
  EngineOptions options;
  options.threads = threads;
  const auto messages = find_backend("cpu").make<Value>(problem, kScale, 1, control);
  messages->load(problem, control);
  messages->sweep(false, nullptr, control);
  messages->sweep(true, nullptr, control);
  Labelling x;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) x.push_back(oracles::between(random, 0, 2));

  std::map<std::string, double> statistics;
  Parts<Value> parts(problem, kScale, *messages, options, 0, statistics);
  const std::vector<std::int32_t> from{oracles::between(random, 0, graph.nodes() - 1)};
  parts.add_around(from, 1);
  const std::vector<std::int32_t> reached = reach_from(problem, from, 1);
  expect(parts.size() == static_cast<std::int64_t>(reached.size()), "as many as are near", seed);
  const Labelling before = x;
  parts.solve(x, 1, seed % 5 == 0, control);
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    expect(x[i] == before[i] || std::count(reached.begin(), reached.end(), i) > 0,
           "nobody outside changes", seed);
  expect(problem.energy(x) <= problem.energy(before), "the energy never rises", seed);
  expect(messages->sweep(false, nullptr, control) <= kScale * best, "bounds stay true", seed);
  messages->sweep(true, nullptr, control);

  // With everyone in, all parts are whole.
  parts.add_around(all_nodes(graph), 0);
  expect(parts.solve(x, 1, false, control).empty(), "nowhere left to grow", seed);
  Parts<Value> whole(problem, kScale, *messages, options, 0, statistics);
  whole.add_around(all_nodes(graph), 0);
  expect(whole.solve(x, 1, false, control).empty(), "nowhere to grow", seed);
  expect(problem.energy(x) == best, "the least energy", seed);
  const Labelling optimal = x;
  whole.solve(x, 1, false, control);
  expect(x == optimal, "parts that have not grown stay as they are", seed);
  messages->sweep(false, nullptr, control);
  expect(messages->sweep(true, nullptr, control) > kScale * (best - 1), "messages that prove it",
         seed);
}

// One changed variable far from the border of a chain that was solved: the part is proven, and with
// it the whole.
void near_a_change() {
  const Neighbourhood graph = oracles::grid(1, 60);
  CostVolume unary = oracles::no_costs(graph, 4);
  for (std::int32_t i = 0; i < 60; ++i)
    for (int l = 0; l < 4; ++l) unary.set(i, l, 10 * std::abs(l - 1));
  ConvexProblem problem{graph,
                        4,
                        std::move(unary),
                        std::vector<std::int32_t>(59, 1),
                        {ConvexTable(oracles::linear_beyond(4, 1, 2))},
                        {},
                        std::vector<std::int32_t>(60, 0),
                        std::vector<std::int32_t>(60, 3)};
  for (int l = 0; l < 4; ++l) problem.unary.set(30, l, 50 * std::abs(l - 3));
  Control control;
  const EngineOptions options;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, 1, control);
  messages->load(problem, control);
  Labelling x(60, 1);
  std::map<std::string, double> statistics;
  Parts<std::int32_t> parts(problem, kScale, *messages, options, 0, statistics);
  parts.add_around({30}, 4);
  expect(parts.solve(x, 1, false, control).empty() && parts.size() == 9, "nine of them suffice");
  expect(x[30] == 3 && x[25] == 1, "the labels");
  messages->sweep(false, nullptr, control);
  expect(messages->sweep(true, nullptr, control) > kScale * (problem.energy(x) - 1), "proven");
}

void memory() {
  Random random(1);
  const Neighbourhood graph = oracles::grid(2, 4);
  const ConvexProblem problem = oracles::random_problem(random, graph, 3, {});
  Control control;
  EngineOptions options;
  options.max_memory = 100;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, 1, control);
  std::map<std::string, double> statistics;
  Parts<std::int32_t> parts(problem, kScale, *messages, options, 50, statistics);
  expect(parts.fit_memory(), "nothing fits");
  parts.add_around({0}, 2);
  expect(!parts.fit_memory(), "more than the limit does not");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    solve<std::int32_t>(seed, 1);
    solve<std::int64_t>(seed, 2);
  }
  near_a_change();
  memory();
}
