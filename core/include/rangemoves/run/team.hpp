// Threads that stay together for a run: to wake one takes a few microseconds, to make one more than
// a short sweep can win back.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rangemoves {

// One thread owns a team: it alone calls begin() and wait(), in turns.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  ~Team();

  // Starts work(1) .. work(parts - 1), each in a thread of its own. The work must not throw, and
  // must stay where it is until wait() has returned.
  void begin(int parts, const std::function<void(int)>& work);
  // Between begin() and the end of wait().
  bool is_busy() const { return is_busy_; }

  // Until all of it has ended; calls poll() in between. Where that throws, so does this, and the
  // caller must make the work end and wait again.
  template <class Poll>
  void wait(Poll&& poll) {
    if (!spin([this] { return running_.load(std::memory_order_acquire) == 0; })) {
      std::unique_lock<std::mutex> lock(mutex_);
      while (running_.load(std::memory_order_acquire) > 0) {
        ended_.wait_for(lock, std::chrono::milliseconds(10));
        poll();
      }
    }
    is_busy_ = false;
  }

  // Looks again and again whether something is so, for about as long as it takes to fall asleep and
  // to be woken. Returns whether it was.
  template <class IsSo>
  static bool spin(IsSo&& is_so) {
    for (int k = 0; k < kLooks; ++k) {
      if (is_so()) return true;
      if (k >= kEagerLooks) std::this_thread::yield();
    }
    return false;
  }

 private:
  static constexpr int kEagerLooks = 256, kLooks = 384;
  static constexpr std::uint64_t kEnd = 0, kMostParts = 1 << 16;

  // What is to be done: rounds times kMostParts, plus the number of parts. One number, so that a
  // thread without a part reads both of the same round.
  std::atomic<std::uint64_t> order_{kMostParts};
  std::atomic<int> running_{0};
  const std::function<void(int)>* work_ = nullptr;
  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  bool is_busy_ = false;
  std::vector<std::thread> threads_;

  void serve(int part, std::uint64_t last);
};

}  // namespace rangemoves
