// Progress and cancellation: the one object through which the outside world reaches a running
// solver.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "rangemoves/run/team.hpp"

namespace rangemoves {

enum class StopReason { time_limit, interrupted };

// Thrown out of the deepest loop when the run has to end; the move loop catches it and keeps the
// best labelling.
struct Stopped {
  StopReason reason;
};

class Control {
 public:
  using Clock = std::chrono::steady_clock;

  // `interrupted` answers whether the user asked to stop (it may be slow: it is called at most
  // every 20 ms, and only from the thread that called the solver).
  explicit Control(std::function<bool()> interrupted = {}, double time_limit_seconds = -1)
      : start_(Clock::now()), next_check_(start_), interrupted_(std::move(interrupted)) {
    if (time_limit_seconds >= 0) {
      has_deadline_ = true;
      deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(time_limit_seconds));
    }
  }
  Control(const Control&) = delete;  // there is one clock
  Control& operator=(const Control&) = delete;

  // To be called, from the thread that called the solver, in every loop that can last: throws
  // Stopped.
  void poll() {
    const auto now = Clock::now();
    if (has_deadline_ && now >= deadline_) throw Stopped{StopReason::time_limit};
    if (now < next_check_) return;
    next_check_ = now + std::chrono::milliseconds(20);
    if (interrupted_ && interrupted_()) throw Stopped{StopReason::interrupted};
  }

  // In seconds; infinite where there is none.
  double time_limit() const {
    if (!has_deadline_) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(deadline_ - start_).count();
  }

  // Threads for this run, which wait for work from one call to the next. Within the work of a team
  // there is another one. To be called from the thread that called the solver.
  Team& idle_team() {
    for (const std::unique_ptr<Team>& team : teams_)
      if (!team->is_busy()) return *team;
    teams_.push_back(std::make_unique<Team>());
    return *teams_.back();
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  Clock::time_point start_, next_check_, deadline_{};
  bool has_deadline_ = false;
  std::function<bool()> interrupted_;
  std::vector<std::unique_ptr<Team>> teams_;
};

// For loops of short steps: polls once in many calls; never where there is no control.
class PollSometimes {
 public:
  explicit PollSometimes(Control* control) : control_(control) {}
  void operator()() {
    if (control_ && ++count_ % kCalls == 0) control_->poll();
  }

 private:
  static constexpr std::uint32_t kCalls = 1 << 16;  // well below a second of any such loop
  Control* control_;
  std::uint32_t count_ = 0;
};

// Fresh memory comes page by page: a few gigabytes take seconds. This fills it piece by piece and
// polls in between. Watcher: whatever has a poll().
constexpr std::size_t kPolledPiece = std::size_t{1} << 18;

template <class Vector, class Watcher>
void assign_polling(Vector& to, std::size_t count, const typename Vector::value_type& value,
                    Watcher& watcher) {
  to.clear();
  to.reserve(count);
  while (to.size() < count) {
    to.resize(std::min(count, to.size() + kPolledPiece), value);
    watcher.poll();
  }
}

}  // namespace rangemoves
