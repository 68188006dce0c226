// What a run leaves to the next one over the same graph: engine and messages, with which answers
// are as true as without.
#include "rangemoves/moves/workspace.hpp"

#include <cstdint>

#include "check.hpp"
#include "rangemoves/moves/methods.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

RunResult run(const char* method, const Energy& energy, Workspace& workspace, Control& control) {
  Settings settings;
  settings.max_iterations = 30;
  const Labelling start(static_cast<std::size_t>(energy.graph.nodes()), 0);
  return MoveLoop(energy, start, settings, {}, {}, workspace, control)
      .run(find_method(method)->run);
}

// The same graph with other costs, several times over.
void answers_stay_true(const char* method, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  oracles::OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(2, 4), {oracles::truncated(4, 2, 4)});
  Workspace kept;
  Control control;
  for (int round = 0; round < 4; ++round) {
    const Energy energy = owned.view();
    const auto optimum = static_cast<double>(oracles::brute_force(energy));
    const RunResult result = run(method, energy, kept, control);
    const auto value = static_cast<double>(energy(result.labels));
    expect(value >= optimum, "no energy is below the optimum", seed);
    expect(!result.lower_bound || *result.lower_bound <= optimum, "no bound is above it", seed);
    expect(result.status != "optimal" || value == optimum, "what is called optimal is", seed);
    // A little first, then all.
    for (std::int32_t& cost : owned.unary)
      if (round == 2 || random.below(10) == 0) cost = oracles::between(random, -5, 25);
  }
}

void what_is_kept() {
  Random random(1);
  Control control;
  Workspace kept;
  expect(!kept.engine && !kept.messages && kept.last_gain < 0, "nothing before the first run");
  oracles::OwnedEnergy first =
      oracles::random_energy(random, oracles::grid(3, 3), {oracles::truncated(4, 2, 4)});
  run("trws", first.view(), kept, control);
  const Engine* engine = kept.engine.get();
  const Trws* messages = kept.messages.get();
  expect(engine && messages, "engine and messages after it");
  expect(kept.last_gain >= 0, "and what its last sweep brought");
  first.unary[3] += 1;
  run("trws", first.view(), kept, control);
  expect(kept.engine.get() == engine && kept.messages.get() == messages,
         "the same ones serve the same graph again");
}

}  // namespace

int main() {
  for (const char* method : {"gswap", "gswapf", "expansion", "trws", "best"})
    for (std::int64_t seed = 0; seed < 20; ++seed) answers_stay_true(method, seed);
  what_is_kept();
  return 0;
}
