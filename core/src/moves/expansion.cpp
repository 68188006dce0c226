// Alpha-expansion (Boykov, Veksler, Zabih 2001): every variable keeps its label or takes alpha, for
// one alpha after the other until none of them brings anything.
#include "rangemoves/moves/expansion.hpp"

namespace rangemoves {

ExpansionCycles::ExpansionCycles(MoveLoop& loop)
    : loop_(loop),
      move_(loop.energy(), chosen_nonsubmodular(loop.settings()), loop.control()),
      exhausted_(static_cast<std::size_t>(loop.energy().labels), -1) {}

bool ExpansionCycles::run() {
  const Energy& energy = loop_.energy();
  bool any = false;
  for (const int alpha : chosen_order(loop_.settings(), energy.labels, cycle_++)) {
    if (exhausted_[alpha] == changes_) continue;
    move_.clear();
    for (std::int32_t i = 0; i < energy.graph.nodes(); ++i)
      if (loop_.labels()[i] != alpha) move_.add(i, loop_.labels()[i], alpha, alpha);
    const bool gained = loop_.make(move_);
    changes_ += gained;
    any |= gained;
    // A move that was not the best there is may find more from where it is.
    if (!gained || (move_.is_optimal() && move_.is_true_energy())) exhausted_[alpha] = changes_;
  }
  return any;
}

void expansion(MoveLoop& loop) {
  ExpansionCycles cycles(loop);
  while (cycles.run()) {
  }
}

}  // namespace rangemoves
