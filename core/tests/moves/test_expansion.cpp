// Cycles of expansions one by one, with changes by others in between.
#include "rangemoves/moves/expansion.hpp"

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

void cycles(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const oracles::OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(2, 3), {oracles::truncated(5, 1, 2)});
  const Energy energy = owned.view();
  Control control;
  Workspace workspace;
  MoveLoop loop(energy, oracles::random_labelling(random, energy), {}, {}, {}, workspace, control);
  ExpansionCycles expansions(loop);
  const auto until_nothing_is_left = [&] {
    for (int k = 0; k < 100; ++k) {
      const std::int64_t before = loop.value();
      const bool gained = expansions.run();
      expect(gained == (loop.value() < before), "a cycle says whether it gained", seed);
      if (!gained) return;
    }
    expect(false, "cycles end", seed);
  };
  until_nothing_is_left();
  const Labelling end = loop.labels();
  expect(!expansions.run() && loop.labels() == end, "and stay at their end", seed);
  // Somebody else goes to the optimum, where the cycles find nothing more.
  Labelling optimum = end;
  oracles::for_each_labelling(Labelling(6, 0), Labelling(6, 4), [&](const Labelling& x) {
    if (energy(x) < energy(optimum)) optimum = x;
  });
  loop.begin_iteration();
  loop.finish_proposal(optimum, energy(optimum), 6);
  expansions.labels_changed();
  expect(!expansions.run() && loop.labels() == optimum, "nothing is lower than that", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 50; ++seed) cycles(seed);
  return 0;
}
