// Threads that wait for the next round of work: each does its part, once a round.
#include "rangemoves/run/team.hpp"

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/parallel.hpp"

using namespace rangemoves;

namespace {

const auto no_poll = [] {};

// Rounds of all sizes: those without a part must neither work nor miss the next round.
void every_part_once_a_round() {
  Team team;
  for (int round = 0; round < 2000; ++round) {
    const int parts = 1 + round % 5;
    std::vector<int> done(5, 0);
    const std::function<void(int)> work = [&](int part) { ++done[static_cast<std::size_t>(part)]; };
    team.begin(parts, work);
    expect(team.is_busy(), "busy while it works", round);
    team.wait(no_poll);
    expect(!team.is_busy(), "idle afterwards", round);
    for (int part = 0; part < 5; ++part)
      expect(done[static_cast<std::size_t>(part)] == (part > 0 && part < parts), "once", round);
  }
}

// Those who wait fall asleep; they must wake up.
void after_a_rest() {
  Team team;
  std::set<std::thread::id> threads;
  for (int round = 0; round < 3; ++round) {
    const std::function<void(int)> work = [&](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      threads.insert(std::this_thread::get_id());
    };
    team.begin(2, work);
    team.wait(no_poll);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  expect(threads.size() == 1, "the same thread in every round");
}

void polls_while_it_waits() {
  Team team;
  std::atomic<bool> end{false};
  const std::function<void(int)> work = [&](int) {
    while (!end) std::this_thread::yield();
  };
  team.begin(3, work);
  bool thrown = false;
  try {
    team.wait([] { throw std::runtime_error("enough"); });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  expect(thrown && team.is_busy(), "what a poll throws comes out, and the work goes on");
  bool refused = false;
  try {
    team.begin(2, work);
  } catch (const std::logic_error&) {
    refused = true;
  }
  expect(refused, "no second work beside the first");
  end = true;
  team.wait(no_poll);
}

// Work within the work of a team: by another one.
void within_each_other() {
  Control control;
  std::vector<int> done(12, 0);
  in_parallel(3, control, [&](int outer, Watch&) {
    if (outer > 0) return;
    share_out(12, 2, control,
              [&](std::int32_t item, Watch&) { ++done[static_cast<std::size_t>(item)]; });
  });
  expect(done == std::vector<int>(12, 1), "every item is done once");
}

}  // namespace

int main() {
  every_part_once_a_round();
  after_a_rest();
  polls_while_it_waits();
  within_each_other();
}
