// GSwap (section 3 of the paper): a large active set, with no edge beyond T inside it, ranges over
// all labels.
#include <algorithm>

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

namespace {

bool any_edge_beyond(const Energy& energy, const Labelling& x, const PerEdge<ConvexRange>& ranges) {
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    if (!ranges[e].contains(x[energy.graph.tail(e)] - x[energy.graph.head(e)])) return true;
  return false;
}

}  // namespace

void gswap(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const PerEdge<ConvexRange> ranges = chosen_ranges(energy.g, loop.settings());
  const SurrogateTables surrogate = chosen_surrogate(energy.g, loop.settings());
  const std::int64_t n = energy.graph.nodes(), left_out = n - loop.taking_part();

  ActiveSetChoice choice;
  choice.strategy = loop.settings().strategy;
  // The range strategy goes through all ranges of width T; the others have two kinds of pass, one
  // per parity.
  const int width = range_width(energy.g, loop.settings());
  const std::int64_t starts =
      choice.strategy == Strategy::range ? std::max(1, energy.labels - width) : 1;
  const std::int64_t kinds = 2 * starts;

  Mask ever_active(static_cast<std::size_t>(n), 0);
  for (std::int64_t stalled = 0; stalled <= kinds; ++choice.iteration) {
    // When no kind of pass gains: one more that favours variables that were never active. (In a
    // chain 0, 10, 20 with T = 4 alternating never activates the middle, contrary to the paper.)
    Mask favour;
    const bool last_chance = stalled == kinds;
    if (last_chance) {
      favour = ever_active;
      for (std::uint8_t& f : favour) f = !f;
      if (std::find(favour.begin(), favour.end(), 1) == favour.end()) break;
    }
    choice.favour = last_chance ? &favour : nullptr;
    choice.low = static_cast<int>((choice.iteration / 2) % starts);
    choice.high = choice.low + width;
    choice.seed = loop.settings().seed + static_cast<std::uint64_t>(choice.iteration);

    const Mask active = active_set(energy.graph, loop.labels(), ranges, choice);
    // With those that a mask left out: no edge of theirs could drop them.
    const std::int64_t count = std::count(active.begin(), active.end(), 1);
    for (std::size_t i = 0; i < active.size(); ++i) ever_active[i] |= active[i];
    const bool gained = loop.make(choose_active(energy, loop.labels(), active, 0, energy.labels - 1,
                                                surrogate, loop.control()),
                                  count - left_out);
    if (count == n && (!gained || (!surrogate.by_difference() &&
                                   !any_edge_beyond(energy, loop.labels(), ranges))))
      break;
    stalled = gained ? 0 : stalled + 1;
  }
  if (!surrogate.by_difference() && ranges_hold_all(energy.g, loop.settings()))
    loop.claim_optimal();
}

}  // namespace rangemoves
