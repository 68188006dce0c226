// The default. A convex prior: the exact cut. Else sweeps find one labelling, gswap another, fusion
// takes the best parts of both, and moves go down from there unless the bound shows that little is
// left to win: so the end is never above gswap's.
// Which of the two is far off depends on the problem; no rule that was tried tells beforehand.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rangemoves/messages/tree_reweighted.hpp"
#include "rangemoves/moves/label_changes.hpp"
#include "rangemoves/moves/methods.hpp"
#include "rangemoves/moves/proposals.hpp"

namespace rangemoves {

namespace {

// Sweeps end when one raises the bound by less than this part of what all have raised it, on images
// after some 30, and after so many at the latest.
constexpr double kSlowGain = 1e-3;
constexpr int kMostSweeps = 40;
// Sweeps after which labellings are read off them: the first for those with little time, a later
// one to compare the last with.
constexpr int kFirstLook = 1, kEarlyLook = 10;
// Expansions move the variables whose label has changed since the decoding at kEarlyLook, and those
// within so many edges of them.
constexpr std::int32_t kReach = 4;

// Parts of the energy by which it may lie above the bound for the run to end before more expansions
// and before the last descent. From there on both brought less than 0.1 % on images, and the last
// descent took up to twice the time of gswap.
constexpr double kSmallGap = 0.005, kFairGap = 0.01;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

class Search {
 public:
  explicit Search(MoveLoop& loop)
      : loop_(loop), messages_(loop.messages()), proposals_(loop), start_(loop.labels()) {
    loop_.raise_bound(messages_.lower_bound());
  }

  void run() {
    sweep();
    expand_unsettled();
    proposals_.descend(gswap, start_, "gswap from the start", kNoLimit);
    if (loop_.gap() <= kSmallGap) return;
    expand_unsettled();
    if (loop_.gap() <= kFairGap) return;
    const bool flat = suits_gswapf(loop_.energy());
    loop_.set_step(flat ? "gswapf from the best" : "gswap from the best");
    loop_.descend(flat ? gswapf : gswap, loop_.labels(), kNoLimit);
  }

 private:
  MoveLoop& loop_;
  Trws& messages_;
  Proposals proposals_;
  const Labelling start_;
  Labelling early_, last_;  // what sweeps found

  void sweep() {
    // Messages kept from a run before are as good as they were then once a sweep brings no more
    // than twice what its last one did.
    Workspace& workspace = loop_.workspace();
    const double enough = 2 * workspace.last_gain;
    double first = 0, bound = 0;
    bool ends = loop_.energy().graph.topology().is_forest();  // one sweep says it all
    for (int k = 1;; ++k) {
      if (k == 1 && enough >= 0)
        messages_.sweep_near_new_costs(enough, loop_.control());
      else
        messages_.sweep(loop_.control());
      loop_.raise_bound(messages_.lower_bound());
      const double gain = messages_.exact_bound() - bound;
      bound += gain;
      if (k == 1) first = bound;
      if (k > 1) workspace.last_gain = gain;
      ends |= k == kMostSweeps || (k > 2 && gain <= kSlowGain * (bound - first)) ||
              (k > 1 && gain <= enough);
      if (!ends && k != kFirstLook && k != kEarlyLook) continue;
      last_ = messages_.decode(loop_.control()).x;
      if (k <= kEarlyLook) early_ = last_;
      proposals_.offer(last_, "sweep " + std::to_string(k));
      if (ends) return;
    }
  }

  // A round of expansions of those variables about which sweeps are not settled, or disagree with
  // the best labelling. A few per cent of them on images: it costs little, and brings most of what
  // expansions of all would.
  void expand_unsettled() {
    const Energy& energy = loop_.energy();
    LabelChanges changes(energy, early_);
    changes.note(last_);
    changes.note(loop_.labels());
    const std::vector<std::int32_t>& variables =
        changes.since(0, kReach - 1, [](std::int32_t) { return true; });
    if (variables.empty()) return;
    BinaryMove move(energy, Nonsubmodular::truncate, loop_.settings().engine.threads,
                    loop_.control());
    loop_.set_step("expansion of what is unsettled");
    for (int alpha = 0; alpha < energy.labels; ++alpha) {
      move.clear();
      for (const std::int32_t i : variables)
        if (loop_.labels()[i] != alpha && energy.takes_part(i))
          move.add(i, loop_.labels()[i], alpha, alpha);
      loop_.make(move);
    }
  }
};

}  // namespace

void automatic(MoveLoop& loop) {
  if (is_convex(loop.energy())) return ishikawa(loop);
  Search(loop).run();
}

}  // namespace rangemoves
