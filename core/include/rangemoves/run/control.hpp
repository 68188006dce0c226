// Progress and cancellation: the one object through which the outside world reaches a running
// solver.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

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

  // To be called, from the thread that called the solver, in every loop that can last: throws
  // Stopped.
  void poll() {
    const auto now = Clock::now();
    if (has_deadline_ && now >= deadline_) stop(StopReason::time_limit);
    if (now < next_check_) return;
    next_check_ = now + std::chrono::milliseconds(20);
    if (interrupted_ && interrupted_()) stop(StopReason::interrupted);
  }

  // What helper threads look at: they never throw, they return early.
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // In seconds; infinite where there is none.
  double time_limit() const {
    if (!has_deadline_) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(deadline_ - start_).count();
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  [[noreturn]] void stop(StopReason reason) {
    stopping_.store(true, std::memory_order_relaxed);
    throw Stopped{reason};
  }

  Clock::time_point start_, next_check_, deadline_{};
  bool has_deadline_ = false;
  std::function<bool()> interrupted_;
  std::atomic<bool> stopping_{false};
};

// Fresh memory comes page by page: a few gigabytes take seconds. These fill it piece by piece and
// poll in between. Watcher: whatever has a poll().
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

template <class T>
std::vector<T> copy_polling(const T* from, std::size_t count, Control& control) {
  std::vector<T> copy;
  copy.reserve(count);
  while (copy.size() < count) {
    const T* begin = from + copy.size();
    copy.insert(copy.end(), begin, begin + std::min(count - copy.size(), kPolledPiece));
    control.poll();
  }
  return copy;
}

}  // namespace rangemoves
