// Tables, what every edge has one of, and the sums over them, worked out by hand or term by term.
#include "rangemoves/problem/energy.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

void tables() {
  const Table g({9, 4, 0, 1, 4});  // three labels
  expect(g.labels() == 3 && g(-2) == 9 && g(0) == 0 && g(2) == 4, "from -(L-1) to L-1");
  expect(g.least() == 0 && g.spread() == 9 && g.steepest() == 5, "extremes");
  expect(g.second_difference(0) == 5 && g.second_difference(1) == 2, "bends");
  expect(is_convex(g) && !is_convex(Table({4, 4, 0, 4, 4})), "convex or not");
  expect(is_convex(Table({3})) && Table({3}).labels() == 1, "one label");
  expect(Table({1, 0, 1}, 5).centre() == 1 && Table({1, 0, 1}, -5).centre() == -1,
         "a centre beyond the table is its end");
}

void kinds_of_edges() {
  const PerEdge<int> same(7);
  expect(same[0] == 7 && same[100] == 7 && !same.index(), "the same for all");
  const PerEdge<int> mixed({3, 5}, std::make_shared<const std::vector<std::int32_t>>(
                                       std::vector<std::int32_t>{1, 0, 1}));
  expect(mixed[0] == 5 && mixed[1] == 3 && mixed.kind(2) == 1, "by an index");
  const PerEdge<int> doubled = mixed.map([](int k) { return 2 * k; });
  expect(doubled[0] == 10 && doubled[1] == 6 && doubled.index() == mixed.index(),
         "made of every kind, for the same edges");
  expect(mixed.all([](int k) { return k > 2; }) && !mixed.all([](int k) { return k > 3; }),
         "asked of every kind");
}

void sums(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 5);
  const oracles::OwnedEnergy owned = oracles::random_energy(
      random, oracles::random_graph(random, 6, 9),
      {oracles::any_table(random, labels), oracles::any_table(random, labels)});
  const Energy energy = owned.view();
  const Labelling x = oracles::random_labelling(random, energy);
  std::int64_t sum = 0, seen = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += owned.unary[i * static_cast<std::size_t>(labels) + static_cast<std::size_t>(x[i])];
  const std::int64_t unary = sum;
  for (std::int64_t e = 0; e < owned.graph.edges(); ++e) {
    const int d = x[owned.graph.tail(e)] - x[owned.graph.head(e)];
    const Table& g = owned.g.kinds()[static_cast<std::size_t>((*owned.g.index())[e])];
    sum += owned.weights[e] * g(d);
    expect(energy.pair(e, d) == owned.weights[e] * g(d), "an edge", seed);
  }
  expect(energy(x) == sum, "the energy", seed);
  for (std::int32_t i = 0; i < owned.graph.nodes(); ++i)
    for (const Incidence* at = owned.graph.begin(i); at != owned.graph.end(i); ++at)
      seen += energy.seen_from(*at, x[i], x[at->other]);
  expect(seen == 2 * (sum - unary), "every edge is seen from both ends alike", seed);
}

void convex_tables() {
  const ConvexTable table(Table({7, 4, 1, 0, 3, 6, 9}));  // four labels
  expect(table.left == 1 && table.right == 0, "straight beyond -1 and 0");
  expect(table.bend_at(-1) == 2 && table.bend_at(0) == 4 && table.bend_at(1) == 0, "bends");
  expect(table.steepest == 3 && table.rests_at_zero, "steepest step, least at zero");
  expect(!ConvexTable(Table({2, 1, 0})).rests_at_zero, "least elsewhere");
  bool refused = false;
  try {
    ConvexTable(Table({1, 1, 0, 1, 1}));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect(refused, "a move needs convex functions");
  expect(ConvexTable::of_any(Table({1, 1, 0, 1, 1})).steepest == 1, "sweeps do not");
}

void convex_problems() {
  const Neighbourhood graph(3, {0, 1}, {1, 2}, 0);
  const std::vector<std::int32_t> costs = {1, -20, 300, 4000, 50000, 600000};
  // Variable 2 does not take part, and the edge to it is off.
  const ConvexProblem problem{
      graph,     2,        {{costs.data(), 2}, 3, 2}, {3, 0}, {ConvexTable(Table({1, 0, 2}))}, {},
      {0, 0, 1}, {1, 1, 1}};
  expect(problem.takes_part(0) && !problem.takes_part(2), "an interval of one label is no choice");
  expect(problem.energy({1, 0, 1}) == -20 + 300 + 3 * 2, "who takes part, and edges that are on");
  expect(problem.largest_unary(0) == 20 && problem.largest_unary(2) == 600000,
         "the largest absolute cost of the interval");
}

}  // namespace

int main() {
  tables();
  kinds_of_edges();
  for (std::int64_t seed = 0; seed < 100; ++seed) sums(seed);
  convex_tables();
  convex_problems();
  return 0;
}
