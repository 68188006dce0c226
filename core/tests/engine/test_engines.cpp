// Both engines against enumeration: asymmetric convex tables, intervals, variables that do not take
// part, several tables, weights of zero, a single label.
#include "rangemoves/engine/engine.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/dual.hpp"
#include "rangemoves/messages/kernels.hpp"

using namespace rangemoves;

namespace {

Labelling random_labelling(Random& random, const ConvexProblem& problem) {
  Labelling x;
  for (std::size_t i = 0; i < problem.low.size(); ++i)
    x.push_back(oracles::between(random, problem.low[i], problem.high[i]));
  return x;
}

void check(Engine& engine, const ConvexProblem& problem, const Labelling& current,
           std::int64_t best, std::int64_t seed) {
  Control control;
  const MoveSolution solution = engine.solve(problem, current, control);
  for (std::size_t i = 0; i < current.size(); ++i)
    expect(problem.low[i] <= solution.labels[i] && solution.labels[i] <= problem.high[i],
           "labels lie in their intervals", seed);
  expect(solution.energy == best, "the least energy", seed);
  expect(problem.energy(solution.labels) == best, "the energy is that of the labels", seed);
  expect(solution.proven && solution.lower_bound == best, "proven", seed);
  if (problem.energy(current) == best)
    expect(solution.labels == current, "a move that brings nothing changes nothing", seed);
}

// The highest of the best labellings, by enumeration.
Labelling highest(const ConvexProblem& problem, std::int64_t best) {
  Labelling found(problem.low);
  oracles::for_each_labelling(problem.low, problem.high, [&](const Labelling& x) {
    if (problem.energy(x) == best)
      for (std::size_t i = 0; i < x.size(); ++i) found[i] = std::max(found[i], x[i]);
  });
  return found;
}

void highest_of_ties(const Neighbourhood& graph, int labels, oracles::ProblemKind kind,
                     Random& random, std::int64_t seed) {
  EngineOptions options;
  options.ties = Ties::highest;
  for (const EngineChoice choice : {EngineChoice::dual, EngineChoice::reference}) {
    options.engine = choice;
    const auto engine = make_engine(options);
    for (int move = 0; move < 2; ++move) {
      ConvexProblem problem = oracles::random_problem(random, graph, labels, kind);
      // Few different costs: many labellings are best.
      for (std::int32_t i = 0; i < graph.nodes(); ++i)
        for (int l = 0; l < labels; ++l) problem.unary.set(i, l, oracles::between(random, 0, 3));
      const std::int64_t best = oracles::brute_force(problem, problem.low, problem.high);
      Control control;
      const MoveSolution solution =
          engine->solve(problem, random_labelling(random, problem), control);
      expect(solution.energy == best && solution.proven, "the least energy, proven", seed);
      expect(solution.labels == highest(problem, best), "the highest of the best", seed);
    }
  }
}

void random_problem(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int nodes = oracles::between(random, 1, 6);
  const int labels = oracles::between(random, 1, nodes > 4 ? 4 : 6);
  const bool is_grid = random.below(3) == 0;
  const Neighbourhood graph =
      is_grid ? oracles::grid(2, (nodes + 1) / 2)
              : oracles::random_graph(random, nodes, oracles::between(random, 0, 9));
  const oracles::ProblemKind kind{random.below(3) == 0, random.below(2) == 0, random.below(2) == 0,
                                  random.below(4) == 0};
  EngineOptions options;
  options.engine = EngineChoice::dual;
  const auto dual = make_engine(options);
  options.engine = EngineChoice::reference;
  const auto reference = make_engine(options);
  // Several moves in a row over one graph: the dual engine starts from its last messages.
  for (int move = 0; move < 3; ++move) {
    ConvexProblem problem = oracles::random_problem(random, graph, labels, kind);
    const std::int64_t best = oracles::brute_force(problem, problem.low, problem.high);
    const Labelling current = random_labelling(random, problem);
    check(*dual, problem, current, best, seed);
    check(*reference, problem, current, best, seed);
  }
  highest_of_ties(graph, labels, kind, random, seed);
}

// Costs that leave messages of 32 bits no room.
void large_costs() {
  const Neighbourhood graph = oracles::grid(2, 2);
  for (std::int64_t seed = 0; seed < 50; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    ConvexProblem problem = oracles::random_problem(random, graph, 4, {false, false, false, false});
    for (std::int32_t i = 0; i < graph.nodes(); ++i)
      for (int l = 0; l < 4; ++l)
        problem.unary.set(i, l, problem.unary(i, l) * (std::int64_t{1} << (seed % 24)));
    for (std::int32_t& w : problem.weight) w *= 1 << (seed % 20);
    EngineOptions options;
    check(*make_engine(options), problem, random_labelling(random, problem),
          oracles::brute_force(problem, problem.low, problem.high), seed);
  }
}

void too_little_memory() {
  const Neighbourhood graph = oracles::grid(20, 20);
  Random random(0);
  const ConvexProblem problem = oracles::random_problem(random, graph, 10, {});
  for (const EngineChoice engine : {EngineChoice::dual, EngineChoice::reference}) {
    EngineOptions options;
    options.engine = engine;
    options.max_memory = 1000;
    bool refused = false;
    try {
      Control control;
      make_engine(options)->solve(problem, Labelling(400, 0), control);
    } catch (const MemoryShortage&) {
      refused = true;
    }
    expect(refused, "too little memory is said, not used");
  }
}

// One engine, problem after problem: what it keeps from one must not harm the next, whatever its
// costs, weights and number of tables.
void one_after_the_other(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::grid(2, 3);
  EngineOptions options;
  options.engine = EngineChoice::dual;
  const auto engine = make_engine(options);
  for (int k = 0; k < 4; ++k) {
    oracles::ProblemKind kind;
    kind.several_tables = k % 2 == 1;
    const ConvexProblem problem = oracles::random_problem(random, graph, 4, kind);
    const Labelling current = random_labelling(random, problem);
    check(*engine, problem, current, oracles::brute_force(problem, problem.low, problem.high),
          seed);
  }
}

// An image of slanted planes that shows little but noise in some spots: sweeps decide most of it,
// so that the rest is cut alone.
ConvexProblem noisy_planes(Random& random, const Neighbourhood& graph, int width, int labels) {
  CostVolume unary = oracles::no_costs(graph, labels);
  const int rise = oracles::between(random, 1, 4), height = graph.nodes() / width;
  std::vector<std::uint8_t> noisy(static_cast<std::size_t>(graph.nodes()), 0);
  for (int spots = oracles::between(random, 1, 4); spots > 0; --spots) {
    const int x = oracles::between(random, 0, width - 1),
              y = oracles::between(random, 0, height - 1);
    const int radius = oracles::between(random, 2, 9);
    for (std::int32_t i = 0; i < graph.nodes(); ++i)
      if (std::abs(i % width - x) + std::abs(i / width - y) <= radius) noisy[i] = 1;
  }
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    const int x = i % width, y = i / width;
    const int truth = (x * rise / 8 + (x > width / 2 ? labels / 2 : y / 5)) % labels;
    for (int l = 0; l < labels; ++l)
      unary.set(i, l,
                noisy[i] ? oracles::between(random, 0, 9)
                         : 6 * std::abs(l - truth) + oracles::between(random, 0, 4));
  }
  std::vector<std::int32_t> weight;
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    weight.push_back(oracles::between(random, 3, 12));
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  return {graph,
          labels,
          std::move(unary),
          std::move(weight),
          {ConvexTable(oracles::linear_beyond(labels, 2, 2))},
          {},
          std::vector<std::int32_t>(nodes, 0),
          std::vector<std::int32_t>(nodes, labels - 1)};
}

void by_region(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int width = oracles::between(random, 30, 70), height = oracles::between(random, 30, 60);
  const Neighbourhood graph = oracles::grid(height, width);
  const ConvexProblem problem = noisy_planes(random, graph, width, oracles::between(random, 4, 12));
  const Labelling current = random_labelling(random, problem);
  Control control;
  EngineOptions options;
  options.engine = EngineChoice::reference;
  const std::int64_t best = make_engine(options)->solve(problem, current, control).energy;
  options.engine = EngineChoice::dual;
  Labelling found;
  for (options.threads = 1; options.threads <= 3; ++options.threads) {
    const auto engine = make_engine(options);
    check(*engine, problem, current, best, seed);
    const Labelling again = make_engine(options)->solve(problem, current, control).labels;
    if (found.empty()) found = again;
    expect(again == found, "the same labels with any number of threads", seed);
    check(*engine, problem, found, best, seed);
  }
}

// New costs between one run and the next: of one block, of single variables here and there, or of
// all.
void change_costs(Random& random, ConvexProblem& problem, int width, int kind) {
  const int height = problem.graph.nodes() / width, side = oracles::between(random, 3, 12);
  const int left = oracles::between(random, 0, width - side),
            top = oracles::between(random, 0, height - side);
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    const int x = i % width - left, y = i / width - top;
    const bool in_block = x >= 0 && x < side && y >= 0 && y < side;
    if (kind == 0 ? !in_block : kind == 1 && random.below(100) > 0) continue;
    // The best label becomes another one, the same for all: those around follow it some way.
    std::vector<std::int64_t> costs;
    for (int l = 0; l < problem.labels; ++l) costs.push_back(problem.unary(i, l));
    for (int l = 0; l < problem.labels; ++l)
      problem.unary.set(i, (l + 2) % problem.labels, 2 * costs[static_cast<std::size_t>(l)]);
  }
}

// Runs after each other: what an engine kept and where costs are new must not change what is found,
// for any number of threads. Returns in how many of them the whole had to be swept again.
int again_with_new_costs(std::int64_t seed, int kind) {
  Random random(static_cast<std::uint64_t>(seed));
  const int width = oracles::between(random, 50, 100), height = oracles::between(random, 50, 80);
  const Neighbourhood graph = oracles::grid(height, width);
  ConvexProblem problem = noisy_planes(random, graph, width, oracles::between(random, 4, 12));
  Control control;
  EngineOptions options;
  options.engine = EngineChoice::reference;
  const auto reference = make_engine(options);
  options.engine = EngineChoice::dual;
  const auto alone = make_engine(options);
  options.threads = 2;
  const auto together = make_engine(options);
  Labelling x = random_labelling(random, problem);
  int swept = 0;
  for (int run = 0; run < 3; ++run) {
    const std::int64_t best = reference->solve(problem, x, control).energy;
    alone->begin_run();
    together->begin_run();
    const MoveSolution found = alone->solve(problem, x, control);
    expect(found.proven && found.energy == best, "the least energy, proven", seed);
    expect(problem.energy(found.labels) == best, "the energy is that of the labels", seed);
    expect(together->solve(problem, x, control).labels == found.labels,
           "the same labels with any number of threads", seed);
    if (run > 0) swept += alone->statistics().count("sweeps") > 0;
    if (run > 0 && kind == 0)
      expect(alone->statistics().count("parts") > 0, "solved near what is new", seed);
    x = found.labels;
    change_costs(random, problem, width, kind);
  }
  return swept;
}

// What was counted, without clocks.
std::map<std::string, double> counts(const Engine& engine) {
  std::map<std::string, double> found;
  for (const auto& [name, value] : engine.statistics())
    if (name.find("seconds") == std::string::npos) found[name] = value;
  return found;
}

// Vectors of any width: the same labels, found in the same way.
void any_vectors(std::int64_t seed) {
  std::map<std::string, double> counted[2];
  Labelling labels[2];
  for (const Level* const* level = available_levels(); *level; ++level) {
    choose_level(**level);
    Random random(static_cast<std::uint64_t>(seed));
    const Neighbourhood graph = oracles::grid(70, 60);
    ConvexProblem problem = noisy_planes(random, graph, 60, 6);
    Control control;
    DualEngine engine{EngineOptions{}};
    Labelling x = random_labelling(random, problem);
    for (int run = 0; run < 2; ++run) {
      engine.begin_run();
      x = engine.solve(problem, x, control).labels;
      if (labels[run].empty()) labels[run] = x, counted[run] = counts(engine);
      expect(x == labels[run], "the same labels with any vectors", seed);
      expect(counts(engine) == counted[run], "after the same work", seed);
      change_costs(random, problem, 60, 0);
    }
  }
  choose_best_level();
}

void new_costs() {
  int swept = 0;
  for (std::int64_t seed = 0; seed < 30; ++seed) swept += again_with_new_costs(seed, 0);
  expect(swept <= 6, "one block of new costs is mostly solved without the rest");
  for (std::int64_t seed = 0; seed < 10; ++seed)
    for (const int kind : {1, 2}) again_with_new_costs(seed, kind);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 40; ++seed) by_region(seed);
  new_costs();
  for (std::int64_t seed = 0; seed < 20; ++seed) any_vectors(seed);
  for (std::int64_t seed = 0; seed < 2000; ++seed) random_problem(seed);
  for (std::int64_t seed = 0; seed < 300; ++seed) one_after_the_other(seed);
  large_costs();
  too_little_memory();
}
