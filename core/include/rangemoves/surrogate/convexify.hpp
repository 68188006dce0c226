// The surrogate h: convex, never below g, and equal to g where the current labelling is (section 2,
// "Generalized Huber functions"). Everything is read off the integer table that is really used.
#pragma once

#include "rangemoves/problem/energy.hpp"

namespace rangemoves {

// g is convex on [-left, right]; left is negative where an offset has moved all of it above zero.
struct ConvexRange {
  int left, right;
  int centre = 0;  // of the table; differences above it have the tail too high
  bool contains(int d) const { return -left <= d && d <= right; }
};

// The largest range around its centre on which g is convex, each side on its own.
ConvexRange convex_range(const Table& g);
bool is_convex(const Energy& energy);

// The least convex h >= g with h = g on the range: outward from each end, h(x+1) = max(g(x+1), 2
// h(x) - h(x-1)).
Table tight_surrogate(const Table& g, ConvexRange range);

// Straight on beyond the range with the slope of the continuous function there; a side whose slope
// is -1 goes on as the tight one. Throws std::invalid_argument where that is not convex or falls
// below g.
Table huber_surrogate(const Table& g, ConvexRange range, std::int64_t slope_left,
                      std::int64_t slope_right);

// Outward from each end of the range with the bend that g has last inside it, never below g: what
// extended range swaps use. Straight on beyond differences of `reach`, where no edge gets.
Table continued_surrogate(const Table& g, ConvexRange range, int reach);

// For an edge now at difference d inside the range: from (d, g(d)) outward the flattest line above
// g. Flatter than the tight surrogate far away; equal to g at d and on the side of zero, not on the
// whole range. ("Zero" is the centre of the table.)
Table chord_surrogate(const Table& g, ConvexRange range, int d);

// Whether h is nowhere below g.
bool dominates(const Table& h, const Table& g);

// g equals one and the same largest value everywhere beyond the range: what GSwapF needs.
bool has_flat_tails(const Table& g, ConvexRange range);

}  // namespace rangemoves
