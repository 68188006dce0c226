// Extended range swap (Veksler 2012; section 2 of the paper, "Extended range moves"): those that
// have a label in [a, a+T] choose among a few more on either side. Beyond T their edges cost the
// convex part of g, continued, or the least convex h above g.
#include <algorithm>

#include "rangemoves/moves/ranges.hpp"

namespace rangemoves {

void rswape(MoveLoop& loop) {
  const PerEdge<Table>& g = loop.energy().g;
  Settings settings = loop.settings();
  if (settings.surrogate == SurrogateKind::unset) settings.surrogate = SurrogateKind::continued;
  const int extend =
      static_cast<int>(std::min<std::int64_t>(settings.extend, loop.energy().labels));
  swap_ranges(loop, extend, chosen_tables(g, settings));
}

}  // namespace rangemoves
