// Alpha-beta-swap (Boykov, Veksler, Zabih 2001): the variables that have alpha or beta choose
// between the two, for one pair after the other until none of them brings anything.
#include <algorithm>

#include "rangemoves/label_changes.hpp"
#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

void swap(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  BinaryMove move(energy, chosen_nonsubmodular(loop.settings()), loop.control());
  // Far labels first: from a constant start everyone then finds its place in a few moves.
  std::vector<std::pair<int, int>> pairs;
  for (int alpha = 0; alpha < energy.labels; ++alpha)
    for (int beta = energy.labels - 1; beta > alpha; --beta) pairs.emplace_back(alpha, beta);
  std::vector<std::int64_t> exhausted(pairs.size(), -1);  // since which change
  LabelChanges changes(energy);
  Labelling before;
  for (std::int64_t cycle = 0, gains = 1; gains > 0; ++cycle) {
    gains = 0;
    std::vector<int> order = chosen_order(loop.settings(), static_cast<int>(pairs.size()), cycle);
    if (cycle % 2 == 1) std::reverse(order.begin(), order.end());  // to and fro ends lower
    for (const int k : order) {
      const auto [alpha, beta] = pairs[k];
      if (exhausted[k] >= std::max(changes.of(alpha), changes.of(beta))) continue;
      move.clear();
      for (std::int32_t i = 0; i < energy.graph.nodes(); ++i)
        if (loop.labels()[i] == alpha)
          move.add(i, alpha, beta, beta);
        else if (loop.labels()[i] == beta)
          move.add(i, alpha, beta, alpha);
      exhausted[k] = changes.now();
      if (move.active() == 0) continue;
      before = loop.labels();
      if (!loop.make(move)) continue;
      ++gains;
      changes.note(before, loop.labels());
      if (move.is_optimal() && move.is_true_energy()) exhausted[k] = changes.now();
    }
  }
}

}  // namespace rangemoves
