#include "rangemoves/move_loop.hpp"

#include <utility>

namespace rangemoves {

MoveLoop::MoveLoop(const Energy& energy, Labelling start, Settings settings, Control& control)
    : energy_(energy),
      settings_(std::move(settings)),
      control_(control),
      engine_(make_engine(settings_.engine)),
      huber_(tight_surrogate(energy.g, convex_range(energy.g))) {
  result_.labels = std::move(start);
  value_ = energy_(result_.labels);
  exact_value_ = settings_.evaluate ? settings_.evaluate(result_.labels) : in_units(value_);
}

void MoveLoop::begin_iteration() {
  if (settings_.max_iterations >= 0 && result_.iterations >= settings_.max_iterations)
    throw Finished{"iteration_limit"};
  control_.poll();
}

bool MoveLoop::finish_iteration(const Labelling& candidate, std::int64_t surrogate_gain,
                                std::int64_t active, bool proven) {
  const std::int64_t surrogate = value_ - surrogate_gain;  // both agree at the current labelling
  const std::int64_t value = energy_(candidate);
  bool taken = value < value_;
  if (taken && settings_.evaluate) {
    // Rounded costs may see a gain that the caller's own numbers do not.
    const double exact = settings_.evaluate(candidate);
    taken = exact < exact_value_;
    if (taken) exact_value_ = exact;
  } else if (taken) {
    exact_value_ = in_units(value);
  }

  Record record;
  if (taken) {
    for (std::size_t i = 0; i < candidate.size(); ++i)
      record.changed += candidate[i] != result_.labels[i];
    result_.labels = candidate;
    value_ = value;
  }
  record.iteration = ++result_.iterations;
  record.seconds = control_.seconds();
  record.energy = exact_value_;
  record.huber_energy = in_units(energy_.with_table(result_.labels, huber_));
  record.surrogate_energy = in_units(surrogate);
  record.active = active;
  record.lower_bound = result_.lower_bound;
  record.proven = proven;
  result_.proven = proven && result_.proven.value_or(true);
  result_.trace.push_back(record);
  if (settings_.on_iteration && settings_.on_iteration(record)) throw Finished{"stopped"};
  return taken;
}

bool MoveLoop::make(const ConvexProblem& problem, std::int64_t active) {
  begin_iteration();
  const MoveSolution solution = engine_->solve(problem, result_.labels, control_);
  return finish_iteration(solution.labels, problem.energy(result_.labels) - solution.energy, active,
                          solution.proven);
}

void MoveLoop::claim_optimal() {
  if (!result_.proven.value_or(false)) return;
  result_.lower_bound = in_units(value_);
  result_.trace.back().lower_bound = result_.lower_bound;
  throw Finished{"optimal"};
}

RunResult MoveLoop::run(const std::function<void(MoveLoop&)>& method) {
  try {
    method(*this);
    result_.status = "converged";
  } catch (const Finished& finished) {
    result_.status = finished.status;
  } catch (const Stopped& stopped) {
    result_.status = stopped.reason == StopReason::time_limit ? "time_limit" : "interrupted";
  }
  for (const auto& [name, value] : engine_->statistics()) result_.statistics[name] += value;
  return std::move(result_);
}

}  // namespace rangemoves
