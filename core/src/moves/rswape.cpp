// Extended range swap (Veksler 2012; section 2 of the paper, "Extended range moves"): those that
// have a label in [a, a+T] choose among a few more on either side. Beyond T their edges cost the
// convex part of g, continued, or the least convex h above g.
#include <algorithm>

#include "rangemoves/moves/ranges.hpp"

namespace rangemoves {

namespace {

// Outward from one end of the convex range with the bend that g has last inside it (none where
// there is no inside), never below g; straight on beyond `reach`, where no edge gets.
void continue_side(Table& h, const Table& g, int end, int direction, int reach) {
  const std::int64_t bend = end >= 2 ? g.second_difference(direction * (end - 1)) : 0;
  for (int d = end; d + 1 < g.labels(); ++d) {
    const auto at = [&](int k) -> std::int64_t& { return h.at(direction * k); };
    at(d + 1) = std::max(g(direction * (d + 1)), 2 * at(d) - at(d - 1) + (d < reach ? bend : 0));
  }
}

Table continued_surrogate(const Table& g, ConvexRange range, int reach) {
  Table h = g;
  continue_side(h, g, range.right, 1, reach);
  continue_side(h, g, range.left, -1, reach);
  return h;
}

}  // namespace

void rswape(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const int extend =
      static_cast<int>(std::min<std::int64_t>(loop.settings().extend, energy.labels));
  const bool tight = loop.settings().surrogate == SurrogateKind::tight;
  const int reach = range_width(energy.g) + 2 * extend;
  swap_ranges(loop, extend, energy.g.map([&](const Table& g) {
    const ConvexRange range = convex_range(g);
    return tight ? tight_surrogate(g, range) : continued_surrogate(g, range, reach);
  }));
}

}  // namespace rangemoves
