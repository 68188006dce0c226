// Range swap (Veksler 2012; section 2 of the paper, "Standard range moves"): those that have a
// label in [a, a+T] choose among the same labels, where g is convex.
#include <algorithm>

#include "rangemoves/label_changes.hpp"
#include "rangemoves/moves/ranges.hpp"

namespace rangemoves {

int range_width(const Table& g) {
  const ConvexRange range = convex_range(g);
  return std::min(std::max(1, std::min(range.left, range.right)), g.labels() - 1);
}

void swap_ranges(MoveLoop& loop, int extend, const SurrogateTables& surrogate) {
  const Energy& energy = loop.energy();
  const int last = energy.labels - 1, width = range_width(energy.g);
  const int ranges = std::max(1, last - width + 1);
  std::vector<std::int64_t> exhausted(static_cast<std::size_t>(ranges), -1);  // since which change
  LabelChanges changes(energy);
  Labelling before;
  Mask active(static_cast<std::size_t>(energy.graph.nodes()));
  for (std::int64_t cycle = 0, gains = 1; gains > 0; ++cycle) {
    gains = 0;
    for (const int a : chosen_order(loop.settings(), ranges, cycle)) {
      const int b = std::min(a + width, last);
      if (exhausted[a] >= changes.of_range(a, b)) continue;
      exhausted[a] = changes.now();
      for (std::size_t i = 0; i < active.size(); ++i)
        active[i] = a <= loop.labels()[i] && loop.labels()[i] <= b;
      const std::int64_t count = std::count(active.begin(), active.end(), 1);
      if (count == 0) continue;
      before = loop.labels();
      if (!loop.make(choose_active(energy, before, active, std::max(0, a - extend),
                                   std::min(last, b + extend), surrogate),
                     count))
        continue;
      ++gains;
      changes.note(before, loop.labels());
      if (extend == 0) exhausted[a] = changes.now();  // the same problem again, already solved
    }
  }
}

void rswap(MoveLoop& loop) {
  const Table& g = loop.energy().g;
  swap_ranges(loop, 0, SurrogateTables::same_for_all(tight_surrogate(g, convex_range(g))));
}

}  // namespace rangemoves
