// Orders of variables: each that has a choice once; as narrow as chains, grids and trees can be.
#include "rangemoves/optimum/search_order.hpp"

#include <algorithm>

#include "check.hpp"
#include "rangemoves/optimum/mini_buckets.hpp"
#include "table_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

void each_once(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 9, seed % 2 == 0);
  const auto costs = reduced_costs(*problem.messages<std::int64_t>(), INT64_MAX / 4);
  std::vector<std::int32_t> expected;
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    if (costs->choices(i) > 1) expected.push_back(i);
  for (std::vector<std::int32_t> order : {narrow_order(*costs), elimination_order(*costs)}) {
    std::sort(order.begin(), order.end());
    expect(order == expected, "all that have a choice", seed);
  }
}

// Costs on the edges of a grid of this size with two labels, variables numbered at random.
ReducedCosts grid(std::int32_t height, std::int32_t width, Random& random) {
  ReducedCosts costs;
  std::vector<std::int32_t> number;
  for (std::int32_t i = 0; i < height * width; ++i) {
    costs.left.push_back({0, 1});
    number.push_back(i);
  }
  random.shuffle(number);
  const auto at = [&](std::int32_t y, std::int32_t x) {
    return number[static_cast<std::size_t>(y * width + x)];
  };
  for (std::int32_t y = 0; y < height; ++y)
    for (std::int32_t x = 0; x < width; ++x) {
      if (x + 1 < width) costs.functions.push_back({{at(y, x), at(y, x + 1)}, {0, 1, 2, 0}});
      if (y + 1 < height) costs.functions.push_back({{at(y, x), at(y + 1, x)}, {0, 1, 2, 0}});
    }
  return costs;
}

// Dynamic programming over rows of w variables needs tables of 2^(w + 1) entries.
void as_narrow_as_grids(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  for (std::int32_t width = 1; width <= 5; ++width) {
    const ReducedCosts costs = grid(12, width, random);
    const TablePlan narrow = plan_tables(costs, narrow_order(costs), 1e9),
                    outward = plan_tables(costs, elimination_order(costs), 1e9);
    expect(narrow.is_whole && outward.is_whole, "one table each", seed);
    const double most = static_cast<double>(2 << width);
    expect(narrow.largest <= most, "no wider than rows", seed);
    expect(outward.largest <= 8 * most, "about as narrow", seed);
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 500; ++seed) each_once(seed);
  for (std::int64_t seed = 0; seed < 20; ++seed) as_narrow_as_grids(seed);
}
