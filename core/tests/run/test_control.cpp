// Limits of time and memory, and interruption: through polls, and out of threads.
#include "rangemoves/run/control.hpp"

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "rangemoves/run/memory_limit.hpp"
#include "rangemoves/run/parallel.hpp"

using namespace rangemoves;

namespace {

void no_limits() {
  Control control;
  for (int k = 0; k < 1000; ++k) control.poll();
  expect(std::isinf(control.time_limit()), "no limit of time");
  const double seconds = control.seconds();
  expect(seconds >= 0 && control.seconds() >= seconds, "time goes on");
}

void time_limit() {
  Control control({}, 0);
  expect(control.time_limit() == 0, "the limit as given");
  bool stopped = false;
  try {
    control.poll();
  } catch (const Stopped& stop) {
    stopped = stop.reason == StopReason::time_limit;
  }
  expect(stopped, "a limit of zero ends at the first poll");
}

void interruption() {
  int asked = 0;
  Control control([&] { return ++asked == 2; });
  bool stopped = false;
  try {
    while (control.seconds() < 10) control.poll();
  } catch (const Stopped& stop) {
    stopped = stop.reason == StopReason::interrupted;
  }
  expect(stopped && asked == 2, "the user is asked until the answer is yes");
}

void filling_polls() {
  int asked = 0;
  Control control([&] { return ++asked > 0; });
  std::vector<int> values;
  bool stopped = false;
  try {
    assign_polling(values, 3 * kPolledPiece, 7, control);
  } catch (const Stopped&) {
    stopped = true;
  }
  expect(stopped && values.size() < 3 * kPolledPiece, "filling can be interrupted half way");
  Control patient;
  assign_polling(values, 2 * kPolledPiece + 1, 7, patient);
  expect(values.size() == 2 * kPolledPiece + 1 && values.back() == 7, "or goes to the end");
}

void parts() {
  Control control;
  std::vector<int> done(4, 0);
  in_parallel(4, control, [&](int part, Watch& watch) {
    watch.poll();
    done[static_cast<std::size_t>(part)] = part + 1;
  });
  expect(done == std::vector<int>({1, 2, 3, 4}), "every part is done once");
}

void items_shared_out() {
  Control control;
  for (const int threads : {1, 3, 20}) {
    std::vector<int> done(17, 0);
    share_out(17, threads, control,
              [&](std::int32_t item, Watch&) { ++done[static_cast<std::size_t>(item)]; });
    expect(done == std::vector<int>(17, 1), "every item is done once", threads);
  }
  std::atomic<int> wrong{0};
  share_out(100, 3, control, [&](std::int32_t, Watch&, int thread) {
    if (thread < 0 || thread >= 3) ++wrong;
  });
  expect(wrong == 0, "threads are numbered from 0");
  share_out(0, 2, control, [](std::int32_t, Watch&) { throw std::logic_error("no item"); });
}

void parts_that_fail() {
  Control control;
  std::atomic<bool> others_ended{false};
  std::string what;
  try {
    in_parallel(2, control, [&](int part, Watch& watch) {
      if (part == 1) throw std::runtime_error("part 1");
      while (true) {  // ends because the other part has given up
        try {
          watch.poll();
        } catch (const Watch::GivenUp&) {
          others_ended = true;
          throw;
        }
      }
    });
  } catch (const std::runtime_error& error) {
    what = error.what();
  }
  expect(what == "part 1" && others_ended, "what a part throws ends the others and comes out");
}

void parts_in_time() {
  Control control({}, 0.05);
  bool stopped = false;
  try {
    in_parallel(2, control, [](int, Watch& watch) {
      while (true) watch.poll();
    });
  } catch (const Stopped& stop) {
    stopped = stop.reason == StopReason::time_limit;
  }
  expect(stopped, "a limit of time ends all parts");
}

void memory_limit() {
  EngineOptions options;
  require_memory(INT64_MAX, options, "everything");
  options.max_memory = 1000;
  require_memory(1000, options, "as much as there is");
  std::string what;
  try {
    require_memory(1001, options, "a byte more");
  } catch (const MemoryShortage& error) {
    what = error.what();
  }
  expect(what.find("a byte more") != std::string::npos, "a shortage says what for");
}

}  // namespace

int main() {
  no_limits();
  time_limit();
  interruption();
  filling_polls();
  parts();
  items_shared_out();
  parts_that_fail();
  parts_in_time();
  memory_limit();
  return 0;
}
