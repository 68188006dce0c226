// The exact move, fast: messages first, a cut of a narrow band of labels, then a proof.
//
// Sweeps bring the lower bound close to the optimum and, with it, show which labels are still in
// play. A cut over those alone, on the residual graph that the messages leave, gives a labelling;
// its flow goes back into the messages, a few sweeps repair what labels beyond the band have lost,
// and their bound decides: costs are integers, so a bound less than one unit below the labelling's
// energy proves it optimal over all labels. Otherwise the band is widened and the cut made again,
// from the better messages.
//
// That is the last resort. Before it, sweeps end as soon as most variables have one label that is
// much better than all others. Only the rest is cut, and where that labelling still pays more than
// the bound the problem is solved again, as parts of the whole. A move after another one is first
// solved near what has changed, in the same way. The bound of all messages decides as before. Moves
// over some of the labels each, as range swaps are, hand their messages on label by label.
#pragma once

#include "rangemoves/engine/reference.hpp"
#include "rangemoves/flow/ishikawa_graph.hpp"
#include "rangemoves/messages/backend.hpp"

namespace rangemoves {

template <class Value>
class DualSolver;

class DualEngine : public Engine {
 public:
  // Factor on all costs where the type of the messages has room: shares of a cost then keep
  // fractions.
  static constexpr std::int64_t kFinestScale = 64;

  explicit DualEngine(EngineOptions options);
  ~DualEngine() override;
  using Engine::solve;
  MoveSolution solve(ConvexProblem problem, const Labelling& current, Control& control,
                     const Recall* recall) override;
  std::string name() const override { return "dual"; }
  Dual dual() const override;

 private:
  EngineOptions options_;
  // With 32-bit or 64-bit messages; made when first needed, the other one then given up.
  std::unique_ptr<DualSolver<std::int32_t>> narrow_;
  std::unique_ptr<DualSolver<std::int64_t>> wide_;
};

// A problem in which every variable takes part with all labels or has no edges, of the same
// solutions and, but for a constant, the same energies.
ConvexProblem normal_form(ConvexProblem problem);

}  // namespace rangemoves
