#include "rangemoves/run/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "rangemoves/run/team.hpp"

namespace rangemoves {

namespace {

using Work = std::function<std::int64_t(std::int32_t, std::int32_t, std::int32_t, int)>;

// A single thread has no row to wait for: pieces are there only to poll in between.
constexpr std::int32_t kPieceAlone = 256;
// Looks at unfinished rows before a thread lets others run. A piece takes microseconds.
constexpr int kSpins = 64;
// So often it lets others run before it sleeps. On a busy machine the row it waits for may belong
// to a thread that is not running, and who only ever steps aside is served last.
constexpr int kYields = 64;
constexpr std::chrono::microseconds kNap{20};

std::int64_t run_alone(const Pipeline& pipeline, Control& control, const Work& work) {
  std::int64_t sum = 0;
  for (std::int32_t row = 0; row < pipeline.rows; ++row) {
    for (std::int32_t first = 0; first < pipeline.length; first += kPieceAlone) {
      control.poll();
      sum += work(row, first, std::min(pipeline.length, first + kPieceAlone), 0);
    }
  }
  return sum;
}

// What the threads share: how far each row is, and the next row to be taken.
class SharedRows {
 public:
  SharedRows(const Pipeline& pipeline, Control& control)
      : pipeline_(pipeline),
        control_(control),
        finished_(static_cast<std::size_t>(pipeline.rows)) {}

  // Takes one row after the other and works through it. Returns the sum of what the work returned.
  std::int64_t walk(int thread, const Work& work) {
    const std::int32_t length = pipeline_.length;
    std::int64_t sum = 0;
    for (std::int32_t row; (row = next_.fetch_add(1)) < pipeline_.rows;) {
      for (std::int32_t first = 0; first < length; first += Pipeline::kPiece) {
        const std::int32_t last = std::min(length, first + Pipeline::kPiece);
        if (!wait_until_ready(row, last, thread)) return sum;
        sum += work(row, first, last, thread);
        finished_[row].positions.store(last, std::memory_order_release);
      }
    }
    return sum;
  }

  // All threads return before their next piece.
  void give_up() { give_up_.store(true); }

 private:
  const Pipeline& pipeline_;
  Control& control_;
  // Positions of each row. Rows next to each other are worked on by different threads: in one cache
  // line, every report of one would slow down the others.
  struct alignas(64) Finished {
    std::atomic<std::int32_t> positions{0};
  };
  std::vector<Finished> finished_;
  std::atomic<std::int32_t> next_{0};
  std::atomic<bool> give_up_{false};

  bool is_ready(std::int32_t row, std::int32_t last) const {
    for (const RowDependency& d : pipeline_.depends_on[row]) {
      const std::int32_t needed = std::min(pipeline_.length, std::max(0, last + d.lead));
      if (finished_[d.row].positions.load(std::memory_order_acquire) < needed) return false;
    }
    return true;
  }

  // False where the run was given up. Only the calling thread may poll.
  bool wait_until_ready(std::int32_t row, std::int32_t last, int thread) {
    for (int spins = 0;; ++spins) {
      const bool ready = is_ready(row, last);
      if (give_up_.load(std::memory_order_relaxed)) return false;
      if (thread == 0) control_.poll();
      if (ready) return true;
      if (spins > kSpins + kYields)
        std::this_thread::sleep_for(kNap);
      else if (spins > kSpins)
        std::this_thread::yield();
    }
  }
};

}  // namespace

std::int64_t Pipeline::run(int threads, Control& control, const Work& work) const {
  threads = std::max(1, std::min(threads, static_cast<int>(rows)));
  if (threads == 1) return run_alone(*this, control, work);

  SharedRows shared(*this, control);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(threads), 0);
  const std::function<void(int)> walk = [&](int t) {
    sums[static_cast<std::size_t>(t)] = shared.walk(t, work);
  };
  Team& team = control.idle_team();
  team.begin(threads, walk);
  try {
    walk(0);
    team.wait([&] { control.poll(); });
  } catch (...) {
    shared.give_up();
    team.wait([] {});
    throw;
  }
  std::int64_t sum = 0;
  for (const std::int64_t s : sums) sum += s;
  return sum;
}

}  // namespace rangemoves
