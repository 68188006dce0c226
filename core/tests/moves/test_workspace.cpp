// Runs one after the other that share engine and messages, while costs change in between: each is
// worth as much as a run of its own.
#include "rangemoves/moves/workspace.hpp"

#include <string>
#include <vector>

#include "check.hpp"
#include "rangemoves/moves/methods.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

RunResult run(const char* method, const Energy& energy, const Labelling& start,
              Workspace& workspace) {
  Control control;
  return MoveLoop(energy, start, {}, {}, {}, workspace, control).run(find_method(method)->run);
}

void change_some(Random& random, oracles::OwnedEnergy& owned) {
  for (int k = 0; k < 3; ++k)
    owned.unary[random.below(owned.unary.size())] = oracles::between(random, -5, 25);
}

void bounds_stay_true(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  oracles::OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(2, 3), {oracles::truncated(4, 2, 4)});
  Workspace workspace;
  Labelling x(6, 0);
  for (int time = 0; time < 4; ++time, change_some(random, owned)) {
    const Energy energy = owned.view();
    const RunResult result = run(time == 2 ? "best" : "trws", energy, x, workspace);
    expect(workspace.messages != nullptr, "messages are left for the next run", seed);
    const auto optimum = static_cast<double>(oracles::brute_force(energy));
    expect(result.lower_bound && *result.lower_bound <= optimum,
           "messages of other costs give a true bound", seed);
    if (result.status == "optimal")
      expect(static_cast<double>(energy(result.labels)) == optimum, "optimal is", seed);
    x = result.labels;
  }
}

void exact_moves_stay_exact(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  oracles::OwnedEnergy owned = oracles::random_energy(random, oracles::random_graph(random, 6, 9),
                                                      {oracles::random_convex(random, 4, true)});
  Workspace workspace;
  Labelling x(6, 0);
  const Engine* engine = nullptr;
  for (int time = 0; time < 4; ++time, change_some(random, owned)) {
    const Energy energy = owned.view();
    const RunResult result = run("gswap", energy, x, workspace);
    expect(result.status == "optimal" && energy(result.labels) == oracles::brute_force(energy),
           "a convex prior is solved each time", seed);
    expect(time == 0 || workspace.engine.get() == engine, "by the same engine", seed);
    engine = workspace.engine.get();
    x = result.labels;
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 40; ++seed) {
    bounds_stay_true(seed);
    exact_moves_stay_exact(seed);
  }
  return 0;
}
