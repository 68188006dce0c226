// Costs of 8 to 64 bits, views of them, and terms of which only the changed rows are copied.
#include "rangemoves/problem/costs.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kWide = std::int64_t{1} << 40;

const void* first_cost(const CostRow& row) {
  return row.visit([](auto* at) { return static_cast<const void*>(at); });
}

template <class Value>
void views() {
  constexpr Value least = std::numeric_limits<Value>::min(),
                  most = std::numeric_limits<Value>::max();
  // Two variables, three labels.
  const std::vector<Value> costs = {5, 3, 4, least, 8, most};
  const CostView view(costs.data(), 3);
  expect(view.is_wide() == (sizeof(Value) == 8), "the width of a view is that of its costs");
  expect(view(0, 1) == 3 && view(1, 0) == std::int64_t{least} && view.row(1)[1] == 8,
         "rows follow each other");
  expect(view.row(0).least(3) == 3 && view.row(0).most(3) == 5, "least and largest of a row");
  expect(view.row(1).least(3) == std::int64_t{least} && view.row(1).most(3) == std::int64_t{most},
         "the largest are what they are in any type");
  const CostRow::Extent part = view.row(1).extent(1, 2);
  expect(part.least == 8 && part.most == std::int64_t{most}, "or of some labels");
  const CostView later = view.from_label(1);
  expect(later.row(0)[0] == 3 && later.row(1)[0] == 8 && later.row(1)[1] == std::int64_t{most},
         "from a label on, rows lie as far apart as before");
  expect(first_cost(later.row(1)) == costs.data() + 4, "and nothing is copied");
}

// Sums and changed rows do not keep to what the given type holds.
template <class Value>
void narrow_costs_grow() {
  Control control;
  constexpr std::int64_t most = std::numeric_limits<Value>::max();
  const std::vector<Value> costs = {static_cast<Value>(most), 2, 3, 4};
  CostVolume sums(1, 2, false, control);
  for (int k = 0; k < 4; ++k) sums.add_row(0, CostView(costs.data(), 2).row(0));
  expect(sums(0, 0) == 4 * most && sums(0, 1) == 8, "rows are added as integers");
  UnaryTerms terms({costs.data(), 2}, 2, 2);
  terms.add(0, 0, most);
  expect(terms(0, 0) == 2 * most && terms(0, 1) == 2 && terms(1, 1) == 4, "a row of its own");
  expect(!terms.is_wide(), "of four bytes");
  terms.add(1, 0, kWide);
  expect(terms.is_wide() && terms(1, 0) == kWide + 3 && terms(0, 0) == 2 * most,
         "or of eight, once one needs them");
}

void rows_are_appended() {
  const std::vector<std::uint8_t> bytes = {1, 255};
  const std::vector<std::int64_t> large = {kWide, -kWide};
  CostVolume costs(2);
  costs.append(CostRow(bytes.data()));
  expect(!costs.is_wide() && costs(0, 1) == 255, "the first row");
  costs.append(CostRow(large.data()));
  expect(costs.is_wide() && costs(1, 0) == kWide && costs(1, 1) == -kWide, "a wide one");
  costs.append(CostRow(bytes.data()));
  expect(costs(0, 0) == 1 && costs(2, 1) == 255, "and another after it");
}

void volumes_widen() {
  Control control;
  CostVolume costs(2, 3, false, control);
  expect(!costs.is_wide() && costs(1, 2) == 0, "narrow and zero at first");
  costs.set(0, 1, 7);
  costs.add(0, 1, -9);
  expect(!costs.is_wide() && costs(0, 1) == -2, "narrow while all costs are");
  const std::vector<std::int32_t> more = {1, 2, 3};
  costs.add_row(1, CostRow(more.data()));
  expect(costs(1, 0) == 1 && costs(1, 2) == 3 && costs(0, 0) == 0, "a row is added where asked");
  costs.set(1, 1, kWide);
  expect(costs.is_wide() && costs(1, 1) == kWide, "a large cost widens all");
  expect(costs(0, 1) == -2 && costs(1, 2) == 3, "and the others stay");
  costs.add_row(0, costs.row(1));
  expect(costs(0, 1) == kWide - 2, "rows of 64 bits");
}

void terms_are_views() {
  const std::vector<std::int32_t> costs = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  UnaryTerms terms({costs.data(), 3}, 3, 3);
  for (std::int32_t i = 0; i < 3; ++i)
    expect(first_cost(terms.row(i)) == costs.data() + 3 * i, "no row is copied at first");
  terms.add(1, 2, 10);
  expect(terms(1, 2) == 16 && terms(1, 0) == 4, "a row of its own starts from the view");
  expect(costs[5] == 6, "which stays as it was");
  expect(first_cost(terms.row(1)) != costs.data() + 3, "only the changed one is copied");
  expect(first_cost(terms.row(0)) == costs.data() && first_cost(terms.row(2)) == costs.data() + 6,
         "all others are not");
  terms.set(1, 2, 0);
  terms.set(0, 0, 20);
  expect(terms(1, 2) == 0 && terms(1, 1) == 5 && terms(0, 0) == 20 && terms(0, 2) == 3,
         "several rows, each changed several times");
  expect(!terms.is_wide(), "narrow while all costs are");
  terms.add(2, 0, kWide);
  expect(terms.is_wide() && terms(2, 0) == kWide + 7, "a large cost makes them wide");
  const UnaryTerms copy = terms;
  terms.set(0, 0, 21);
  expect(copy(0, 0) == 20 && copy(2, 1) == 8, "a copy has rows of its own");
}

void terms_of_a_part() {
  const std::vector<std::int32_t> costs = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  // Variables 2 and 0 of three, labels 1 and 2.
  UnaryTerms part(CostView(costs.data(), 3).from_label(1), 2, 2, {2, 0});
  expect(part(0, 0) == 8 && part(0, 1) == 9 && part(1, 0) == 2, "other numbers, the same costs");
  part.add(1, 1, 100);
  expect(part(1, 0) == 2 && part(1, 1) == 103 && part(0, 1) == 9, "rows have their own labels");
  expect(first_cost(part.row(0)) == costs.data() + 7, "no other row is copied");
}

void expected_rows_stay_where_they_are() {
  const std::vector<std::int32_t> narrow(3 * 40, 7);
  const std::vector<std::int64_t> wide(3 * 40, 7);
  for (const CostView& costs : {CostView(narrow.data(), 3), CostView(wide.data(), 3)}) {
    UnaryTerms terms(costs, 40, 3);
    terms.expect_own_rows(40);
    expect(terms.is_wide() == costs.is_wide(), "as wide as they were");
    terms.add(0, 0, 1);
    const CostRow first = terms.row(0);
    for (std::int32_t i = 1; i < 40; ++i) terms.add(i, 1, i);
    // A vector that had to grow would have moved it, and held all rows twice meanwhile.
    expect(first_cost(terms.row(0)) == first_cost(first), "there was room for all");
    expect(terms(0, 0) == 8 && terms(39, 1) == 46 && terms(39, 0) == 7, "with their own costs");
  }
}

void terms_that_own_their_costs() {
  Control control;
  CostVolume costs(2, 2, false, control);
  costs.set(1, 0, 5);
  UnaryTerms terms(std::move(costs));
  terms.add(1, 0, 1);
  expect(terms(1, 0) == 6 && terms(0, 0) == 0, "changed in place");
  terms.set(0, 1, kWide);
  expect(terms.is_wide() && terms(0, 1) == kWide && terms(1, 0) == 6, "and widened");
}

}  // namespace

int main() {
  views<std::uint8_t>();
  views<std::int16_t>();
  views<std::uint16_t>();
  views<std::int32_t>();
  views<std::int64_t>();
  narrow_costs_grow<std::uint8_t>();
  narrow_costs_grow<std::int16_t>();
  narrow_costs_grow<std::uint16_t>();
  rows_are_appended();
  volumes_widen();
  terms_are_views();
  terms_of_a_part();
  expected_rows_stay_where_they_are();
  terms_that_own_their_costs();
  return 0;
}
