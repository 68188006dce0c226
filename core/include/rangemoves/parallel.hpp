// Parts of a piece of work that have nothing to do with each other, each in a thread of its own.
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "rangemoves/control.hpp"

namespace rangemoves {

// What a part looks at now and then, as others look at Control: the thread that called asks that,
// all others whether somebody has given up.
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
  const auto run = [&](int part) {
    try {
      Watch watch(part == 0 ? &control : nullptr, give_up);
      work(part, watch);
    } catch (const Watch::GivenUp&) {
    } catch (...) {
      thrown[static_cast<std::size_t>(part)] = std::current_exception();
      give_up.store(true, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> helpers;
  for (int part = 1; part < parts; ++part) helpers.emplace_back(run, part);
  run(0);
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& what : thrown)
    if (what) std::rethrow_exception(what);
}

}  // namespace rangemoves
