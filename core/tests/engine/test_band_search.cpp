// Cuts of a band against enumeration: with all labels free, and with some fixed.
#include "rangemoves/engine/band_search.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/reference.hpp"
#include "rangemoves/messages/backend.hpp"

using namespace rangemoves;

namespace {

struct Case {
  Neighbourhood graph;
  ConvexProblem problem;
  MoveSolution start;

  Case(Random& random, std::int64_t seed)
      : graph(seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 8)),
        problem(oracles::random_problem(random, graph, 4, {seed % 3 == 0, false, false, false})) {
    for (std::int32_t i = 0; i < graph.nodes(); ++i)
      start.labels.push_back(oracles::between(random, 0, 3));
    start.energy = problem.energy(start.labels);
  }
};

void search(std::int64_t seed) {
  constexpr std::int64_t scale = 16;
  Random random(static_cast<std::uint64_t>(seed));
  Case given(random, seed);
  Control control;
  const EngineOptions options;
  std::map<std::string, double> statistics;
  const auto messages = find_backend("cpu").make<std::int32_t>(given.problem, scale, 1, control);
  messages->load(given.problem, control);
  // No memory for any cut, too little for most, enough for all.
  const std::int64_t for_cuts[] = {1, 2000, INT64_MAX};
  BandSearch<std::int32_t> search(
      {given.problem, *messages, scale, scale, 0, for_cuts[seed / 6 % 3], options}, statistics,
      control);
  const std::int64_t best =
      oracles::brute_force(given.problem, given.problem.low, given.problem.high);
  const bool swept = seed % 5 == 0   ? search.prepare_cut(given.start.energy)
                     : seed % 5 == 1 ? search.settle(given.start.energy, 5)
                                     : search.close_gap(given.start.energy, 0.1, 5);
  expect(!swept || given.start.energy == best, "sweeps prove nothing that is not so", seed);

  MoveSolution within = given.start;
  const std::vector<std::int32_t> fixed{0, 3};
  const bool proven = search.cut_within(fixed, 1, within);
  for (const std::int32_t i : fixed)
    expect(within.labels[i] == given.start.labels[i], "fixed labels stay", seed);
  expect(
      within.energy <= given.start.energy && within.energy == given.problem.energy(within.labels),
      "the energy is that of the labels, and no higher", seed);
  expect(!proven || within.energy == best, "a proof is one over all labels", seed);

  MoveSolution decided = given.start;
  std::vector<std::uint8_t> cut;
  if (search.cut_undecided(decided, cut)) {
    expect(decided.energy <= given.start.energy &&
               decided.energy == given.problem.energy(decided.labels),
           "the energy of a cut of the undecided is that of its labels, and no higher", seed);
    expect(!decided.proven || decided.energy == best, "and its proof is one over all", seed);
  }

  MoveSolution solution = given.start;
  search.cut_until_proven(solution);
  expect(solution.proven && solution.energy == best, "the least energy", seed);
  expect(search.prove(best), "and it can be proven again", seed);
}

// Somebody else may go on where narrow cuts stall, and finds the best or nothing. Returns how often
// that was.
int goes_on(std::int64_t seed) {
  constexpr std::int64_t scale = 16, room_of_first = 1;
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::grid(50, 60);
  // Noise, with strong edges. All energies are negative.
  const int labels = 32;
  ConvexProblem problem{graph, labels, oracles::no_costs(graph, labels), {}, {}, {}, {}, {}};
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    for (int l = 0; l < labels; ++l) problem.unary.set(i, l, oracles::between(random, -200, -100));
  problem.tables.emplace_back(oracles::linear_beyond(labels, 3, 1));
  problem.weight.assign(static_cast<std::size_t>(graph.edges()), 20);
  problem.low.assign(3000, 0);
  problem.high.assign(3000, labels - 1);
  Control control;
  const EngineOptions options;
  std::map<std::string, double> statistics;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, scale, 1, control);
  messages->load(problem, control);
  BandSearch<std::int32_t> search({problem, *messages, scale, scale, 0, room_of_first, options},
                                  statistics, control);
  MoveSolution solution;
  solution.labels.assign(3000, 0);
  solution.energy = problem.energy(solution.labels);
  const MoveSolution best = ReferenceEngine{options}.solve(problem, solution.labels, control);
  search.close_gap(solution.energy, 0.5, 1);
  int calls = 0;
  std::int64_t expected = room_of_first;
  search.cut_until_proven(solution, [&](MoveSolution& found, std::int64_t room) {
    expect(room == expected, "the room of the cut, a quarter more each time", seed);
    expected += expected / 4 + 1;
    ++calls;
    expect(found.energy == problem.energy(found.labels), "from where cuts have come", seed);
    if (seed % 2 == 0) return false;
    found.labels = best.labels;
    found.energy = best.energy;
    return true;
  });
  expect(solution.proven && solution.energy == best.energy &&
             problem.energy(solution.labels) == best.energy,
         "the least energy", seed);
  expect(seed % 2 == 0 || calls <= 1, "a proof leaves nothing to do", seed);
  return calls;
}

void budgets() {
  const std::int64_t least = cut_budget(100, 180, 16, 0, false);
  expect(cut_budget(100, 180, 16, 5000, false) == least + 1000, "a fifth of the messages");
  expect(cut_budget(100, 180, 2, 0, false) < least, "two labels have one node");
  expect(cut_budget(100, 180, 3, 0, false) == least, "more than three labels count as three");
  expect(cut_budget(100, 180, 16, 0, true) > least, "cells of 64 bits");
}

}  // namespace

int main() {
  budgets();
  for (std::int64_t seed = 0; seed < 300; ++seed) search(seed);
  int went_on = 0;
  for (std::int64_t seed = 0; seed < 4; ++seed) went_on += goes_on(seed);
  expect(went_on > 0, "narrow cuts stall somewhere");
}
