// Energies small enough to enumerate, with priors of every kind: convex, robust, any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "oracles.hpp"
#include "rangemoves/problem/energy.hpp"

namespace oracles {

using rangemoves::Energy;
using rangemoves::PerEdge;

// An energy with the costs that its view points to.
struct OwnedEnergy {
  Neighbourhood graph;
  int labels;
  std::vector<std::int32_t> unary, weights;
  PerEdge<Table> g;

  Energy view() const { return {graph, labels, {unary.data(), labels}, weights.data(), g}; }
};

// min(|d|^power, most).
inline Table truncated(int labels, int power, std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t d = 1 - labels; d < labels; ++d)
    values.push_back(std::min<std::int64_t>(power == 1 ? std::abs(d) : d * d, most));
  return Table(std::move(values));
}

inline Table any_table(Random& random, int labels) {
  std::vector<std::int64_t> values;
  for (int d = 1 - labels; d < labels; ++d) values.push_back(between(random, 0, 12));
  return Table(std::move(values));
}

// The tables are dealt out to the edges at random; a single one has no index.
inline OwnedEnergy random_energy(Random& random, Neighbourhood graph, std::vector<Table> tables) {
  const int labels = tables.front().labels();
  OwnedEnergy owned{std::move(graph), labels, {}, {}, {}};
  for (std::int64_t k = 0; k < std::int64_t{owned.graph.nodes()} * labels; ++k)
    owned.unary.push_back(between(random, -5, 25));
  std::vector<std::int32_t> index;
  for (std::int64_t e = 0; e < owned.graph.edges(); ++e) {
    owned.weights.push_back(between(random, 1, 4));
    index.push_back(between(random, 0, static_cast<std::int32_t>(tables.size()) - 1));
  }
  const bool several = tables.size() > 1;
  owned.g = PerEdge<Table>(
      std::move(tables),
      several ? std::make_shared<const std::vector<std::int32_t>>(std::move(index)) : nullptr);
  return owned;
}

inline Labelling random_labelling(Random& random, const Energy& energy) {
  Labelling x;
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i)
    x.push_back(between(random, 0, energy.labels - 1));
  return x;
}

inline std::int64_t brute_force(const Energy& energy) {
  const auto n = static_cast<std::size_t>(energy.graph.nodes());
  std::int64_t best = INT64_MAX;
  for_each_labelling(std::vector<std::int32_t>(n, 0),
                     std::vector<std::int32_t>(n, energy.labels - 1),
                     [&](const Labelling& x) { best = std::min(best, energy(x)); });
  return best;
}

}  // namespace oracles
