// GSwapF (section 4 of the paper): everyone moves over all labels; edges now beyond T cost the
// constant max g and are left out. Sound only where g is that constant everywhere beyond T.
#include <stdexcept>

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

void gswapf(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const PerEdge<ConvexRange> ranges = chosen_ranges(energy.g, loop.settings());
  auto range = ranges.kinds().begin();
  if (!energy.g.all([&](const Table& g) { return has_flat_tails(g, *range++); }))
    throw std::invalid_argument(
        "gswapf needs a prior that is constant, at its maximum, beyond its convex range");
  const SurrogateTables surrogate = chosen_surrogate(energy.g, loop.settings());

  for (std::vector<std::uint8_t> edges = close_edges(energy, loop.labels(), ranges);;) {
    if (!loop.make(choose_edges(energy, loop.labels(), edges, surrogate), loop.taking_part()))
      break;
    std::vector<std::uint8_t> next = close_edges(energy, loop.labels(), ranges);
    if (!surrogate.by_difference() && next == edges)
      break;  // the same problem again, already solved
    edges = std::move(next);
  }
  if (!surrogate.by_difference() && ranges_hold_all(energy.g, loop.settings()))
    loop.claim_optimal();
}

}  // namespace rangemoves
