// The convex problem of a move against the energy with surrogates on its edges, for every labelling
// that the move may choose.
#include "rangemoves/surrogate/choice.hpp"

#include <algorithm>

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

// g with h instead on the edges that are in, as they stand at x.
std::int64_t move_energy(const Energy& energy, const Labelling& x, const Labelling& y,
                         const std::vector<std::uint8_t>& in, const SurrogateTables& surrogate,
                         bool others_cost) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) sum += energy.theta(i, y[i]);
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e) {
    const std::int32_t i = energy.graph.tail(e), j = energy.graph.head(e);
    if (in[e])
      sum +=
          energy.w[e] *
          surrogate.tables()[static_cast<std::size_t>(surrogate.of(e, x[i] - x[j]))].h(y[i] - y[j]);
    else if (others_cost)
      sum += energy.pair(e, y[i] - y[j]);
  }
  return sum;
}

const void* first_cost(const ConvexProblem& problem, std::int32_t i) {
  return problem.unary.row(i).visit([](auto* at) { return static_cast<const void*>(at); });
}

void active_variables(const oracles::OwnedEnergy& owned, const Labelling& x, const Mask& active,
                      const SurrogateTables& surrogate, Random& random, std::int64_t seed) {
  const Energy energy = owned.view();
  Control control;
  // An interval that holds all labels there are, or any two ends.
  int low = 0, high = energy.labels - 1;
  if (random.below(2) == 0) {
    low = *std::min_element(x.begin(), x.end());
    high = std::max(low + 1, *std::max_element(x.begin(), x.end()));
  }
  const ConvexProblem problem = choose_active(energy, x, active, low, high, surrogate, control);
  std::vector<std::uint8_t> inside;
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    inside.push_back(active[energy.graph.tail(e)] && active[energy.graph.head(e)]);
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    expect(problem.low[i] == (active[i] ? low : x[i]), "the active range from low", seed);
    expect(problem.high[i] == (active[i] ? high : x[i]), "to high, all others stay", seed);
    bool at_border = false;
    for (const Incidence* at = energy.graph.begin(i); at != energy.graph.end(i); ++at)
      at_border = at_border || (active[i] && !active[at->other]);
    const void* callers = owned.unary.data() + std::int64_t{i} * energy.labels;
    expect((first_cost(problem, i) == callers) == !at_border,
           "costs are copied at the border of the active set and nowhere else", seed);
  }
  oracles::for_each_labelling(problem.low, problem.high, [&](const Labelling& y) {
    const std::int64_t rise = move_energy(energy, x, y, inside, surrogate, true) -
                              move_energy(energy, x, x, inside, surrogate, true);
    expect(problem.energy(y) - problem.energy(x) == rise, "energies differ as they should", seed);
    expect(energy(y) - energy(x) <= rise, "and the true one rises no more", seed);
  });
}

void chosen_edges(const oracles::OwnedEnergy& owned, const Labelling& x,
                  const SurrogateTables& surrogate, std::int64_t seed) {
  const Energy energy = owned.view();
  const PerEdge<ConvexRange> ranges = energy.g.map(convex_range);
  const std::vector<std::uint8_t> close = close_edges(energy, x, ranges);
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    expect(close[e] == ranges[e].contains(x[energy.graph.tail(e)] - x[energy.graph.head(e)]),
           "close edges lie in the range", seed);
  const ConvexProblem problem = choose_edges(energy, x, close, surrogate);
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i)
    expect(first_cost(problem, i) == owned.unary.data() + std::int64_t{i} * energy.labels,
           "no cost is copied", seed);
  oracles::for_each_labelling(
      std::vector<std::int32_t>(x.size(), 0),
      std::vector<std::int32_t>(x.size(), energy.labels - 1), [&](const Labelling& y) {
        expect(problem.energy(y) == move_energy(energy, x, y, close, surrogate, false),
               "the edges given cost h, the others nothing", seed);
      });
}

}  // namespace

int main() {
  std::int64_t partly_active = 0;
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 2, 4);
    std::vector<Table> tables{oracles::truncated(labels, 2, 1 + seed % 4)};
    if (seed % 4 == 0) tables.push_back(oracles::truncated(labels, 1, 1));
    if (seed % 2 == 0) tables.push_back(oracles::random_convex(random, labels, true));
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::random_graph(random, 5, 7), tables);
    const Energy energy = owned.view();
    const Labelling x = oracles::random_labelling(random, energy);
    const PerEdge<ConvexRange> ranges = energy.g.map(convex_range);
    ActiveSetChoice choice;
    choice.iteration = seed;
    const Mask active = active_set(energy.graph, x, ranges, choice);
    partly_active += std::find(active.begin(), active.end(), 0) != active.end();
    const SurrogateTables tight(
        energy.g.map([](const Table& g) { return tight_surrogate(g, convex_range(g)); }));
    expect(!tight.by_difference(), "one table for each kind of edge", seed);
    const SurrogateTables chords = SurrogateTables::chords(energy.g, ranges);
    expect(chords.by_difference(), "chords depend on the difference", seed);
    for (const SurrogateTables* surrogate : {&tight, &chords}) {
      active_variables(owned, x, active, *surrogate, random, seed);
      chosen_edges(owned, x, *surrogate, seed);
    }
  }
  expect(partly_active > 20, "active sets often leave somebody out");
  return 0;
}
