// Islands: which variables lie in them, and that what they cost by themselves adds up to no more
// than the whole, whatever the messages are and however the variables are divided.
#include "rangemoves/optimum/islands.hpp"

#include <algorithm>
#include <map>

#include "check.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::PlainBeliefs;
using oracles::SmallEdge;
using oracles::SmallProblem;

// Steps from i to every node; a node that cannot be reached is as many steps away as there are
// nodes.
std::vector<int> distances(const SmallProblem& problem, std::int32_t i) {
  std::vector<int> steps(static_cast<std::size_t>(problem.nodes), problem.nodes);
  steps[i] = 0;
  for (std::int32_t k = 0; k < problem.nodes; ++k)
    for (const SmallEdge& e : problem.edges) {
      steps[e.tail] = std::min(steps[e.tail], steps[e.head] + 1);
      steps[e.head] = std::min(steps[e.head], steps[e.tail] + 1);
    }
  return steps;
}

void nearest_are_taken_in(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {25, 1});
  IslandMap map(problem.graph());
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(problem.nodes), 0);
  for (int k = 0; k < 3; ++k) {
    const std::int32_t centre = oracles::between(random, 0, problem.nodes - 1);
    const int count = oracles::between(random, 1, 8);
    const std::vector<int> steps = distances(problem, centre);
    std::vector<int> by_distance;
    for (const int d : steps)
      if (d < problem.nodes) by_distance.push_back(d);
    std::sort(by_distance.begin(), by_distance.end());
    by_distance.resize(std::min(by_distance.size(), static_cast<std::size_t>(count)));
    IslandMap alone(problem.graph());
    expect(alone.add_around(centre, static_cast<std::size_t>(count)), "new to an empty map", seed);
    std::vector<int> taken;
    bool is_new = false;
    for (std::int32_t i = 0; i < problem.nodes; ++i) {
      if (!alone.is_inside(i)) continue;
      taken.push_back(steps[i]);
      is_new = is_new || !inside[i];
      inside[i] = 1;
    }
    std::sort(taken.begin(), taken.end());
    expect(taken == by_distance, "the nearest, as many as were asked for", seed);
    expect(map.add_around(centre, static_cast<std::size_t>(count)) == is_new, "says what is new",
           seed);
    for (std::int32_t i = 0; i < problem.nodes; ++i)
      expect(map.is_inside(i) == (inside[i] != 0), "nobody leaves an island", seed);
  }
}

void parts_are_connected(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {25, 1});
  IslandMap map(problem.graph());
  for (int k = oracles::between(random, 0, 6); k > 0; --k)
    map.add_around(oracles::between(random, 0, problem.nodes - 1), 3);
  if (seed % 10 == 0) map.add_all();
  std::vector<std::int32_t> owner;
  const std::vector<IslandNodes> parts = map.parts(owner);
  std::vector<std::int32_t> first(owner.size(), -1);  // of its island, by definition
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    if (map.is_inside(i)) first[i] = i;
  for (std::int32_t k = 0; k < problem.nodes; ++k)
    for (const SmallEdge& e : problem.edges)
      if (first[e.tail] >= 0 && first[e.head] >= 0)
        first[e.tail] = first[e.head] = std::min(first[e.tail], first[e.head]);
  std::map<std::int32_t, IslandNodes> expected;
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    if (first[i] >= 0) expected[first[i]].push_back(i);
  expect(parts.size() == expected.size(), "as many islands as connected parts", seed);
  std::size_t k = 0;
  for (const auto& [start, nodes] : expected) {
    expect(parts[k] == nodes, "an island's variables in order", seed);
    for (const std::int32_t i : nodes)
      expect(owner[i] == static_cast<std::int32_t>(k), "whose they are", seed);
    ++k;
  }
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    expect(first[i] >= 0 || owner[i] == -1, "nobody's", seed);
}

std::vector<std::int32_t> random_owners(Random& random, const SmallProblem& problem, int islands,
                                        std::vector<IslandNodes>& parts) {
  std::vector<std::int32_t> owner;
  parts.assign(static_cast<std::size_t>(islands), {});
  for (std::int32_t i = 0; i < problem.nodes; ++i) {
    owner.push_back(oracles::between(random, -1, islands - 1));
    if (owner.back() >= 0) parts[static_cast<std::size_t>(owner.back())].push_back(i);
  }
  return owner;
}

// The island's costs by its own unary costs and edges.
std::int64_t island_value(const LazyMessages<std::int64_t>& island, const Labelling& x) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < island.nodes(); ++i) sum += island.unary(i)[x[i]];
  for (const OrderedEdge& e : island.graph().edges) sum += island.cost(e, x[e.earlier], x[e.later]);
  return sum;
}

// For every labelling: what islands and the variables outside cost, and what edges between them
// pay above their messages, is what the whole costs. Nothing is paid twice, nothing is left out.
template <class Value>
void adds_up(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {6, 3});
  const auto whole = problem.messages<Value>();
  oracles::begin_somewhere(random, *whole);
  const PlainBeliefs plain = oracles::plain_beliefs(problem, *whole);
  std::vector<IslandNodes> parts;
  const std::vector<std::int32_t> owner =
      random_owners(random, problem, oracles::between(random, 1, 3), parts);
  const std::int64_t finer = std::int64_t{1} << random.below(11);
  std::vector<std::unique_ptr<LazyMessages<std::int64_t>>> islands;
  for (const IslandNodes& nodes : parts)
    islands.push_back(nodes.empty() ? nullptr
                                    : island_problem(*whole, problem.tables, nodes, owner, finer));
  std::int64_t least_outside = 0;
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    if (owner[i] < 0) least_outside += plain.least(i);
  std::vector<std::int64_t> optimum(islands.size(), oracles::kNothing);
  problem.for_each_labelling([&](const Labelling& x, std::int64_t value) {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < problem.nodes; ++i)
      if (owner[i] < 0) sum += finer * plain.belief(i, x[i]);
    for (std::size_t e = 0; e < problem.edges.size(); ++e) {
      const std::int32_t a = owner[problem.edges[e].tail], b = owner[problem.edges[e].head];
      if (a < 0 || a != b) sum += finer * plain.paid(e, x);
    }
    for (std::size_t k = 0; k < islands.size(); ++k) {
      if (!islands[k]) continue;
      Labelling here;
      for (const std::int32_t i : parts[k]) here.push_back(x[i]);
      const std::int64_t costs = island_value(*islands[k], here);
      optimum[k] = std::min(optimum[k], costs);
      sum += costs;
    }
    expect(sum == finer * value, "islands, outside and borders are the whole", seed);
  });
  std::int64_t bound = finer * least_outside;
  for (std::size_t k = 0; k < islands.size(); ++k) bound += islands[k] ? optimum[k] : 0;
  expect(bound <= finer * problem.optimum(), "no more than the optimum", seed);
  expect(bound >= finer * plain.bound(), "no less than the bound of the messages", seed);
  for (const auto& island : islands)
    for (std::size_t e = 0; island && e < island->graph().edges.size(); ++e)
      for (const bool to_later : {false, true})
        for (int l = 0; l < problem.labels; ++l)
          expect(island->message(static_cast<std::int64_t>(e), to_later)[l] ==
                     finer * whole->message(island->graph().edges[e].origin, to_later)[l],
                 "an island starts with the messages of the whole", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 6000; ++seed) {
    nearest_are_taken_in(seed);
    parts_are_connected(seed);
    adds_up<std::int32_t>(seed);
    adds_up<std::int64_t>(seed);
  }
}
