// Labellings fused with the current one: never worse than either, and better where each is right
// somewhere.
#include "rangemoves/moves/proposals.hpp"

#include <algorithm>

#include "check.hpp"
#include "rangemoves/moves/methods.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

void offers(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const oracles::OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(4, 5), {oracles::truncated(5, 2, 4)});
  const Energy energy = owned.view();
  Control control;
  Workspace workspace;
  MoveLoop loop(energy, oracles::random_labelling(random, energy), {}, {}, {}, workspace, control);
  Proposals proposals(loop);
  for (int k = 0; k < 5; ++k) {
    // Nearby ones are fused, others combined by components.
    Labelling y = loop.labels();
    for (std::int32_t& label : y)
      if (k % 2 || random.below(4) == 0) label = oracles::between(random, 0, 4);
    const std::int64_t before = loop.value();
    const bool taken = proposals.offer(y, "an offer");
    expect(taken == (loop.value() < before), "says whether it was taken", seed);
    expect(loop.value() <= std::min(before, energy(y)), "never worse than either", seed);
    expect(loop.value() == energy(loop.labels()), "the value is that of the labels", seed);
  }
  const Labelling start = oracles::random_labelling(random, energy);
  proposals.descend(gswap, start, "gswap", 100);
  Workspace other;
  const RunResult alone = MoveLoop(energy, start, {}, {}, {}, other, control).run(gswap);
  expect(loop.value() <= energy(alone.labels), "never worse than the method alone", seed);
}

void parts_of_both() {
  // Two pairs of variables, apart from each other: each labelling is right about one.
  Random random(0);
  oracles::OwnedEnergy owned = oracles::random_energy(random, Neighbourhood(4, {0, 2}, {1, 3}, 0),
                                                      {oracles::truncated(3, 1, 1)});
  const Energy energy = owned.view();
  Labelling best(4, 0), worst(4, 0);
  oracles::for_each_labelling(Labelling(4, 0), Labelling(4, 2), [&](const Labelling& x) {
    if (energy(x) < energy(best)) best = x;
    if (energy(x) > energy(worst)) worst = x;
  });
  const Labelling first{best[0], best[1], worst[2], worst[3]};
  const Labelling second{worst[0], worst[1], best[2], best[3]};
  Control control;
  Workspace workspace;
  MoveLoop loop(energy, first, {}, {}, {}, workspace, control);
  Proposals(loop).offer(second, "the other half");
  expect(loop.value() == energy(best), "the best parts of both");
}

void who_suits_gswapf() {
  Random random(0);
  const auto suits = [&](const Table& g) {
    return suits_gswapf(oracles::random_energy(random, oracles::grid(2, 2), {g}).view());
  };
  expect(suits(oracles::truncated(4, 1, 2)), "a truncated prior");
  expect(!suits(Table({5, 4, 3, 0, 3, 4, 5})), "none that goes on growing");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 50; ++seed) offers(seed);
  parts_of_both();
  who_suits_gswapf();
  return 0;
}
