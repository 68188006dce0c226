#include "rangemoves/surrogate/convexify.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace rangemoves {

ConvexRange convex_range(const Table& g) {
  const int end = g.labels() - 1, centre = g.centre();
  if (end < 1) return {0, 0, 0};
  if (std::abs(centre) < end && g.second_difference(centre) < 0) return {-centre, centre, centre};
  ConvexRange range{std::min(end, 1 - centre), std::min(end, 1 + centre), centre};
  while (range.right < end && g.second_difference(range.right) >= 0) ++range.right;
  while (range.left < end && g.second_difference(-range.left) >= 0) ++range.left;
  return range;
}

bool is_convex(const Energy& energy) {
  return energy.g.all([](const Table& g) { return is_convex(g); });
}

namespace {

// Continues h from x in steps of `side`, each step at least as steep as the one before.
void continue_tightly(Table& h, const Table& g, int x, int side) {
  const int end = g.labels() - 1;
  for (; x != side * end; x += side) {
    h.at(x + side) = std::max(g(x + side), 2 * h(x) - h(x - side));
  }
}

// Outward from one end of the convex range with the bend that g has last inside it, none where
// there is no inside.
void continue_bending(Table& h, const Table& g, int end, int direction, int reach) {
  const std::int64_t bend = end >= 2 ? g.second_difference(direction * (end - 1)) : 0;
  for (int d = end; d + 1 < g.labels(); ++d) {
    const auto at = [&](int k) -> std::int64_t& { return h.at(direction * k); };
    at(d + 1) = std::max(g(direction * (d + 1)), 2 * at(d) - at(d - 1) + (d < reach ? bend : 0));
  }
}

// From x on, h = h(x) + steps * slope; `slope` counts away from zero.
void continue_straight(Table& h, int x, int side, std::int64_t slope) {
  const int end = h.labels() - 1;
  for (int steps = 1; x + side * steps != side * (end + 1); ++steps)
    h.at(x + side * steps) = h(x) + steps * slope;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -((-a) / b);
}

// The flattest integer slope of a line from (x, g(x)) that stays above g on that side.
std::int64_t chord_slope(const Table& g, int x, int side) {
  const int end = g.labels() - 1;
  std::int64_t slope = g(x + side) - g(x);
  for (int y = x + side, steps = 1; y != side * (end + 1); y += side, ++steps)
    slope = std::max(slope, ceil_div(g(y) - g(x), steps));
  return slope;
}

}  // namespace

Table tight_surrogate(const Table& g, ConvexRange range) {
  Table h = g;
  if (range.left + range.right == 0) {
    // g is not even convex at its centre: the first step outward on each side is as steep as the
    // worst chord.
    return chord_surrogate(g, range, g.centre());
  }
  continue_tightly(h, g, range.right, +1);
  continue_tightly(h, g, -range.left, -1);
  return h;
}

Table huber_surrogate(const Table& g, ConvexRange range, std::int64_t slope_left,
                      std::int64_t slope_right) {
  Table h = tight_surrogate(g, range);
  if (slope_right >= 0) continue_straight(h, range.right, +1, slope_right);
  if (slope_left >= 0) continue_straight(h, -range.left, -1, slope_left);
  if (!is_convex(h) || !dominates(h, g))
    throw std::invalid_argument(
        "the huber surrogate needs slopes that keep it convex and above the prior");
  return h;
}

Table continued_surrogate(const Table& g, ConvexRange range, int reach) {
  Table h = g;
  continue_bending(h, g, range.right, 1, reach);
  continue_bending(h, g, range.left, -1, reach);
  return h;
}

Table chord_surrogate(const Table& g, ConvexRange range, int d) {
  if (!range.contains(d)) throw std::invalid_argument("a chord starts inside the convex range");
  const int end = g.labels() - 1, centre = g.centre();
  Table h = g;
  if (end == 0) return h;
  // Never flatter than the step before it, or h would not be convex at d.
  if (d >= centre && d < end) {
    std::int64_t slope = chord_slope(g, d, +1);
    if (d > centre) slope = std::max(slope, g(d) - g(d - 1));
    continue_straight(h, d, +1, slope);
  }
  if (d <= centre && d > -end) {
    std::int64_t slope = chord_slope(g, d, -1);
    if (d < centre) slope = std::max(slope, g(d) - g(d + 1));
    // The two chords meet at the centre.
    if (d == centre && d < end) slope = std::max(slope, g(d) - h(d + 1));
    continue_straight(h, d, -1, slope);
  }
  if (d > centre) continue_tightly(h, g, -range.left, -1);
  if (d < centre) continue_tightly(h, g, range.right, +1);
  return h;
}

bool dominates(const Table& h, const Table& g) {
  for (int d = -(g.labels() - 1); d <= g.labels() - 1; ++d)
    if (h(d) < g(d)) return false;
  return true;
}

bool has_flat_tails(const Table& g, ConvexRange range) {
  const int end = g.labels() - 1;
  std::int64_t largest = g(0);
  for (int d = -end; d <= end; ++d) largest = std::max(largest, g(d));
  for (int d = -end; d <= end; ++d)
    if (!range.contains(d) && g(d) != largest) return false;
  return true;
}

}  // namespace rangemoves
