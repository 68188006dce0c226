// Slopes that touch, by hand and by their definition; weighted tables stay convex.
#include "rangemoves/surrogate/reweight.hpp"

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

bool is(Fraction slope, std::int64_t over, std::int64_t under) {
  return slope.over == over && slope.under == under;
}

Table symmetric(const std::vector<std::int64_t>& half) {
  const int last = static_cast<int>(half.size()) - 1;
  std::vector<std::int64_t> row;
  for (int d = -last; d <= last; ++d) row.push_back(half[static_cast<std::size_t>(std::abs(d))]);
  return Table(row);
}

Fraction slope(const Table& g, int d, Reweighting reweighting = Reweighting::middle) {
  const ConvexRange range = convex_range(g);
  return touching_slope(g, tight_surrogate(g, range), range, d, reweighting);
}

void at_a_kink() {
  const Table g = oracles::truncated(6, 2, 4);  // 0 1 4 4 4 4
  for (const int side : {1, -1}) {
    expect(is(slope(g, side), 1, 1), "inside the convex range");
    expect(is(slope(g, 2 * side), 1, 2), "at T half way between 1 and 0");
    expect(is(slope(g, 2 * side, Reweighting::least), 0, 1), "or the least of them");
    expect(is(slope(g, 3 * side), 0, 1), "beyond T the edge is left out");
    expect(is(slope(g, 5 * side), 0, 1), "up to the last difference");
  }
}

// h goes on with steps of 3: b rises by 3, 2, 1, 0 of 3.
void in_any_units() {
  for (const std::int64_t unit : {1, 1000}) {
    const Table g = symmetric({0, 2 * unit, 5 * unit, 7 * unit, 8 * unit, 8 * unit});
    expect(is(slope(g, 2), 5, 6), "between 1 and 2/3");
    expect(is(slope(g, 3), 1, 2), "between 2/3 and 1/3");
    expect(is(slope(g, 4, Reweighting::least), 0, 1), "and at last nothing");
    const PerEdge<Table> all(g), h(tight_surrogate(g, convex_range(g)));
    expect(common_factor(touching_slopes(all, h, {})) == 6, "sixths and halves");
  }
  const Table convex = symmetric({0, 1, 4, 9});
  expect(common_factor(touching_slopes(convex, convex, {})) == 1, "nothing to weight");
  const Table large = symmetric({0, 1000003, 3000017, 4000037, 4000037});
  const Table above = tight_surrogate(large, convex_range(large));
  expect(common_factor(touching_slopes(large, above, {})) == 1, "too large a factor is none");
}

// A convex side that reaches the last difference has nothing beyond to be lenient for.
void at_the_end_of_the_table() {
  const Table g(std::vector<std::int64_t>{5, 5, 5, 0, 1, 4, 9});  // convex from -1 to 3
  expect(is(slope(g, 3), 1, 1), "convex to the end");
  expect(is(slope(g, -1), 1, 1), "at a kink the line is above what the other side costs, too");
}

void lines_touch(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  // Steps that fall, after one or two that rise: b is concave.
  std::vector<std::int64_t> values{0};
  std::int64_t step = oracles::between(random, 3, 40);
  values.push_back(step / 2);
  for (int d = 2; d < 8; ++d) {
    values.push_back(values.back() + step);
    step = oracles::between(random, 0, static_cast<int>(step));
  }
  const Table g = symmetric(values);
  const ConvexRange range = convex_range(g);
  const Table h = tight_surrogate(g, range);
  for (const Reweighting rule : {Reweighting::middle, Reweighting::least})
    for (int d = -7; d <= 7; ++d) {
      const Fraction s = touching_slope(g, h, range, d, rule);
      for (int k = -7; k <= 7; ++k)
        expect((g(k) - g(d)) * s.under <= s.over * (h(k) - h(d)), "the line is above b", seed);
      expect(is_convex(weighted(h, s)), "weighted tables are convex", seed);
    }
}

}  // namespace

int main() {
  at_a_kink();
  in_any_units();
  at_the_end_of_the_table();
  for (std::int64_t seed = 0; seed < 300; ++seed) lines_touch(seed);
  return 0;
}
