// What a change of labels does to an energy, and which changes belong together.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/problem/energy.hpp"

namespace rangemoves {

// What variable i adds to E(after) - E(before), with these tables on the edges. An edge between two
// variables that both change counts at its tail, so the sum over all that change is the difference.
inline std::int64_t change_at(const Energy& energy, const PerEdge<Table>& tables, std::int32_t i,
                              const Labelling& before, const Labelling& after) {
  std::int64_t sum = energy.theta(i, after[i]) - energy.theta(i, before[i]);
  for (const Incidence* at = energy.graph.begin(i); at != energy.graph.end(i); ++at) {
    const std::int32_t j = at->other;
    if (!at->is_tail && before[j] != after[j]) continue;
    const int sign = at->is_tail ? 1 : -1;
    const Table& g = tables[at->edge];
    sum +=
        energy.w[at->edge] * (g(sign * (after[i] - after[j])) - g(sign * (before[i] - before[j])));
  }
  return sum;
}

// The connected components of {x != y} do not touch each other, so each can be judged by itself.
class ChangedComponents {
 public:
  explicit ChangedComponents(const Energy& energy)
      : energy_(energy), seen_(static_cast<std::size_t>(energy.graph.nodes()), 0) {}

  // visit(variables, what taking y on them adds to the energy), for every component that holds one
  // of seed(0) .. seed(seeds - 1). x and y may be changed on a component while it is visited.
  template <class Seed, class Visit>
  void visit(const Labelling& x, const Labelling& y, std::int64_t seeds, Seed&& seed,
             Visit&& visit) {
    visited_.clear();
    for (std::int64_t s = 0; s < seeds; ++s) {
      const std::int32_t start = seed(s);
      if (x[start] == y[start] || seen_[start]) continue;
      component_.clear();
      reach(start);
      std::int64_t change = 0;
      for (std::size_t k = 0; k < component_.size(); ++k) {
        const std::int32_t i = component_[k];
        change += change_at(energy_, energy_.g, i, x, y);
        for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
          if (x[at->other] != y[at->other] && !seen_[at->other]) reach(at->other);
      }
      visit(component_, change);
    }
    for (const std::int32_t i : visited_) seen_[i] = 0;
  }

 private:
  const Energy& energy_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::int32_t> component_, visited_;

  void reach(std::int32_t i) {
    seen_[i] = 1;
    component_.push_back(i);
    visited_.push_back(i);
  }
};

}  // namespace rangemoves
