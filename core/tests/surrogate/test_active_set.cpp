// Who may move: the criterion of the paper, maximality, and what each strategy prefers.
#include "rangemoves/surrogate/active_set.hpp"

#include <set>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

// The paper's criterion on active variables.
bool satisfies_criterion(const Neighbourhood& graph, const Labelling& x,
                         const PerEdge<ConvexRange>& ranges, const Mask& active) {
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    const std::int32_t tail = graph.tail(e), head = graph.head(e);
    if (active[tail] && active[head] && !ranges[e].contains(x[tail] - x[head])) return false;
  }
  return true;
}

// A chain 0, 10, 20 with T = 4: alternating drops the middle whichever end goes.
void the_middle_of_a_chain() {
  const Neighbourhood chain(3, {0, 1}, {1, 2}, 3);
  const Labelling x{0, 10, 20};
  const ConvexRange range{4, 4};
  for (std::int64_t iteration = 0; iteration < 10; ++iteration) {
    ActiveSetChoice choice;
    choice.iteration = iteration;
    expect(active_set(chain, x, range, choice) == Mask{1, 0, 1},
           "alternating never frees the middle");
    const Mask middle{0, 1, 0};
    choice.favour = &middle;
    expect(active_set(chain, x, range, choice) == middle, "favouring it does");
  }
}

void which_end_goes() {
  const Neighbourhood chain(4, {0, 1, 2}, {1, 2, 3}, 4);
  const Labelling x{0, 1, 10, 11};
  const ConvexRange range{4, 4};
  ActiveSetChoice choice;
  expect(active_set(chain, x, range, choice) == Mask{1, 1, 0, 1}, "first the larger end");
  choice.iteration = 1;
  expect(active_set(chain, x, range, choice) == Mask{1, 0, 1, 1}, "then the smaller one");
  choice.strategy = Strategy::range;
  choice.low = 0;
  choice.high = 4;
  expect(active_set(chain, x, range, choice) == Mask{1, 1, 0, 1}, "the range stays");
  choice.strategy = Strategy::alternate;
  expect(active_set(chain, {3, 3, 7, 7}, range, choice) == Mask{1, 1, 1, 1}, "nobody clashes");
}

bool is_maximal(const Neighbourhood& graph, const Labelling& x, ConvexRange range, Mask active) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i]) continue;
    active[i] = 1;
    if (satisfies_criterion(graph, x, range, active)) return false;
    active[i] = 0;
  }
  return true;
}

void random_labellings(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::random_graph(random, oracles::between(random, 1, 9), 14);
  Labelling x;
  Mask favour;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    x.push_back(oracles::between(random, 0, 9));
    favour.push_back(random.below(2) == 0);
  }
  const ConvexRange range{oracles::between(random, 0, 4), oracles::between(random, 0, 4)};
  for (const Strategy strategy : {Strategy::alternate, Strategy::range, Strategy::random})
    for (std::int64_t iteration = 0; iteration < 4; ++iteration) {
      ActiveSetChoice choice;
      choice.strategy = strategy;
      choice.iteration = iteration;
      choice.low = 3;
      choice.high = 6;
      choice.seed = static_cast<std::uint64_t>(seed);
      if (iteration >= 2) choice.favour = &favour;
      const Mask active = active_set(graph, x, range, choice);
      expect(satisfies_criterion(graph, x, range, active), "no edge beyond the range", seed);
      expect(is_maximal(graph, x, range, active), "nobody could be added", seed);
    }
}

void seeds_differ() {
  Random random(1);
  const Neighbourhood graph = oracles::grid(9, 9);
  Labelling x;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) x.push_back(oracles::between(random, 0, 29));
  std::set<Mask> sets;
  ActiveSetChoice choice;
  choice.strategy = Strategy::random;
  for (choice.seed = 0; choice.seed < 20; ++choice.seed) {
    const Mask active = active_set(graph, x, ConvexRange{4, 4}, choice);
    expect(active == active_set(graph, x, ConvexRange{4, 4}, choice), "a seed gives one set");
    sets.insert(active);
  }
  expect(sets.size() == 20, "every seed gives another set");
}

}  // namespace

int main() {
  the_middle_of_a_chain();
  which_end_goes();
  seeds_differ();
  for (std::int64_t seed = 0; seed < 500; ++seed) random_labellings(seed);
}
