// Independent parts of a piece of work, each in a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>
#include <vector>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

// The Control of one part: poll() asks the real Control in the calling thread, and in every thread
// whether another part has failed.
class Watch {
 public:
  struct GivenUp {};

  Watch(Control* control, const std::atomic<bool>& give_up)
      : control_(control), give_up_(give_up) {}

  void poll() {
    if (give_up_.load(std::memory_order_relaxed)) throw GivenUp{};
    if (control_) control_->poll();
  }

 private:
  Control* control_;
  const std::atomic<bool>& give_up_;
};

// work(part, watch) for part = 0 .. parts-1, the first of them in the calling thread. Throws what
// one of them threw.
template <class Work>
void in_parallel(int parts, Control& control, Work&& work) {
  std::atomic<bool> give_up{false};
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(parts));
  const std::function<void(int)> run = [&](int part) {
    try {
      Watch watch(part == 0 ? &control : nullptr, give_up);
      work(part, watch);
    } catch (const Watch::GivenUp&) {
    } catch (...) {
      thrown[static_cast<std::size_t>(part)] = std::current_exception();
      give_up.store(true, std::memory_order_relaxed);
    }
  };
  if (parts > 1) {
    Team& team = control.idle_team();
    team.begin(parts, run);
    run(0);
    try {
      team.wait([&] { control.poll(); });
    } catch (...) {
      give_up.store(true, std::memory_order_relaxed);
      if (!thrown[0]) thrown[0] = std::current_exception();
      team.wait([] {});
    }
  } else {
    run(0);
  }
  for (const std::exception_ptr& what : thrown)
    if (what) std::rethrow_exception(what);
}

// work(item, watch) for item = 0 .. items-1, which do not depend on each other: whoever is done
// takes the next one. Or work(item, watch, thread), for work with memory of its own per thread.
template <class Work>
void share_out(std::int32_t items, int threads, Control& control, Work&& work) {
  std::atomic<std::int32_t> next{0};
  in_parallel(threads, control, [&](int thread, Watch& watch) {
    for (std::int32_t item; (item = next.fetch_add(1)) < items;) {
      watch.poll();
      if constexpr (std::is_invocable_v<Work&, std::int32_t, Watch&, int>)
        work(item, watch, thread);
      else
        work(item, watch);
    }
  });
}

}  // namespace rangemoves
