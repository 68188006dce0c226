#include "rangemoves/run/pipeline.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

std::int64_t Pipeline::run(
    int threads, Control& control,
    const std::function<std::int64_t(std::int32_t, std::int32_t, std::int32_t, int)>& work) const {
  // With one thread only a poll cuts a row into pieces.
  constexpr std::int32_t piece = kPiece, piece_alone = 256;
  threads = std::max(1, std::min(threads, static_cast<int>(rows)));
  if (threads == 1) {
    std::int64_t sum = 0;
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t first = 0; first < length; first += piece_alone) {
        control.poll();
        sum += work(row, first, std::min(length, first + piece_alone), 0);
      }
    }
    return sum;
  }

  const auto finished =
      std::make_unique<std::atomic<std::int32_t>[]>(static_cast<std::size_t>(rows));
  for (std::int32_t row = 0; row < rows; ++row) finished[row].store(0, std::memory_order_relaxed);
  std::atomic<std::int32_t> next{0};
  std::atomic<bool> give_up{false};
  std::vector<std::int64_t> sums(static_cast<std::size_t>(threads), 0);

  const auto ready = [&](std::int32_t row, std::int32_t last) {
    for (const RowDependency& d : depends_on[row]) {
      const std::int32_t needed = std::min(length, std::max(0, last + d.lead));
      if (finished[d.row].load(std::memory_order_acquire) < needed) return false;
    }
    return true;
  };
  const auto walk = [&](int thread) {
    for (std::int32_t row; (row = next.fetch_add(1)) < rows;) {
      for (std::int32_t first = 0; first < length; first += piece) {
        const std::int32_t last = std::min(length, first + piece);
        for (int spins = 0; !ready(row, last); ++spins) {
          if (give_up.load(std::memory_order_relaxed)) return;
          if (thread == 0) control.poll();
          if (spins > 64) std::this_thread::yield();
        }
        if (give_up.load(std::memory_order_relaxed)) return;
        if (thread == 0) control.poll();
        sums[thread] += work(row, first, last, thread);
        finished[row].store(last, std::memory_order_release);
      }
    }
  };

  Helpers helpers;
  try {
    for (int t = 1; t < threads; ++t) helpers.start([&walk, t] { walk(t); });
    walk(0);
    helpers.wait(control);
  } catch (...) {
    give_up.store(true);
    throw;
  }
  std::int64_t sum = 0;
  for (const std::int64_t s : sums) sum += s;
  return sum;
}

}  // namespace rangemoves
