// Alpha-expansion (Boykov, Veksler, Zabih 2001): every variable keeps its label or takes alpha, for
// one alpha after the other until none of them lowers the energy.
#include "rangemoves/moves/expansion.hpp"

#include <vector>

namespace rangemoves {

namespace {

// Whether g rises ever slower to either side of 0. Then g(p+q) + g(0) <= g(p) + g(q), as for every
// metric, and no edge of an expansion need be raised.
bool rises_ever_slower(const Table& g) {
  for (const int side : {1, -1})
    for (int d = 1; d < g.labels(); ++d) {
      const std::int64_t step = g(side * d) - g(side * (d - 1));
      if (step < 0 || (d > 1 && step > g(side * (d - 1)) - g(side * (d - 2)))) return false;
    }
  return true;
}

// 0, then all others from the top down: first the odd ones, then the multiples of 2 that are no
// multiples of 4, and so on. Where edges are raised, ascending labels would move large areas along
// in small steps, into a worse minimum.
std::vector<int> scattered(int count) {
  std::vector<int> order{0};
  for (int step = 1; step < count; step *= 2)
    for (int k = count - 1; k > 0; --k)
      if (k % (2 * step) == step) order.push_back(k);
  return order;
}

}  // namespace

ExpansionCycles::ExpansionCycles(MoveLoop& loop)
    : loop_(loop),
      move_(loop.energy(), loop.settings().nonsubmodular, loop.settings().engine.threads,
            loop.control()),
      turns_(loop, loop.energy().labels),
      scatter_(loop.settings().order == TurnOrder::fixed &&
               !loop.energy().g.all(rises_ever_slower)) {}

bool ExpansionCycles::run() {
  const int labels = loop_.energy().labels;
  const auto order = [&](std::int64_t cycle) {
    return scatter_ ? scattered(labels) : chosen_order(loop_.settings(), labels, cycle);
  };
  const auto takes_part = [](int alpha, std::int32_t label) { return label != alpha; };
  return turns_.run(order, takes_part, [&](int alpha, const std::vector<std::int32_t>& variables) {
    move_.clear();
    for (const std::int32_t i : variables) move_.add(i, loop_.labels()[i], alpha, alpha);
    const bool gained = loop_.make(move_);
    // If the move was not optimal, the same move may gain again.
    return Turns::Outcome{gained, move_.is_optimal() && move_.is_true_energy(), move_.changes()};
  });
}

void expansion(MoveLoop& loop) {
  ExpansionCycles cycles(loop);
  while (cycles.run()) {
  }
}

}  // namespace rangemoves
