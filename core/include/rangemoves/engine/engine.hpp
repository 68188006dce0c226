// What solves a move exactly. Two engines stand behind one interface: `reference` cuts the whole
// Ishikawa graph and is the oracle; `dual` sends messages first, cuts a narrow band and proves the
// answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/memory_limit.hpp"
#include "rangemoves/run/settings.hpp"

namespace rangemoves {

class Messages;

struct MoveSolution {
  Labelling labels;
  std::int64_t energy = 0;
  std::int64_t start = 0;        // the energy of the labelling that the move began with
  std::int64_t lower_bound = 0;  // of the convex problem
  bool proven = false;           // lower_bound = energy
  bool near_changes = false;     // solving parts near what changed was enough
};

// Adds the time until the end of a scope to a sum.
class Lap {
 public:
  Lap(double& sum, const Control& control)
      : sum_(sum), control_(control), start_(control.seconds()) {}
  ~Lap() { sum_ += control_.seconds() - start_; }
  Lap(const Lap&) = delete;

 private:
  double& sum_;
  const Control& control_;
  double start_;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // The messages of the last move, as a forward sweep left them, and the factor on its costs; null
  // where the engine has none.
  struct Dual {
    Messages* messages = nullptr;
    std::int64_t scale = 1;
  };
  // What is known from an earlier move from which this one differs in a few variables.
  struct Recall {
    std::function<void(const Dual&)> write;    // sets the messages that it ended with
    const std::vector<std::int32_t>& changed;  // whose costs, edges or labels are others now
  };
  // The answer is never worse than `current`, which must lie in the intervals.
  // Takes the problem by value: move it here to save a copy. Engines without messages do not ask
  // what to recall.
  virtual MoveSolution solve(ConvexProblem problem, const Labelling& current, Control& control,
                             const Recall* recall) = 0;
  MoveSolution solve(ConvexProblem problem, const Labelling& current, Control& control) {
    return solve(std::move(problem), current, control, nullptr);
  }
  virtual std::string name() const = 0;
  virtual Dual dual() const { return {}; }
  // Seconds by step, sweeps, nodes: where the time went.
  const std::map<std::string, double>& statistics() const { return statistics_; }
  // Another run begins, perhaps of a problem that has changed since.
  virtual void begin_run() {
    statistics_.clear();
    is_first_move_ = true;
  }

 protected:
  std::map<std::string, double> statistics_;
  bool is_first_move_ = true;  // of this run
};

std::unique_ptr<Engine> make_engine(const EngineOptions& options);

}  // namespace rangemoves
