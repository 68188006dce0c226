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

}  // namespace

int main() {
  largest_cells();
  bytes();
  return 0;
}
