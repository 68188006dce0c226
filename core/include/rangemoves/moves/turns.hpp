// Moves tried in turn until none of them lowers the energy. After a cycle with all variables, only
// those near a later change are likely to gain: moves are made with these alone, which is cheap,
// until they gain nothing. Then a cycle with all variables decides. Where ties are taken, all
// cycles are with all variables: which tie is the highest depends on all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/moves/label_changes.hpp"
#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

class Turns {
 public:
  Turns(MoveLoop& loop, int moves)
      : control_(loop.control()),
        takes_ties_(loop.settings().engine.ties == Ties::highest),
        changes_(loop.energy(), loop.labels()),
        tried_whole_(static_cast<std::size_t>(moves), -1),
        tried_(tried_whole_) {}

  struct Outcome {
    bool gained;
    bool solved;  // the same move again would gain nothing
    const std::vector<LabelChange>& changes;
  };

  // Runs cycles of moves until one lowers the energy; false where none does. order(cycle): the
  // moves. takes_part(move, label): whether variables with this label belong to the move.
  // make(move, variables): makes it with these variables.
  template <class Order, class TakesPart, class Make>
  bool run(Order&& order, TakesPart&& takes_part, Make&& make) {
    while (true) {
      bool any = false;
      for (const int move : order(cycle_++)) {
        control_.poll();  // with many labels most moves have no variables: they pass without one
        const auto k = static_cast<std::size_t>(move);
        std::int64_t& last = near_ ? tried_[k] : tried_whole_[k];
        const std::vector<std::int32_t>& variables =
            changes_.since(last, near_ ? near_enough : INT32_MAX,
                           [&](std::int32_t label) { return takes_part(move, label); });
        last = changes_.now();
        if (!near_) tried_[k] = last;
        if (variables.empty()) continue;
        const Outcome outcome = make(move, variables);
        any = any || outcome.gained;
        if (!outcome.gained && (!takes_ties_ || outcome.changes.empty())) continue;
        changes_.note(outcome.changes);
        if (outcome.solved && !near_) tried_whole_[k] = tried_[k] = changes_.now();
      }
      const bool decided = !near_;
      near_ = any && !takes_ties_;
      if (any) return true;
      if (decided) return false;
    }
  }

  // Of the variables of the move that is being made, those that changed since it was last tried, or
  // are next to a change.
  const std::vector<std::int32_t>& changed() const { return changes_.changed(); }

  // To be called after something else has changed the labelling.
  void labels_changed(const Labelling& now) {
    changes_.note(now);
    near_ = true;
  }

 private:
  // Edges between a change and those asked again: further away gains are rare, and the cycle with
  // all variables finds them.
  static constexpr std::int32_t near_enough = 12;

  Control& control_;
  const bool takes_ties_;
  LabelChanges changes_;
  std::vector<std::int64_t> tried_whole_, tried_;  // per move: at which change
  std::int64_t cycle_ = 0;
  bool near_ = false;
};

}  // namespace rangemoves
