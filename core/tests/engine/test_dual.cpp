// The form in which the fast engine solves a problem: the same solutions, and the same energies but
// for a constant.
#include "rangemoves/engine/dual.hpp"

#include <set>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

std::set<Labelling> minimisers(const ConvexProblem& problem, const std::vector<std::int32_t>& low,
                               const std::vector<std::int32_t>& high) {
  const std::int64_t best = oracles::brute_force(problem, low, high);
  std::set<Labelling> found;
  oracles::for_each_labelling(low, high, [&](const Labelling& x) {
    if (problem.energy(x) == best) found.insert(x);
  });
  return found;
}

void normal_forms(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::random_graph(random, 5, 7);
  const ConvexProblem given =
      oracles::random_problem(random, graph, 4, {seed % 2 == 0, seed % 3 == 0, true, false});
  const ConvexProblem normal = normal_form(given);
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    expect(normal.weight[e] == 0 ||
               (normal.takes_part(graph.tail(e)) && normal.takes_part(graph.head(e))),
           "edges join variables that take part", seed);
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    expect(normal.takes_part(i) == given.takes_part(i) &&
               (!normal.takes_part(i) || (normal.low[i] == 0 && normal.high[i] == 3)),
           "those that take part may have all labels", seed);
  const std::int64_t constant = given.energy(given.low) - normal.energy(given.low);
  oracles::for_each_labelling(given.low, given.high, [&](const Labelling& x) {
    expect(given.energy(x) == normal.energy(x) + constant, "the same energies", seed);
  });
  expect(minimisers(given, given.low, given.high) == minimisers(normal, normal.low, normal.high),
         "the same solutions", seed);
}

// After a move there are messages to certify a bound with.
void leaves_messages() {
  Random random(1);
  const Neighbourhood graph = oracles::grid(3, 3);
  DualEngine engine{EngineOptions{}};
  expect(engine.name() == "dual" && engine.dual().messages == nullptr, "none before a move");
  Control control;
  engine.solve(oracles::random_problem(random, graph, 4, {}), Labelling(9, 0), control);
  expect(engine.dual().messages != nullptr && engine.dual().scale >= 1, "some after it");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 200; ++seed) normal_forms(seed);
  leaves_messages();
  return 0;
}
