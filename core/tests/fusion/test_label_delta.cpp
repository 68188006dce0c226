// What a change of labels does to the energy, and its components, against full evaluation.
#include "rangemoves/fusion/label_delta.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

Labelling with(const Labelling& x, const Labelling& y, const std::vector<std::int32_t>& taken) {
  Labelling z = x;
  for (const std::int32_t i : taken) z[i] = y[i];
  return z;
}

void changes_add_up(const Energy& energy, const Labelling& x, const Labelling& y,
                    std::int64_t seed) {
  const PerEdge<Table> others =
      energy.g.map([](const Table& g) { return oracles::truncated(g.labels(), 2, 7); });
  std::int64_t change = 0, other_change = 0;
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    if (x[i] == y[i]) continue;
    change += change_at(energy, energy.g, i, x, y);
    other_change += change_at(energy, others, i, x, y);
  }
  expect(change == energy(y) - energy(x), "changes add up to the difference", seed);
  expect(other_change == energy.with_tables(y, others) - energy.with_tables(x, others),
         "with other tables too", seed);
}

void components_are_whole(const Energy& energy, const Labelling& x, const Labelling& y,
                          std::int64_t seed) {
  ChangedComponents components(energy);
  // Twice: what it remembers of the first time must be gone.
  for (int time = 0; time < 2; ++time) {
    std::set<std::int32_t> seen;
    std::int64_t sum = 0;
    components.visit(
        x, y, energy.graph.nodes(), [](std::int64_t i) { return static_cast<std::int32_t>(i); },
        [&](const std::vector<std::int32_t>& variables, std::int64_t change) {
          expect(change == energy(with(x, y, variables)) - energy(x),
                 "a component is judged by itself", seed);
          const std::set<std::int32_t> here(variables.begin(), variables.end());
          for (const std::int32_t i : variables) {
            expect(x[i] != y[i] && seen.insert(i).second, "each change is visited once", seed);
            for (const Incidence* at = energy.graph.begin(i); at != energy.graph.end(i); ++at)
              expect(x[at->other] == y[at->other] || here.count(at->other) > 0,
                     "neighbours that change belong to the same component", seed);
          }
          sum += change;
        });
    std::size_t changed = 0;
    for (std::size_t i = 0; i < x.size(); ++i) changed += x[i] != y[i];
    expect(seen.size() == changed, "all that changes is visited", seed);
    expect(sum == energy(y) - energy(x), "components add up", seed);
  }
}

void only_components_of_seeds() {
  // A chain of five, the middle one the same in both.
  Random random(1);
  const oracles::OwnedEnergy owned = oracles::random_energy(
      random, Neighbourhood(5, {0, 1, 2, 3}, {1, 2, 3, 4}, 0), {oracles::truncated(3, 1, 2)});
  const Energy energy = owned.view();
  ChangedComponents components(energy);
  const Labelling x(5, 0), y = {1, 1, 0, 2, 2};
  std::vector<std::int32_t> visited;
  components.visit(
      x, y, 1, [](std::int64_t) { return 4; },
      [&](const std::vector<std::int32_t>& variables, std::int64_t) {
        visited.insert(visited.end(), variables.begin(), variables.end());
      });
  std::sort(visited.begin(), visited.end());
  expect(visited == std::vector<std::int32_t>({3, 4}), "the component of the seed alone");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 1, 5);
    std::vector<Table> tables{oracles::any_table(random, labels)};
    if (seed % 2 == 0) tables.push_back(oracles::any_table(random, labels));
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::random_graph(random, 12, 14), tables);
    const Energy energy = owned.view();
    const Labelling x = oracles::random_labelling(random, energy);
    Labelling y = oracles::random_labelling(random, energy);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (random.below(2) == 0) y[i] = x[i];
    changes_add_up(energy, x, y, seed);
    components_are_whole(energy, x, y, seed);
  }
  only_components_of_seeds();
  return 0;
}
