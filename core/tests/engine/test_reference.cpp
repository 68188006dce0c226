// What the reference engine reads off a problem before it cuts.
#include "rangemoves/engine/reference.hpp"

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

ConvexProblem pair_of_edges(const Neighbourhood& graph, std::int32_t w0, std::int32_t w1) {
  ConvexProblem problem{graph, 3, oracles::no_costs(graph, 3), {w0, w1}, {}, {0, 1}, {}, {}};
  problem.tables.emplace_back(Table({4, 1, 0, 1, 4}));  // bends of 2
  problem.tables.emplace_back(Table({6, 3, 0, 3, 6}));  // one bend of 6
  problem.low.assign(3, 0);
  problem.high.assign(3, 2);
  return problem;
}

void largest_cells() {
  const Neighbourhood graph(3, {0, 1}, {1, 2}, 0);
  expect(largest_cell(pair_of_edges(graph, 10, 2)) == 20, "a heavy edge with small bends");
  expect(largest_cell(pair_of_edges(graph, 1, 5)) == 30, "a light edge with a large one");
  expect(largest_cell(pair_of_edges(graph, 0, 0)) == 0, "no edge is on");
}

void bytes() {
  const Neighbourhood graph(3, {0, 1}, {1, 2}, 0);
  const std::int64_t narrow = reference_bytes(pair_of_edges(graph, 1, 1));
  expect(narrow > 0, "a cut takes memory");
  expect(reference_bytes(pair_of_edges(graph, 1 << 20, 1)) > narrow, "more for wider cells");
  ConvexProblem fixed = pair_of_edges(graph, 1, 1);
  fixed.high = {2, 2, 0};
  fixed.weight[1] = 0;
  expect(reference_bytes(fixed) < narrow, "less where not all take part");
}

// With few labels the variables that have a choice are cut apart from the rest, with many all are.
void highest_within_a_band(int labels, std::uint64_t seed) {
  Random random(seed);
  const Neighbourhood graph = oracles::random_graph(random, 6, 9);
  ConvexProblem problem =
      oracles::random_problem(random, graph, labels, {seed % 2 == 0, seed % 3 == 0, true});
  for (std::int32_t i = 0; i < graph.nodes(); ++i)  // few values make many ties
    for (int l = 0; l < labels; ++l) problem.unary.set(i, l, problem.unary(i, l) / 8);
  Control control;
  const Band band{problem.low, problem.high};
  Labelling highest = problem.low;
  std::int64_t best = problem.energy(highest);
  oracles::for_each_labelling(problem.low, problem.high, [&](const Labelling& x) {
    const std::int64_t energy = problem.energy(x);
    if (energy > best) return;
    for (std::size_t i = 0; i < x.size(); ++i)
      highest[i] = energy < best ? x[i] : std::max(highest[i], x[i]);
    best = energy;
  });
  expect(highest_optimum(problem, band, control) == highest, "the highest of the best", seed);
}

}  // namespace

int main() {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const int labels : {2, 4, 7}) highest_within_a_band(labels, seed);
  largest_cells();
  bytes();
  return 0;
}
