// Which range and which surrogate settings ask for, by hand.
#include "rangemoves/surrogate/chosen.hpp"

#include <cstdlib>
#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

// min(d^2, 4) for five labels: 0 1 4 4 4, convex up to 2.
PerEdge<Table> truncated() { return oracles::truncated(5, 2, 4); }

// As the integer table of a Cauchy prior: 0 2 6 10 13, convex up to 3, one further than by formula.
Table growing(int centre = 0) {
  const std::int64_t values[] = {0, 2, 6, 10, 13, 15, 16, 17};
  std::vector<std::int64_t> row;
  for (int d = -4; d <= 4; ++d) row.push_back(values[std::abs(d - centre)]);
  return Table(row, centre);
}

bool is(ConvexRange range, int left, int right) {
  return range.left == left && range.right == right;
}

void ranges() {
  Settings settings;
  settings.prior_ranges = {{2, 2}};
  const PerEdge<Table> g = growing();
  expect(is(chosen_ranges(g, settings)[0], 3, 3), "by default all that the table allows");
  expect(range_width(g, settings) == 3, "and ranges are as wide");
  settings.convex_range = RangeChoice::prior;
  expect(is(chosen_ranges(g, settings)[0], 2, 2), "or up to the T of the prior");
  expect(range_width(g, settings) == 2, "and ranges are as wide");
  settings.prior_ranges = {{4, 4}};
  expect(is(chosen_ranges(g, settings)[0], 3, 3), "never more than the table allows");
  settings.prior_ranges = {{0, 0}};
  expect(is(chosen_ranges(g, settings)[0], 0, 0), "a T below one: no other difference");
  expect(range_width(g, settings) == 1, "ranges have two labels all the same");
  settings.prior_ranges.clear();
  expect(is(chosen_ranges(g, settings)[0], 3, 3), "a prior without T: as the table");
}

// A prior may be convex at the differences that few labels have, and its own T below them: moves up
// to T are then no longer the whole problem.
void all_differences() {
  Settings settings;
  settings.prior_ranges = {{0, 0}};
  const PerEdge<Table> two_labels = oracles::truncated(2, 1, 1);
  expect(ranges_hold_all(two_labels, settings), "two labels: any prior is convex");
  expect(!ranges_hold_all(truncated(), settings), "a truncated prior is not, for more labels");
  settings.convex_range = RangeChoice::prior;
  expect(!ranges_hold_all(two_labels, settings), "up to a T below one: not all differences");
}

// With an offset the range moves along; where all of it lies beyond the table, its end is left.
void ranges_of_shifted_tables() {
  Settings settings;
  settings.convex_range = RangeChoice::prior;
  settings.prior_ranges = {{3, 1}, {-6, 10}};
  const PerEdge<Table> g({growing(-1), growing(3)}, nullptr);
  const PerEdge<ConvexRange> found = chosen_ranges(g, settings);
  expect(is(found.kinds()[0], 3, 1), "around the centre at -1");
  expect(is(found.kinds()[1], -3, 4), "never past the centre");
}

void surrogates() {
  Settings settings;
  const PerEdge<Table> g = truncated();
  expect(chosen_surrogate(g, settings).tables()[0].h(4) == 10, "tight: 0 1 4 7 10");
  settings.surrogate = SurrogateKind::huber;
  settings.huber_slopes = {{4, 4}};
  expect(chosen_surrogate(g, settings).tables()[0].h(4) == 12, "huber: 0 1 4 8 12");
  expect(chosen_tables(g, settings)[0](4) == 12, "the same table by table");
  settings.surrogate = SurrogateKind::continued;
  settings.extend = 1;
  expect(chosen_tables(g, settings)[0](4) == 16, "continued: 0 1 4 9 16");
  settings.surrogate = SurrogateKind::chord;
  expect(chosen_surrogate(g, settings).by_difference(), "chord: one for every difference");
  expect(chosen_tables(g, settings)[0](4) == 10, "where there must be one, the tight one");
}

void surrogates_by_range() {
  Settings settings;
  settings.prior_ranges = {{2, 2}};
  settings.convex_range = RangeChoice::prior;
  const PerEdge<Table> g = growing();
  expect(chosen_tables(g, settings)[0](4) == 14, "tight from 2 on: 0 2 6 10 14");
  settings.surrogate = SurrogateKind::huber;
  settings.huber_slopes = {{5, 5}};
  expect(chosen_tables(g, settings)[0](4) == 16, "huber from 2 on: 0 2 6 11 16");
  settings.surrogate = SurrogateKind::chord;
  expect(chosen_surrogate(g, settings).tables().size() == 5, "chords from -2 to 2");
}

}  // namespace

int main() {
  ranges();
  all_differences();
  ranges_of_shifted_tables();
  surrogates();
  surrogates_by_range();
  return 0;
}
