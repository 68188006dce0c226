// The exact move, fast: messages first, a cut of a narrow band of labels, then a proof.
//
// Sweeps bring the lower bound close to the optimum and, with it, show which labels are still in
// play. A cut over those alone, on the residual graph that the messages leave, gives a labelling;
// its flow goes back into the messages, a few sweeps repair what labels beyond the band have lost,
// and their bound decides: costs are integers, so a bound less than one unit below the labelling's
// energy proves it optimal over all labels. Otherwise the band is widened and the cut made again,
// from the better messages.
#pragma once

#include "rangemoves/engine_reference.hpp"
#include "rangemoves/ishikawa.hpp"
#include "rangemoves/messages.hpp"

namespace rangemoves {

class DualEngine : public Engine {
 public:
  explicit DualEngine(EngineOptions options) : options_(std::move(options)) {}
  MoveSolution solve(const ConvexProblem& problem, const Labelling& current,
                     Control& control) override;
  std::string name() const override { return "dual"; }

 private:
  EngineOptions options_;
  // Kept from move to move: a new active set changes unary terms, and those do not make messages
  // infeasible.
  std::unique_ptr<Messages> messages_;
  const Neighbourhood* graph_ = nullptr;
  int labels_ = 0;
  std::int64_t scale_ = 0;
  std::vector<std::int32_t> last_weight_;  // of the move before; empty where there was none

  void prepare(const ConvexProblem& problem, std::int64_t scale, Control& control);
  // The variables near whatever this move changes against the one before, for a first cut. Empty
  // where that is most of them. (Sweeps still go over all: those over the near ones alone leave
  // messages at their border that do not agree with the rest, and cost more cuts than they save.)
  std::vector<std::uint8_t> near_changes(const ConvexProblem& problem) const;
  // Sweeps while they pay, or until the bound reaches the energy. Returns the bound, notes the
  // band.
  std::int64_t sweep(const ConvexProblem& problem, std::int64_t energy, const BandNote& note,
                     Control& control);
  // A cut over the band, its flow put back into the messages.
  Labelling cut(const ConvexProblem& problem, Band& band, Control& control);
  // A few sweeps: whether their bound reaches the energy. Notes the next band.
  bool prove(std::int64_t energy, const BandNote& note, Control& control);
};

// A problem in which every variable takes part with all labels or has no edges, of the same
// solutions and, but for a constant, the same energies.
ConvexProblem normal_form(const ConvexProblem& problem);

}  // namespace rangemoves
