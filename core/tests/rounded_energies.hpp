// Energies of numbers that are not integers, and the integers that messages are found on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "rangemoves/messages/certify.hpp"
#include "small_energies.hpp"

namespace oracles {

using rangemoves::TrueCosts;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The integers are ten times as large.
struct Rounded {
  std::vector<double> unary;
  TrueCosts costs;
  OwnedEnergy integers;

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
    for_each_labelling(std::vector<std::int32_t>(n, 0),
                       std::vector<std::int32_t>(n, integers.labels - 1),
                       [&](const Labelling& x) { best = std::min(best, (*this)(x)); });
    return best;
  }
};

// `noise`: by how much a number differs from what its integer says.
inline Rounded rounded(Random& random, Neighbourhood graph, std::vector<Table> tables,
                       double noise) {
  Rounded made{{}, {}, random_energy(random, std::move(graph), std::move(tables))};
  const auto shifted = [&](std::int64_t value) {
    return static_cast<double>(value) / 10 + noise * (between(random, -50, 50) / 100.0);
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
inline TrueCosts costs_of(const Rounded& energy) {
  TrueCosts costs = energy.costs;
  costs.unary = [&energy](std::int32_t first, std::int32_t last, double* out) {
    const std::size_t labels = static_cast<std::size_t>(energy.integers.labels);
    std::copy(energy.unary.begin() + static_cast<std::ptrdiff_t>(first * labels),
              energy.unary.begin() + static_cast<std::ptrdiff_t>(last * labels), out);
  };
  return costs;
}

}  // namespace oracles
