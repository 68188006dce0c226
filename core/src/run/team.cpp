#include "rangemoves/run/team.hpp"

#include <stdexcept>

namespace rangemoves {

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    order_.store(kEnd);
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::begin(int parts, const std::function<void(int)>& work) {
  if (is_busy_ || parts < 1 || static_cast<std::uint64_t>(parts) >= kMostParts)
    throw std::logic_error("a team does one thing at a time, in one or more parts");
  const std::uint64_t last = order_.load(std::memory_order_relaxed);
  while (static_cast<int>(threads_.size()) + 1 < parts)
    threads_.emplace_back(
        [this, part = static_cast<int>(threads_.size()) + 1, last] { serve(part, last); });
  is_busy_ = true;
  work_ = &work;
  running_.store(parts - 1, std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    order_.store((last / kMostParts + 1) * kMostParts + static_cast<std::uint64_t>(parts),
                 std::memory_order_release);
  }
  begun_.notify_all();
}

void Team::serve(int part, std::uint64_t last) {
  while (true) {
    const auto is_new = [&] { return order_.load(std::memory_order_acquire) != last; };
    if (!spin(is_new)) {
      std::unique_lock<std::mutex> lock(mutex_);
      begun_.wait(lock, is_new);
    }
    last = order_.load(std::memory_order_acquire);
    if (last == kEnd) return;
    if (static_cast<std::uint64_t>(part) >= last % kMostParts) continue;
    (*work_)(part);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) > 1) continue;
    // Under the lock: whoever waits has either seen this or is asleep by now.
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_.notify_one();
  }
}

}  // namespace rangemoves
