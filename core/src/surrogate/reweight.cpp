#include "rangemoves/surrogate/reweight.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rangemoves/problem/limits.hpp"

namespace rangemoves {

namespace {

Fraction reduced(Int128 over, Int128 under) {
  Int128 a = over, b = under;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  over /= a;
  under /= a;
  if (under <= INT32_MAX)
    return {static_cast<std::int64_t>(over), static_cast<std::int64_t>(under)};
  constexpr std::int64_t kFine = std::int64_t{1} << 30;
  const double slope = static_cast<double>(over) / static_cast<double>(under);
  return reduced(std::llround(slope * static_cast<double>(kFine)), kFine);
}

bool is_below(Fraction a, Fraction b) {
  return Int128{a.over} * b.under < Int128{b.over} * a.under;
}

Fraction middle(Fraction a, Fraction b) {
  return reduced(Int128{a.over} * b.under + Int128{b.over} * a.under,
                 2 * Int128{a.under} * b.under);
}

// The slope of the chord of b between differences d and k, cut to 0 .. 1.
Fraction chord(const Table& g, const Table& h, int d, int k) {
  const std::int64_t rise = h(k) > h(d) ? g(k) - g(d) : g(d) - g(k), run = std::abs(h(k) - h(d));
  return reduced(std::clamp<std::int64_t>(rise, 0, run), run);
}

// Whether d lies inside the convex range, or at an end of it beyond which there is nothing.
bool is_identity(ConvexRange range, int d, int end) {
  const int nearer = std::min(d + range.left, range.right - d);
  return nearer > 0 || (d == range.right && d == end) || (d == -range.left && d == -end);
}

}  // namespace

Fraction touching_slope(const Table& g, const Table& h, ConvexRange range, int d,
                        Reweighting reweighting) {
  const int end = g.labels() - 1;
  if (is_identity(range, d, end)) return {};
  Fraction least{0, 1}, most{1, 1};
  for (int k = -end; k <= end; ++k) {
    if (h(k) == h(d)) continue;
    const Fraction slope = chord(g, h, d, k);
    if (h(k) > h(d) && is_below(least, slope)) least = slope;
    if (h(k) < h(d) && is_below(slope, most)) most = slope;
  }
  if (reweighting == Reweighting::least || !is_below(least, most)) return least;
  return middle(least, most);
}

Slopes touching_slopes(const PerEdge<Table>& g, const PerEdge<Table>& h, const Settings& settings) {
  const PerEdge<ConvexRange> ranges = chosen_ranges(g, settings);
  std::size_t kind = 0;
  return g.map([&](const Table& table) {
    const int last = table.labels() - 1;
    std::vector<Fraction> slopes(static_cast<std::size_t>(2 * last + 1));
    for (int d = -last; d <= last && !is_convex(table); ++d)
      slopes[static_cast<std::size_t>(d + last)] =
          touching_slope(table, h.kinds()[kind], ranges.kinds()[kind], d, settings.reweighting);
    ++kind;
    return slopes;
  });
}

std::int64_t common_factor(const Slopes& slopes) {
  std::int64_t factor = 1;
  bool reweights = false;
  for (const std::vector<Fraction>& of_table : slopes.kinds())
    for (const Fraction& slope : of_table) {
      reweights = reweights || slope.over != slope.under;
      factor = std::lcm(factor, std::lcm(slope.under, std::int64_t{2}));
      if (factor > kMostFactor) return 1;
    }
  return reweights ? factor : 1;
}

Table weighted(const Table& h, Fraction slope) {
  const int last = h.labels() - 1;
  Table t = h;
  const double weight = static_cast<double>(slope.over) / static_cast<double>(slope.under);
  const auto scaled = [&](std::int64_t v) {
    return static_cast<std::int64_t>(std::llround(weight * static_cast<double>(v)));
  };
  t.at(0) = 0;
  if (last == 0) return t;
  t.at(1) = scaled(h(1) - h(0));
  t.at(-1) = scaled(h(1) - 2 * h(0) + h(-1)) - t(1);
  for (int d = 1; d < last; ++d) {
    t.at(d + 1) = 2 * t(d) - t(d - 1) + scaled(h.second_difference(d));
    t.at(-d - 1) = 2 * t(-d) - t(1 - d) + scaled(h.second_difference(-d));
  }
  return t;
}

}  // namespace rangemoves
