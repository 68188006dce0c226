#include "rangemoves/moves/loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rangemoves/fusion/label_delta.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"

namespace rangemoves {

namespace {
// Sweeps for a bound end when one raises it by less than this part of what all have raised it.
constexpr double kSlowGain = 1e-3;
// Sweeps for beliefs after a method that made none, as best on convex priors. More would bring them
// closer to where they settle, and take longer.
constexpr int kSweepsForBeliefs = 20;
// The part of the time limit that sweeps for a bound may take before the method starts.
constexpr double kTimeForBound = 1.0 / 5;
}  // namespace

const char* status_of(StopReason reason) {
  return reason == StopReason::time_limit ? "time_limit" : "interrupted";
}

MoveLoop::MoveLoop(const Energy& energy, Labelling start, Settings settings, CallersNumbers numbers,
                   OnIteration on_iteration, Workspace& workspace, Control& control)
    : energy_(energy),
      settings_(std::move(settings)),
      numbers_(std::move(numbers)),
      on_iteration_(std::move(on_iteration)),
      control_(control),
      workspace_(workspace),
      huber_(chosen_tables(energy.g, settings_)),
      taking_part_(energy.taking_part()) {
  if (!workspace_.engine) workspace_.engine = make_engine(settings_.engine);
  result_.labels = std::move(start);
  proposal_ = result_.labels;
  value_ = energy_(result_.labels);
  huber_value_ = energy_.with_tables(result_.labels, huber_);
  exact_value_ = numbers_.evaluate ? numbers_.evaluate(result_.labels) : in_units(value_);
  // Every surrogate of a move costs as much as the energy where the move begins.
  result_.start = current_record(value_);
}

void MoveLoop::begin_iteration() {
  if (settings_.max_iterations >= 0 && result_.iterations >= settings_.max_iterations)
    throw Finished{"iteration_limit", this};
  control_.poll();
}

bool MoveLoop::is_last_iteration() const {
  return settings_.max_iterations >= 0 && result_.iterations + 1 >= settings_.max_iterations;
}

// Whether a candidate with this energy in integers is lower, for the caller too. If so its energies
// become the current ones.
bool MoveLoop::lowers_energy(const Labelling& candidate, std::int64_t value) {
  if (value >= value_) return false;
  // A gain in rounded costs need not be one in the caller's own numbers.
  const double exact = numbers_.evaluate ? numbers_.evaluate(candidate) : in_units(value);
  // Of exact integers beyond 2^53 float64 may show no difference where there is one.
  const bool rounded = numbers_.true_costs != nullptr;
  if (numbers_.evaluate && (exact > exact_value_ || (rounded && exact == exact_value_)))
    return false;
  exact_value_ = exact;
  value_ = value;
  return true;
}

// Whether a candidate with this energy is to be taken though nothing is gained by it.
bool MoveLoop::is_tie(const Labelling& candidate, std::int64_t value) const {
  return settings_.engine.ties == Ties::highest && value == value_ &&
         (!numbers_.evaluate || numbers_.evaluate(candidate) <= exact_value_);
}

// A record of the current labelling. surrogate: the value of what the last move minimised.
Record MoveLoop::current_record(std::int64_t surrogate) const {
  Record record;
  record.iteration = result_.iterations;
  record.seconds = control_.seconds();
  record.energy = exact_value_;
  // Other energies of this labelling: the exact one plus their difference in integers. Both have
  // the same unary costs, whose rounding cancels out in the difference.
  const auto beside = [&](std::int64_t other) {
    return exact_value_ + static_cast<double>(other - value_) / numbers_.scale;
  };
  record.huber_energy = beside(huber_value_);
  record.surrogate_energy = beside(surrogate);
  record.lower_bound = result_.lower_bound;
  record.step = step_;
  return record;
}

void MoveLoop::write_record(std::int64_t changed, std::int64_t surrogate, std::int64_t active,
                            bool proven) {
  last_surrogate_ = surrogate;
  ++result_.iterations;
  Record record = current_record(surrogate);
  record.changed = changed;
  record.active = active;
  record.proven = proven;
  result_.proven = meets_bound() || (proven && result_.proven.value_or(true));
  result_.trace.push_back(record);
  record.labels = &result_.labels;
  const bool stop = on_iteration_ && on_iteration_(record);
  if (meets_bound()) throw Finished{"optimal", this};
  if (stop) throw Finished{"stopped", this};
}

bool MoveLoop::finish_iteration(const Labelling& candidate, std::int64_t surrogate_gain,
                                std::int64_t active, bool proven) {
  // At the current labelling the surrogate costs as much as the energy.
  return finish(candidate, energy_(candidate), value_ - surrogate_gain, active, proven);
}

bool MoveLoop::finish_proposal(const Labelling& candidate, std::int64_t value,
                               std::int64_t active) {
  return finish(candidate, value, value, active, false);
}

bool MoveLoop::finish(const Labelling& candidate, std::int64_t value, std::int64_t surrogate,
                      std::int64_t active, bool proven) {
  const bool gained = lowers_energy(candidate, value);
  std::int64_t changed = 0;
  if (gained || is_tie(candidate, value)) {
    // Most proposals differ in a few variables: only their edges are looked at.
    for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
      if (candidate[i] == result_.labels[i]) continue;
      changed += energy_.takes_part(i);
      huber_value_ += change_at(energy_, huber_, i, result_.labels, candidate);
    }
    result_.labels = proposal_ = candidate;
  }
  write_record(changed, surrogate, active, proven);
  return gained;
}

bool MoveLoop::finish_iteration(const std::vector<LabelChange>& changes,
                                std::optional<std::int64_t> surrogate_gain, std::int64_t active,
                                bool proven) {
  for (const LabelChange& change : changes) proposal_[change.node] = change.label;
  std::int64_t value = value_, huber_value = huber_value_;
  for (const LabelChange& change : changes) {
    value += change_at(energy_, energy_.g, change.node, result_.labels, proposal_);
    huber_value += change_at(energy_, huber_, change.node, result_.labels, proposal_);
  }
  const std::int64_t surrogate = surrogate_gain ? value_ - *surrogate_gain : value;
  const bool gained = lowers_energy(proposal_, value);
  const bool taken = gained || is_tie(proposal_, value);
  if (taken) huber_value_ = huber_value;
  const Labelling& from = taken ? proposal_ : result_.labels;
  Labelling& to = taken ? result_.labels : proposal_;
  for (const LabelChange& change : changes) to[change.node] = from[change.node];
  write_record(taken ? static_cast<std::int64_t>(changes.size()) : 0, surrogate, active, proven);
  return gained;
}

bool MoveLoop::make(ConvexProblem problem, std::int64_t active) {
  begin_iteration();
  const MoveSolution solution = engine().solve(std::move(problem), result_.labels, control_);
  return finish_iteration(solution.labels, solution.start - solution.energy, active,
                          solution.proven);
}

bool MoveLoop::make(BinaryMove& move) {
  begin_iteration();
  const std::vector<LabelChange>& changes = move.solve(result_.labels);
  const std::optional<std::int64_t> gain =
      move.is_true_energy() ? std::nullopt : std::optional(move.gain());
  return finish_iteration(changes, gain, move.active(), move.is_optimal());
}

void MoveLoop::claim_optimal() {
  if (!result_.proven.value_or(false)) return;
  // The labelling that the cut found may have been refused because it is no better in the caller's
  // numbers. Its energy in integers is then below the current one, and is the bound.
  result_.lower_bound = in_units(std::min(value_, last_surrogate_));
  result_.trace.back().lower_bound = result_.lower_bound;
  throw Finished{"optimal", this};
}

Labelling MoveLoop::descend(void (*method)(MoveLoop&), Labelling start,
                            std::int64_t most_iterations, Strategy strategy) {
  Settings settings = settings_;
  settings.strategy = strategy;
  settings.max_iterations = most_iterations;
  MoveLoop* inner = nullptr;
  const auto offer = [&](const Record& record) {
    begin_iteration();
    const auto surrogate =
        inner->value() + static_cast<std::int64_t>(std::llround(
                             (record.surrogate_energy - record.energy) * numbers_.scale));
    finish_iteration(inner->labels(), value_ - surrogate, record.active, record.proven);
    return false;
  };
  MoveLoop loop(energy_, std::move(start), std::move(settings), numbers_, offer, workspace_,
                control_);
  inner = &loop;
  try {
    method(loop);
  } catch (const Finished& finished) {
    if (finished.loop != &loop) throw;
  }
  return loop.labels();
}

void MoveLoop::default_iterations(std::int64_t most) {
  if (settings_.max_iterations < 0) settings_.max_iterations = most;
}

void MoveLoop::raise_bound(std::int64_t bound) {
  bound_ = bound_ ? std::max(*bound_, bound) : bound;
  result_.lower_bound = in_units(*bound_);
}

double MoveLoop::gap() const {
  const double energy = in_units(value_);
  if (!bound_ || energy == 0) return std::numeric_limits<double>::infinity();
  return (energy - in_units(*bound_)) / std::fabs(energy);
}

// A bound for methods that have none of their own.
void MoveLoop::sweep_for_bound() {
  if (settings_.bound_sweeps == 0) return;
  Trws trws(energy_, settings_.engine, control_);
  raise_bound(trws.lower_bound());
  const double patience = kTimeForBound * control_.time_limit();
  double start = 0, last = 0;
  for (int k = 0; k < settings_.bound_sweeps && control_.seconds() < patience; ++k) {
    trws.sweep(control_);
    raise_bound(trws.lower_bound());
    if (meets_bound()) {
      result_.proven = true;
      certify(trws);
      throw Finished{"optimal", this};
    }
    // On chains and trees one sweep finds the optimum, bound and labelling.
    if (energy_.graph.topology().is_forest() && settings_.max_iterations != 0) {
      certify(trws);
      const Trws::Decoded found = trws.decode(control_);
      begin_iteration();
      set_step("sweep");
      finish_proposal(found.x, found.energy, taking_part_);
      set_step("");
      return;
    }
    const double bound = trws.exact_bound();
    if (k == 0) start = bound;
    if (k > 1 && bound - last <= kSlowGain * (bound - start)) break;
    last = bound;
  }
  certify(trws);
}

Trws& MoveLoop::messages() {
  std::unique_ptr<Trws>& kept = workspace_.messages;
  if (!messages_) {
    if (!kept || !kept->take(energy_, control_)) {
      kept.reset();  // frees their memory before the new ones take theirs
      kept = std::make_unique<Trws>(energy_, settings_.engine, control_);
      workspace_.last_gain = -1;
    }
    messages_ = kept.get();
  }
  return *messages_;
}

void MoveLoop::keep_certified(double bound) {
  std::optional<double>& kept = result_.certified_bound;
  kept = kept ? std::max(*kept, bound) : bound;
}

void MoveLoop::certify(Trws& trws) {
  if (numbers_.true_costs)
    keep_certified(trws.certified_bound(*numbers_.true_costs, numbers_.scale, control_));
}

// The bound in the caller's numbers, at the end of a run: from messages on g, or, where g is
// convex, from those of the last move, which was the whole problem.
void MoveLoop::certify() {
  if (!numbers_.true_costs) return;
  if (proof_) keep_certified(proof_->certified_bound(*numbers_.true_costs, numbers_.scale));
  if (messages_) return certify(*messages_);
  const Engine::Dual dual = engine().dual();
  if (!dual.messages || !is_convex(energy_)) return;
  const double unit = 1 / (static_cast<double>(dual.scale) * numbers_.scale);
  keep_certified(certified_bound(energy_.graph, energy_.labels, *dual.messages, true, unit,
                                 *numbers_.true_costs, control_));
}

void MoveLoop::sweep() {
  control_.poll();
  messages().sweep(settings_.certificate ? unlimited_ : control_);
}

std::vector<double> MoveLoop::beliefs() {
  const bool fresh = !messages_;
  Trws& trws = messages();
  for (int k = 0; fresh && k < kSweepsForBeliefs; ++k) trws.sweep(control_);
  std::vector<double> beliefs = trws.beliefs(control_);
  for (double& belief : beliefs) belief /= numbers_.scale;
  return beliefs;
}

// Certifies the higher of the two bounds. Not stopped by the time limit: it takes little time.
void MoveLoop::write_certificate() {
  if (!messages_) return;
  const bool is_proof = proof_ && proof_->exact_bound() >= messages_->exact_bound();
  result_.certificate = is_proof ? proof_->certificate() : certificate_of(*messages_, unlimited_);
}

RunResult MoveLoop::run(const std::function<void(MoveLoop&)>& method) {
  bool in_time = true;
  engine().begin_run();
  try {
    sweep_for_bound();
    method(*this);
    result_.status = "converged";
  } catch (const Finished& finished) {
    result_.status = finished.status;
  } catch (const Stopped& stopped) {
    result_.status = status_of(stopped.reason);
    in_time = false;
  }
  if (settings_.certificate) write_certificate();
  try {
    if (in_time) certify();
    if (settings_.beliefs) result_.beliefs = beliefs();
  } catch (const Stopped& stopped) {
    // Out of time only after the run itself had ended: its status stands.
    if (stopped.reason == StopReason::interrupted) result_.status = status_of(stopped.reason);
  }
  for (const auto& [name, value] : engine().statistics()) result_.statistics[name] += value;
  return std::move(result_);
}

}  // namespace rangemoves
