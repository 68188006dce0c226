// The weights of iteratively reweighted cuts (Ajanthan, Hartley, Salzmann, Li 2015): g = b(h) with
// a convex h and a concave b. A line that touches b at the current difference lies above it, so h
// weighted by its slope stands for g.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

// A slope between 0 and 1, in lowest terms. Exact where that leaves at most 31 bits below the line,
// whatever the units of g and h: cuts must not depend on them.
struct Fraction {
  std::int64_t over = 1, under = 1;
};

// The slope of a line through (h(d), g(d)) that is nowhere below b. Where b has a kink there are
// several: the least one, which restrains the edge least, or the middle of them. 1 inside the
// convex range, where b is the identity. No more than 1 anywhere: where b is not concave no line
// lies above it, and a steeper one could only overflow.
Fraction touching_slope(const Table& g, const Table& h, ConvexRange range, int d,
                        Reweighting reweighting);

// The same for every difference -(L-1) .. L-1 of every table; 1 where g is convex.
using Slopes = PerEdge<std::vector<Fraction>>;
Slopes touching_slopes(const PerEdge<Table>& g, const PerEdge<Table>& h, const Settings& settings);

// The least even factor that makes all slopes whole numbers, halves of weights too; 1 where g is
// convex, or where the factor would be more than kMostFactor: then g has values so large that
// rounding them is harmless.
constexpr std::int64_t kMostFactor = 1 << 12;
std::int64_t common_factor(const Slopes& slopes);

// slope * h, up to a constant. Its bends are rounded, so that it stays convex.
Table weighted(const Table& h, Fraction slope);

}  // namespace rangemoves
