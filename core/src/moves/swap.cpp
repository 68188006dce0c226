// Alpha-beta-swap (Boykov, Veksler, Zabih 2001): the variables that have alpha or beta choose
// between the two, for one pair after the other until none of them lowers the energy.
#include <algorithm>

#include "rangemoves/moves/turns.hpp"

namespace rangemoves {

void swap(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  BinaryMove move(energy, loop.settings().nonsubmodular, loop.settings().engine.threads,
                  loop.control());
  // Far labels first: from a constant start everyone then finds its place in a few moves.
  std::vector<std::pair<int, int>> pairs;
  for (int alpha = 0; alpha < energy.labels; ++alpha)
    for (int beta = energy.labels - 1; beta > alpha; --beta) pairs.emplace_back(alpha, beta);
  Turns turns(loop, static_cast<int>(pairs.size()));
  const auto order = [&](std::int64_t cycle) {
    std::vector<int> turn = chosen_order(loop.settings(), static_cast<int>(pairs.size()), cycle);
    if (cycle % 2 == 1) std::reverse(turn.begin(), turn.end());  // to and fro ends lower
    return turn;
  };
  const auto takes_part = [&](int k, std::int32_t label) {
    return label == pairs[k].first || label == pairs[k].second;
  };
  while (turns.run(order, takes_part, [&](int k, const std::vector<std::int32_t>& variables) {
    const auto [alpha, beta] = pairs[k];
    move.clear();
    for (const std::int32_t i : variables)
      move.add(i, alpha, beta, loop.labels()[i] == alpha ? beta : alpha);
    const bool gained = loop.make(move);
    return Turns::Outcome{gained, move.is_optimal() && move.is_true_energy(), move.changes()};
  })) {
  }
}

}  // namespace rangemoves
