// Cuts of a band against enumeration: with all labels free, and with some fixed.
#include "rangemoves/engine/band_search.hpp"

#include "check.hpp"
#include "oracles.hpp"
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
}
