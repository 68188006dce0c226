// GSwapF (section 4 of the paper): everyone moves over all labels; edges now beyond T cost the
// constant max g and are left out. Sound only where g is that constant everywhere beyond T.
#include <stdexcept>

#include "rangemoves/choice.hpp"
#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

void gswapf(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const ConvexRange range = convex_range(energy.g);
  if (!has_flat_tails(energy.g, range))
    throw std::invalid_argument(
        "gswapf needs a prior that is constant, at its maximum, beyond its convex range");
  const SurrogateTables surrogate = chosen_surrogate(energy.g, loop.settings(), range);
  const bool one_surrogate = surrogate.tables().size() == 1;

  for (std::vector<std::uint8_t> edges = close_edges(energy, loop.labels(), range);;) {
    if (!loop.make(choose_edges(energy, loop.labels(), edges, surrogate, loop.control()),
                   energy.graph.nodes()))
      break;
    std::vector<std::uint8_t> next = close_edges(energy, loop.labels(), range);
    if (one_surrogate && next == edges) break;  // the same problem again, already solved
    edges = std::move(next);
  }
  if (one_surrogate && is_convex(energy.g)) loop.claim_optimal();
}

}  // namespace rangemoves
