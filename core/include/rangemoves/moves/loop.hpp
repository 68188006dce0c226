// The loop every move-making method shares: offer a labelling, take it if the energy falls, write
// the trace, stop at a limit. The energy never rises because nothing that raises it is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/fusion/binary_move.hpp"
#include "rangemoves/moves/workspace.hpp"
#include "rangemoves/optimum/proof.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/surrogate/chosen.hpp"

namespace rangemoves {

// One iteration, as the trace keeps it. Energies are in the caller's units.
struct Record {
  std::int64_t iteration = 0;
  double seconds = 0;
  double energy = 0;                     // E^g
  double huber_energy = 0;               // E^h over all edges
  double surrogate_energy = 0;           // what the move minimised
  std::int64_t changed = 0, active = 0;  // of the variables that take part
  std::optional<double> lower_bound;
  bool proven = false;
  std::string step;                   // what was tried, where a method has several kinds of steps
  const Labelling* labels = nullptr;  // set during OnIteration only; null in the trace
};

// From the integers of the core to the caller's units, and the costs before they were rounded.
struct CallersNumbers {
  double scale = 1, offset = 0;  // integer energy = scale * (energy - offset)
  // An energy this close to its bound is as good as optimal; 0 where the integers are exact.
  std::int64_t tolerance = 0;
  // The energy of a labelling; empty where the integers are exact.
  std::function<double(const Labelling&)> evaluate;
  // The costs before rounding; none where the integers are exact.
  std::shared_ptr<const TrueCosts> true_costs;
};

using OnIteration = std::function<bool(const Record&)>;  // true: stop

struct RunResult {
  Labelling labels;
  std::string status;  // optimal, converged, iteration_limit, time_limit, stopped, interrupted
  std::int64_t iterations = 0;
  std::optional<double> lower_bound;      // of the rounded costs
  std::optional<double> certified_bound;  // of the true ones, where they were given
  std::optional<bool> proven;  // every move so far was proven optimal; empty where no move was made
  std::vector<double> beliefs;             // variables x labels, where they were asked for
  std::optional<Certificate> certificate;  // of the bound, where it was asked for
  std::optional<Record> start;  // iteration 0; empty where the run ended before there was a loop
  std::vector<Record> trace;
  std::map<std::string, double> statistics;
};

// The status of a run that was ended from outside.
const char* status_of(StopReason reason);

class MoveLoop {
 public:
  MoveLoop(const Energy& energy, Labelling start, Settings settings, CallersNumbers numbers,
           OnIteration on_iteration, Workspace& workspace, Control& control);
  MoveLoop(const MoveLoop&) = delete;

  const Energy& energy() const { return energy_; }
  const Labelling& labels() const { return result_.labels; }
  std::int64_t value() const { return value_; }              // their energy in integers
  std::int64_t taking_part() const { return taking_part_; }  // variables that no mask left out
  const Settings& settings() const { return settings_; }
  Control& control() { return control_; }
  Engine& engine() { return *workspace_.engine; }
  Workspace& workspace() { return workspace_; }

  // To be called before the work of an iteration: ends the run where a limit is reached.
  void begin_iteration();
  // Whether the limit is reached once this iteration is finished.
  bool is_last_iteration() const;

  // Takes the labelling if it lowers the energy, or leaves it the same where settings ask for ties
  // to be taken. Returns whether it fell. Ends the run if the caller asked so.
  bool finish_iteration(const Labelling& candidate, std::int64_t surrogate_gain,
                        std::int64_t active, bool proven);

  // The same where no surrogate was minimised; value is the candidate's energy.
  bool finish_proposal(const Labelling& candidate, std::int64_t value, std::int64_t active);

  // The same where few variables change: costs no more than a look at them and their neighbours.
  // Each is listed once, with another label than it has.
  // No gain given: the move minimised the energy itself.
  bool finish_iteration(const std::vector<LabelChange>& changes,
                        std::optional<std::int64_t> surrogate_gain, std::int64_t active,
                        bool proven);

  // One move: solve, then finish_iteration.
  bool make(ConvexProblem problem, std::int64_t active);
  bool make(BinaryMove& move);

  // Runs another method from another start, with the engine and limits of this one. Every labelling
  // on its way is offered here, each as an iteration; after so many of them it ends. Returns the
  // last one. Not for convex priors.
  Labelling descend(void (*method)(MoveLoop&), Labelling start, std::int64_t most_iterations,
                    Strategy strategy = Strategy::alternate);

  // Limits a run to which the caller set no limit.
  void default_iterations(std::int64_t most);

  // Sets Record::step from now on.
  void set_step(std::string step) { step_ = std::move(step); }

  // No labelling has a lower energy, in integers. A run whose energy meets its bound ends there.
  void raise_bound(std::int64_t bound);
  const std::optional<std::int64_t>& bound() const { return bound_; }
  // By which part of the energy, in the caller's units, it lies above the bound; infinite where
  // there is no bound or the energy is 0.
  double gap() const;
  // An energy is optimal whose gap is smaller than this.
  std::int64_t goal() const { return numbers_.tolerance + 1; }

  // The move that was just made solved the whole problem: its bound is the energy's.
  void claim_optimal();

  // Messages on g: those of the workspace where it has some, else new ones, left there at the end.
  Trws& messages();
  // One sweep of them, back and forth. With a certificate it is not stopped half way: that is
  // written from the messages as the run leaves them, and half a sweep leaves some that prove less
  // than the sweep before.
  void sweep();

  // What else knows about the bound: asked at the end.
  void set_proof(std::shared_ptr<Proof> proof) { proof_ = std::move(proof); }

  // Runs a method to its end and says how it ended.
  RunResult run(const std::function<void(MoveLoop&)>& method);

 private:
  struct Finished {
    const char* status;
    const MoveLoop* loop;
  };

  const Energy& energy_;
  Settings settings_;
  CallersNumbers numbers_;
  OnIteration on_iteration_;
  Control& control_;
  Workspace& workspace_;
  PerEdge<Table> huber_;  // the h of the paper's E^h: the surrogate in use
  std::int64_t value_ = 0, huber_value_ = 0;
  std::int64_t last_surrogate_ = 0;  // what the last move minimised, at its minimum
  double exact_value_ = 0;
  const std::int64_t taking_part_;
  Labelling proposal_;  // equals the labels, except while changes are evaluated
  std::optional<std::int64_t> bound_;
  std::string step_;
  std::shared_ptr<Proof> proof_;
  Trws* messages_ = nullptr;  // of the workspace, once they are those of this energy
  Control unlimited_;         // for what must not be stopped half way
  RunResult result_;

  bool finish(const Labelling& candidate, std::int64_t value, std::int64_t surrogate,
              std::int64_t active, bool proven);
  bool meets_bound() const { return bound_ && value_ - numbers_.tolerance <= *bound_; }
  void sweep_for_bound();
  void write_certificate();
  void certify();
  std::vector<double> beliefs();
  void certify(Trws& trws);
  void keep_certified(double bound);
  bool lowers_energy(const Labelling& candidate, std::int64_t value);
  bool is_tie(const Labelling& candidate, std::int64_t value) const;
  Record current_record(std::int64_t surrogate) const;
  void write_record(std::int64_t changed, std::int64_t surrogate, std::int64_t active, bool proven);
  double in_units(std::int64_t value) const {
    return static_cast<double>(value) / numbers_.scale + numbers_.offset;
  }
};

}  // namespace rangemoves
