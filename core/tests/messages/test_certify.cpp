// Certified bounds against enumeration in the caller's own numbers: never above the optimum, and
// equal to it where messages are exact.
#include "rangemoves/messages/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "rangemoves/messages/backend.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Numbers that are not integers, and the integers that messages are found on: ten times as large.
struct Rounded {
  std::vector<double> unary;
  TrueCosts costs;
  oracles::OwnedEnergy integers;

  double operator()(const Labelling& x) const {
    double sum = 0;
    const int labels = integers.labels;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += unary[i * static_cast<std::size_t>(labels) + static_cast<std::size_t>(x[i])];
    for (std::int64_t e = 0; e < integers.graph.edges(); ++e) {
      const int d = x[integers.graph.tail(e)] - x[integers.graph.head(e)];
      sum += costs.weights[static_cast<std::size_t>(e)] *
             costs.g[e][static_cast<std::size_t>(d + labels - 1)];
    }
    return sum;
  }

  double optimum() const {
    const auto n = static_cast<std::size_t>(integers.graph.nodes());
    double best = kInfinity;
    oracles::for_each_labelling(std::vector<std::int32_t>(n, 0),
                                std::vector<std::int32_t>(n, integers.labels - 1),
                                [&](const Labelling& x) { best = std::min(best, (*this)(x)); });
    return best;
  }
};

// `noise`: by how much a number differs from what its integer says.
Rounded rounded(Random& random, Neighbourhood graph, std::vector<Table> tables, double noise) {
  Rounded made{{}, {}, oracles::random_energy(random, std::move(graph), std::move(tables))};
  const auto shifted = [&](std::int64_t value) {
    return static_cast<double>(value) / 10 + noise * (oracles::between(random, -50, 50) / 100.0);
  };
  for (const std::int32_t cost : made.integers.unary) made.unary.push_back(shifted(cost));
  for (const std::int32_t w : made.integers.weights)
    made.costs.weights.push_back(static_cast<double>(w));
  made.costs.g = made.integers.g.map([&](const Table& g) {
    std::vector<double> values;
    for (int d = 1 - g.labels(); d < g.labels(); ++d) values.push_back(shifted(g(d)));
    return values;
  });
  return made;
}

// Costs are handed out when they are asked for.
TrueCosts costs_of(const Rounded& energy) {
  TrueCosts costs = energy.costs;
  costs.unary = [&energy](std::int32_t first, std::int32_t last, double* out) {
    const std::size_t labels = static_cast<std::size_t>(energy.integers.labels);
    std::copy(energy.unary.begin() + static_cast<std::ptrdiff_t>(first * labels),
              energy.unary.begin() + static_cast<std::ptrdiff_t>(last * labels), out);
  };
  return costs;
}

ConvexProblem for_sweeps(const oracles::OwnedEnergy& owned) {
  const auto n = static_cast<std::size_t>(owned.graph.nodes());
  ConvexProblem problem{owned.graph,
                        owned.labels,
                        {owned.view().theta, owned.graph.nodes(), owned.labels},
                        owned.weights,
                        {},
                        {},
                        std::vector<std::int32_t>(n, 0),
                        std::vector<std::int32_t>(n, owned.labels - 1)};
  for (const Table& g : owned.g.kinds()) problem.tables.push_back(ConvexTable::of_any(g));
  if (owned.g.index()) problem.table_of_edge = *owned.g.index();
  return problem;
}

// The bound after every sweep, forward or backward.
std::vector<double> bounds(const Rounded& energy, int sweeps) {
  const ConvexProblem problem = for_sweeps(energy.integers);
  Control control;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, 1, control);
  messages->load(problem, control);
  const TrueCosts costs = costs_of(energy);
  std::vector<double> bounds;
  for (int k = 0; k < sweeps; ++k) {
    const bool forward = k % 2 == 0;
    messages->sweep(forward, nullptr, control);
    bounds.push_back(certified_bound(energy.integers.graph, energy.integers.labels, *messages,
                                     forward, 1.0 / (10 * kScale), costs, control));
  }
  return bounds;
}

std::vector<Table> two_tables(Random& random, int labels) {
  return {oracles::truncated(labels, 2, 4), oracles::any_table(random, labels)};
}

void never_above(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 5);
  const Rounded energy =
      rounded(random, seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 9),
              two_tables(random, labels), seed % 3 == 0 ? 0 : 0.1 * static_cast<double>(seed % 7));
  const double optimum = energy.optimum();
  for (const double bound : bounds(energy, 6))
    expect(bound <= optimum && std::isfinite(bound), "no labelling costs less", seed);
}

void tight_on_trees(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Rounded energy = rounded(random, Neighbourhood(6, {0, 1, 1, 3, 5}, {1, 2, 3, 4, 3}, 0),
                                 two_tables(random, 4), 0);
  const double optimum = energy.optimum(), bound = bounds(energy, 4).back();
  expect(bound <= optimum && bound > optimum - 1e-9, "exact messages prove the optimum", seed);
}

// Messages know nothing of what is forbidden; the bound does.
void forbidden_labels(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Rounded energy = rounded(random, oracles::grid(2, 3), {oracles::truncated(4, 2, 4)}, 0.1);
  for (std::size_t i = 0; i < 6; ++i)
    energy.unary[4 * i + static_cast<std::size_t>(oracles::between(random, 0, 3))] = kInfinity;
  const double optimum = energy.optimum();
  for (const double bound : bounds(energy, 4))
    expect(bound <= optimum && std::isfinite(bound), "forbidden labels do not count", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 100; ++seed) {
    never_above(seed);
    tight_on_trees(seed);
    forbidden_labels(seed);
  }
  return 0;
}
