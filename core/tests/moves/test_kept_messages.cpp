// Messages of a range come back as they were, in as much memory as allowed, and a move that starts
// from them is still solved exactly, whatever it is told of changes.
#include "rangemoves/moves/kept_messages.hpp"

#include <numeric>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/dual.hpp"
#include "rangemoves/messages/messages.hpp"

using namespace rangemoves;

namespace {

constexpr int kLabels = 5;

struct Solved {
  Random random;
  Neighbourhood graph = oracles::grid(12, 30);
  ConvexProblem problem;
  EngineOptions options;
  Control control;
  std::vector<std::int32_t> all;
  Labelling lowest = Labelling(360, 0);

  explicit Solved(std::int64_t seed)
      : random(static_cast<std::uint64_t>(seed)),
        problem(oracles::random_problem(random, graph, kLabels, {false, true, false, true})),
        all(360) {
    options.ties = Ties::highest;
    std::iota(all.begin(), all.end(), 0);
  }
};

const auto everyone = [](std::int32_t) { return true; };
const auto nobody = [](std::int32_t) { return false; };

std::vector<double> steps(Messages& messages, std::int64_t edge) {
  std::vector<double> message(kLabels);
  messages.read(edge, message.data());
  for (int l = kLabels - 1; l > 0; --l) message[l] -= message[l - 1];
  message[0] = 0;
  return message;
}

// All costs times so much.
void multiply(ConvexProblem& problem, std::int64_t unit) {
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    for (int l = 0; l < problem.labels; ++l) problem.unary.set(i, l, unit * problem.unary(i, l));
  for (ConvexTable& table : problem.tables) {
    std::vector<std::int64_t> values;
    for (int d = 1 - problem.labels; d < problem.labels; ++d) values.push_back(unit * table.h(d));
    table = ConvexTable(Table(std::move(values)));
  }
}

void come_back(std::int64_t largest_step, std::int64_t unit) {
  Solved of(1);
  multiply(of.problem, unit);
  DualEngine engine{of.options};
  engine.solve(of.problem, of.lowest, of.control);
  const Engine::Dual dual = engine.dual();
  KeptMessages kept(of.graph, 2, largest_step, 1 << 20);
  expect(!kept.has(0) && kept.bytes() == 0, "nothing at first");
  kept.keep(0, dual, kLabels, of.all, everyone, everyone, of.control);
  expect(kept.has(0) && !kept.has(1), "one range is kept");
  expect(kept.bytes() == of.graph.edges() * KeptMessages::bytes_of(kLabels, largest_step),
         "in as many bytes as estimates count");
  std::vector<std::vector<double>> before;
  const std::vector<double> none(kLabels, 0);
  for (std::int64_t e = 0; e < of.graph.edges(); ++e) {
    before.push_back(steps(*dual.messages, e));
    dual.messages->write(e, none.data());
  }
  kept.restore(0, {dual.messages, dual.scale + 1}, everyone, of.control);
  kept.restore(0, dual, nobody, of.control);
  expect(steps(*dual.messages, 7) == none, "not at another scale, not where edges are off");
  kept.restore(0, dual, everyone, of.control);
  for (std::int64_t e = 0; e < of.graph.edges(); ++e)
    expect(steps(*dual.messages, e) == before[static_cast<std::size_t>(e)], "as they were");

  // Edges that are off keep what they have while their ends belong to the range.
  const std::vector<std::int32_t> few{0, 1};
  const auto is_few = [](std::int32_t i) { return i < 2; };
  kept.keep(0, dual, kLabels, few, is_few, everyone, of.control);
  kept.restore(0, dual, everyone, of.control);
  expect(steps(*dual.messages, 100) == before[100], "those of others stay");
  kept.keep(0, dual, kLabels, few, is_few, nobody, of.control);
  expect(kept.bytes() < of.graph.edges() * KeptMessages::bytes_of(kLabels, largest_step),
         "unless they have left the range");
}

void within_memory() {
  Solved of(2);
  DualEngine engine{of.options};
  engine.solve(of.problem, of.lowest, of.control);
  KeptMessages kept(of.graph, 2, 100, of.graph.edges() * KeptMessages::bytes_of(kLabels, 100));
  kept.keep(0, engine.dual(), kLabels, of.all, everyone, everyone, of.control);
  kept.keep(1, engine.dual(), kLabels, of.all, everyone, everyone, of.control);
  expect(kept.has(0) && !kept.has(1), "the second does not fit");
}

// Another move in between, then the first one again, a little changed.
void exact_from_them(std::int64_t seed) {
  Solved of(seed);
  DualEngine engine{of.options};
  ReferenceEngine reference{of.options};
  engine.solve(of.problem, of.lowest, of.control);
  KeptMessages kept(of.graph, 1, 1 << 20, 1 << 20);
  kept.keep(0, engine.dual(), kLabels, of.all, everyone, everyone, of.control);
  engine.solve(oracles::random_problem(of.random, of.graph, kLabels, {false, true, false, true}),
               of.lowest, of.control);
  std::vector<std::int32_t> changed;
  for (int k = 0; k < 5; ++k) {
    const std::int32_t i = oracles::between(of.random, 0, 359);
    of.problem.unary.set(i, oracles::between(of.random, 0, kLabels - 1), -20);
    if (seed % 3 > 0) changed.push_back(i);  // else it is told of none
  }
  const Engine::Recall recall{
      [&](const Engine::Dual& dual) { kept.restore(0, dual, everyone, of.control); }, changed};
  const MoveSolution found = engine.solve(of.problem, of.lowest, of.control, &recall),
                     expected = reference.solve(of.problem, of.lowest, of.control);
  expect(found.proven && found.energy == expected.energy && found.labels == expected.labels,
         "the highest of the best", seed);
}

// The same problem again, started from where it ended: nothing is left to cut.
void nothing_left_to_cut() {
  Solved of(4);
  DualEngine engine{of.options};
  const Labelling best = engine.solve(of.problem, of.lowest, of.control).labels;
  KeptMessages kept(of.graph, 1, 1 << 20, 1 << 20);
  kept.keep(0, engine.dual(), kLabels, of.all, everyone, everyone, of.control);
  engine.solve(oracles::random_problem(of.random, of.graph, kLabels, {false, true, false, true}),
               of.lowest, of.control);
  engine.begin_run();
  const std::vector<std::int32_t> changed;
  const Engine::Recall recall{
      [&](const Engine::Dual& dual) { kept.restore(0, dual, everyone, of.control); }, changed};
  const MoveSolution again = engine.solve(of.problem, best, of.control, &recall);
  expect(again.proven && again.labels == best, "the same answer");
  expect(engine.statistics().count("cuts") == 0, "without a cut");
}

}  // namespace

int main() {
  come_back(10000, 1);
  come_back(100000, 1);
  // As large as the costs of real numbers become: a step of a message has more than 32 bits.
  come_back(std::int64_t{1} << 40, 1 << 30);
  within_memory();
  for (std::int64_t seed = 0; seed < 60; ++seed) exact_from_them(seed);
  nothing_left_to_cut();
  return 0;
}
