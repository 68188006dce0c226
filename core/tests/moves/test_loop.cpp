// The loop that all methods share: what it takes, what it writes down, and when it ends.
#include "rangemoves/moves/loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "rangemoves/moves/methods.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

oracles::OwnedEnergy some_energy(std::uint64_t seed, bool several = true) {
  Random random(seed);
  std::vector<Table> tables{oracles::truncated(4, 2, 4)};
  if (several) tables.push_back(oracles::truncated(4, 1, 2));
  return oracles::random_energy(random, oracles::grid(2, 4), tables);
}

struct Run {
  Settings settings;
  CallersNumbers numbers;
  OnIteration on_iteration;
  Control control;

  RunResult operator()(const Energy& energy, const Labelling& start,
                       const std::function<void(MoveLoop&)>& method) {
    Workspace workspace;
    return MoveLoop(energy, start, settings, numbers, on_iteration, workspace, control).run(method);
  }
};

// Offers labellings in all three ways; the energy follows the lowest of them.
void takes_only_what_is_lower(std::int64_t seed) {
  const oracles::OwnedEnergy owned = some_energy(static_cast<std::uint64_t>(seed), seed % 2 == 0);
  const Energy energy = owned.view();
  Random random(static_cast<std::uint64_t>(seed));
  std::int64_t offered = 0;
  Run run;
  const Labelling start = oracles::random_labelling(random, energy);
  const RunResult result = run(energy, start, [&](MoveLoop& loop) {
    for (int k = 0; k < 30; ++k, ++offered) {
      const std::int64_t before = loop.value();
      const Labelling kept = loop.labels();
      Labelling candidate = k % 3 == 2 ? kept : oracles::random_labelling(random, energy);
      std::vector<LabelChange> changes;
      if (k % 3 == 2)
        for (std::int32_t i = 0; i < 3; ++i) {
          const std::int32_t label = (kept[2 * i] + oracles::between(random, 1, 3)) % 4;
          changes.push_back({2 * i, label});
          candidate[2 * i] = label;
        }
      loop.begin_iteration();
      const bool taken = k % 3 == 0   ? loop.finish_proposal(candidate, energy(candidate), 8)
                         : k % 3 == 1 ? loop.finish_iteration(candidate, 0, 8, true)
                                      : loop.finish_iteration(changes, std::nullopt, 3, true);
      expect(taken == (energy(candidate) < before), "taken if and only if lower", seed);
      expect(loop.labels() == (taken ? candidate : kept), "or the labels stay", seed);
      expect(loop.value() == energy(loop.labels()), "the value is that of the labels", seed);
    }
  });
  expect(result.status == "converged", "a method that returns has converged", seed);
  expect(result.iterations == offered && result.trace.size() == 30, "a record each", seed);
  expect(result.start && result.start->iteration == 0 && result.start->changed == 0,
         "the start has a record of its own", seed);
  expect(result.start->energy == static_cast<double>(energy(start)), "with its energy", seed);
  expect(result.start->surrogate_energy == result.start->energy, "which any h has there", seed);
  for (std::size_t k = 0; k < result.trace.size(); ++k) {
    const Record& record = result.trace[k];
    expect(record.iteration == static_cast<std::int64_t>(k) + 1, "numbered from one", seed);
    expect(k == 0 || record.energy <= result.trace[k - 1].energy, "energies never rise", seed);
    expect(record.huber_energy >= record.energy, "E^h lies above", seed);
    expect(record.active == (k % 3 == 2 ? 3 : 8), "how many were active", seed);
  }
  expect(result.trace.back().energy == static_cast<double>(energy(result.labels)),
         "the last record is the result's", seed);
  expect(result.proven == std::optional(false), "proposals are no proofs", seed);
}

// E^h is kept up to date by few changes and by whole labellings alike.
void surrogate_energy_follows() {
  const oracles::OwnedEnergy owned = some_energy(3);
  const Energy energy = owned.view();
  const PerEdge<Table> h =
      energy.g.map([](const Table& g) { return tight_surrogate(g, convex_range(g)); });
  Run run;
  std::vector<double> seen;
  run.on_iteration = [&](const Record& record) {
    seen.push_back(record.huber_energy);
    return false;
  };
  const RunResult result = run(energy, Labelling(8, 0), [&](MoveLoop& loop) {
    for (std::int32_t i = 0; i < 8; ++i)
      for (std::int32_t l = 1; l < 4; ++l) {
        if (loop.labels()[i] == l) continue;
        loop.begin_iteration();
        loop.finish_iteration({{i, l}}, std::nullopt, 1, true);
        expect(seen.back() == static_cast<double>(energy.with_tables(loop.labels(), h)),
               "E^h of the labels");
      }
  });
  expect(result.proven == std::optional(true), "all moves were proven");
}

void limits_end_runs() {
  const oracles::OwnedEnergy owned = some_energy(1);
  const Energy energy = owned.view();
  const Labelling start(8, 0);
  const auto for_ever = [](MoveLoop& loop) {
    while (true) {
      loop.begin_iteration();
      loop.set_step("waiting");
      loop.finish_proposal(loop.labels(), loop.value(), 0);
    }
  };
  Run run;
  run.settings.max_iterations = 3;
  RunResult result = run(energy, start, for_ever);
  expect(result.status == "iteration_limit" && result.iterations == 3, "so many iterations");
  expect(result.trace.back().step == "waiting", "records say what was tried");
  run.settings.max_iterations = -1;
  result = run(energy, start, [&](MoveLoop& loop) {
    loop.default_iterations(5);
    loop.default_iterations(50);
    for_ever(loop);
  });
  expect(result.iterations == 5, "a method's own limit where the caller has none");
  run.settings.max_iterations = 2;
  result = run(energy, start, [&](MoveLoop& loop) {
    loop.default_iterations(5);
    for_ever(loop);
  });
  expect(result.iterations == 2, "the caller's limit goes first");
  run.settings.max_iterations = -1;
  run.on_iteration = [](const Record& record) { return record.iteration == 4; };
  result = run(energy, start, for_ever);
  expect(result.status == "stopped" && result.iterations == 4, "the caller may stop it");

  Control no_time({}, 0);
  Workspace workspace;
  result = MoveLoop(energy, start, {}, {}, {}, workspace, no_time).run(for_ever);
  expect(result.status == "time_limit" && result.labels == start, "no time: the start");
  Control interrupted([] { return true; });
  result = MoveLoop(energy, start, {}, {}, {}, workspace, interrupted).run(for_ever);
  expect(result.status == "interrupted" && result.labels == start, "interrupted: the start");
  expect(std::string(status_of(StopReason::time_limit)) == "time_limit", "in words");
}

void bounds() {
  const oracles::OwnedEnergy owned = some_energy(2);
  const Energy energy = owned.view();
  const std::int64_t optimum = oracles::brute_force(energy);
  Run run;
  RunResult result = run(energy, Labelling(8, 0), [&](MoveLoop& loop) {
    loop.raise_bound(optimum - 5);
    loop.raise_bound(optimum - 9);
    expect(loop.bound() == std::optional(optimum - 5), "a bound never falls");
    loop.begin_iteration();
    loop.finish_proposal(loop.labels(), loop.value(), 0);
  });
  expect(result.lower_bound == std::optional(static_cast<double>(optimum - 5)), "it is reported");
  expect(result.trace.back().lower_bound == result.lower_bound, "and written down");
  expect(result.status == "converged", "a bound below the energy proves nothing");

  const auto find_optimum = [&](MoveLoop& loop) {
    loop.raise_bound(optimum);
    Labelling best = loop.labels();
    oracles::for_each_labelling(Labelling(8, 0), Labelling(8, 3), [&](const Labelling& x) {
      if (energy(x) < energy(best)) best = x;
    });
    loop.begin_iteration();
    loop.finish_proposal(best, energy(best), 8);
    expect(false, "a run whose energy meets its bound ends there");
  };
  result = run(energy, Labelling(8, 0), find_optimum);
  expect(result.status == "optimal" && result.proven == std::optional(true), "proven optimal");

  // Within the tolerance of rounded costs.
  run.numbers.tolerance = 10;
  result = run(energy, result.labels, [&](MoveLoop& loop) {
    loop.raise_bound(optimum - 10);
    loop.begin_iteration();
    loop.finish_proposal(loop.labels(), loop.value(), 0);
  });
  expect(result.status == "optimal", "as close as the tolerance is optimal");
}

void bounds_from_sweeps() {
  const oracles::OwnedEnergy owned = some_energy(4, false);
  const Energy energy = owned.view();
  Run run;
  run.settings.bound_sweeps = 20;
  RunResult result = run(energy, Labelling(8, 0), [](MoveLoop&) {});
  expect(result.lower_bound &&
             *result.lower_bound <= static_cast<double>(oracles::brute_force(energy)),
         "sweeps give a true bound");
  // On a chain they find the labelling too.
  Random random(4);
  const oracles::OwnedEnergy chain = oracles::random_energy(
      random, Neighbourhood(5, {0, 1, 2, 3}, {1, 2, 3, 4}, 0), {oracles::truncated(4, 2, 4)});
  result = run(chain.view(), Labelling(5, 3), [](MoveLoop&) {});
  expect(result.status == "optimal" &&
             chain.view()(result.labels) == oracles::brute_force(chain.view()),
         "a chain is solved by its bound");
}

// The bound does not depend on how often labels are read off the messages.
void labels_now_and_then() {
  constexpr std::int64_t kSweeps = 20, kEvery = 8;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::grid(9, 9), {oracles::truncated(6, 2, 4)});
    const Energy energy = owned.view();
    Run run;
    run.settings.max_iterations = kSweeps;
    const RunResult each = run(energy, Labelling(81, 0), trws);
    run.settings.decode_every = kEvery;
    const RunResult some = run(energy, Labelling(81, 0), trws);
    for (std::size_t k = 0; k < std::min(each.trace.size(), some.trace.size()); ++k) {
      expect(each.trace[k].lower_bound == some.trace[k].lower_bound, "the same bounds", seed);
      expect(some.trace[k].changed == 0 || some.trace[k].iteration % kEvery == 0,
             "labels of some sweeps", seed);
    }
    expect(each.lower_bound == some.lower_bound, "the same in the end", seed);
    const bool looked = some.iterations >= kEvery;
    expect(!looked || some.trace[kEvery - 1].changed > 0, "labels are found", seed);
  }
}

// Rounded costs may see a gain that the caller's numbers do not have.
void callers_numbers_decide() {
  const oracles::OwnedEnergy owned = some_energy(5);
  const Energy energy = owned.view();
  Run run;
  run.numbers.scale = 10;
  run.numbers.offset = 100;
  run.numbers.evaluate = [](const Labelling& x) { return x[0] == 0 ? 1.0 : 2.0; };
  Labelling lower, start(8, 0);
  oracles::for_each_labelling(Labelling(8, 0), Labelling(8, 3), [&](const Labelling& x) {
    if (x[0] != 0 && energy(x) < energy(start)) lower = x;
  });
  const RunResult result = run(energy, start, [&](MoveLoop& loop) {
    loop.raise_bound(-1000);
    loop.begin_iteration();
    expect(!loop.finish_proposal(lower, energy(lower), 8), "not lower for the caller");
  });
  expect(result.labels == start && result.trace.back().energy == 1.0, "the caller's energy");
  expect(result.lower_bound == std::optional(0.0), "bounds in the caller's units");
}

void claims() {
  const oracles::OwnedEnergy owned = some_energy(6);
  const Energy energy = owned.view();
  Run run;
  RunResult result = run(energy, Labelling(8, 0), [](MoveLoop& loop) { loop.claim_optimal(); });
  expect(result.status == "converged" && !result.proven, "nothing to claim before any move");
  result = run(energy, Labelling(8, 0), [](MoveLoop& loop) {
    loop.begin_iteration();
    loop.finish_proposal(loop.labels(), loop.value(), 0);
    loop.claim_optimal();
  });
  expect(result.status == "converged", "nor after a move that was not proven");
  result = run(energy, Labelling(8, 0), [](MoveLoop& loop) {
    loop.begin_iteration();
    loop.finish_iteration(loop.labels(), 7, 8, true);
    loop.claim_optimal();
  });
  expect(result.status == "optimal" &&
             result.lower_bound == std::optional(static_cast<double>(energy(Labelling(8, 0)) - 7)),
         "the bound is what the move had, taken or not");
}

void descents() {
  const oracles::OwnedEnergy owned = some_energy(7);
  const Energy energy = owned.view();
  Random random(7);
  const Labelling start = oracles::random_labelling(random, energy);
  Run run;
  RunResult result = run(energy, start, [&](MoveLoop& loop) {
    const std::int64_t before = loop.value();
    const Labelling end = loop.descend(gswap, Labelling(8, 1), 2);
    expect(energy(end) <= energy(Labelling(8, 1)), "a descent goes down from its own start");
    expect(loop.value() <= std::min(before, energy(end)), "all on its way was offered");
  });
  expect(result.status == "converged" && result.iterations <= 2,
         "the limit of a descent does not end the run");
  run.settings.max_iterations = 1;
  result = run(energy, start, [&](MoveLoop& loop) {
    loop.descend(expansion, Labelling(8, 1), 100);
    expect(false, "the limit of the run ends its descents too");
  });
  expect(result.status == "iteration_limit" && result.iterations == 1, "and says so");
}

// Two variables with an edge, and a third that a mask left out.
void counts_what_takes_part() {
  const oracles::OwnedEnergy owned{Neighbourhood(3, {0}, {1}, 0),
                                   4,
                                   {9, 9, 0, 9, 9, 9, 9, 0, 0, 0, 0, 0},
                                   {1},
                                   oracles::truncated(4, 1, 2)};
  Energy energy = owned.view();
  const bool mask[] = {true, true, false};
  energy.mask = mask;
  for (void (*method)(MoveLoop&) : {gswap, gswapf, expansion, swap, rswap, rexp, irgc, trws}) {
    Run run;
    run.settings.max_iterations = 100;
    const RunResult result = run(energy, Labelling(3, 1), method);
    std::int64_t most_active = 0;
    for (const Record& record : result.trace) most_active = std::max(most_active, record.active);
    expect(most_active == 2, "two variables are active at the most");
  }
  Run run;
  const RunResult result = run(energy, Labelling(3, 1), [](MoveLoop& loop) {
    expect(loop.taking_part() == 2, "two variables take part");
    const Labelling better{2, 1, 3};
    loop.begin_iteration();
    loop.finish_proposal(better, loop.energy()(better), 1);
  });
  expect(result.trace.front().changed == 1, "one of them has changed");
}

// The gap that auto decides by: a part of the energy, in the caller's units.
void gaps() {
  const oracles::OwnedEnergy owned = some_energy(3);
  const Energy energy = owned.view();
  const Labelling start(8, 1);
  const std::int64_t value = energy(start);
  const auto gap_at = [&](std::optional<std::int64_t> bound, double scale, double offset) {
    Run run;
    run.numbers.scale = scale;
    run.numbers.offset = offset;
    double gap = -1;
    run(energy, start, [&](MoveLoop& loop) {
      if (bound) loop.raise_bound(*bound);
      gap = loop.gap();
    });
    return gap;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const auto expect_gap = [](double found, double expected, const char* what) {
    expect(std::fabs(found - expected) <= 1e-12 * expected, what);
  };
  expect(value > 20, "an energy to have a gap to");
  expect(gap_at(std::nullopt, 1, 0) == infinite, "no bound, no gap");
  expect(gap_at(value, 1, 0) == 0, "none where the bound is the energy");
  const auto whole = static_cast<double>(value);
  expect_gap(gap_at(value - 10, 1, 0), 10 / whole, "a part of the energy");
  expect_gap(gap_at(value - 10, 4, 0), 10 / whole, "whatever the scale");
  expect_gap(gap_at(value - 10, 4, 100), 2.5 / (whole / 4 + 100), "in the caller's units");
  expect_gap(gap_at(value - 10, 1, -2 * whole), 10 / whole, "of energies below zero too");
  expect(gap_at(value - 10, 1, -whole) == infinite, "no part of nothing");
}

}  // namespace

int main() {
  gaps();
  for (std::int64_t seed = 0; seed < 50; ++seed) takes_only_what_is_lower(seed);
  surrogate_energy_follows();
  limits_end_runs();
  bounds();
  bounds_from_sweeps();
  labels_now_and_then();
  callers_numbers_decide();
  claims();
  descents();
  counts_what_takes_part();
  return 0;
}
