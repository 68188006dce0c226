// Fusion against all 2^n ways to take labels from one labelling or the other.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"
#include "rangemoves/fusion/fusion.hpp"
#include "rangemoves/run/random.hpp"

namespace {

using namespace rangemoves;

constexpr int kNodes = 8, kLabels = 5;

void random_problems() {
  Random random(11);
  std::int64_t best_found = 0, problems = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<std::int32_t> tail, head, weights, unary;
    for (int e = 0; e < 11; ++e) {
      const auto i = static_cast<std::int32_t>(random.below(kNodes)),
                 j = static_cast<std::int32_t>(random.below(kNodes));
      if (i == j) continue;
      tail.push_back(i);
      head.push_back(j);
      weights.push_back(1 + static_cast<std::int32_t>(random.below(5)));
    }
    for (int c = 0; c < kNodes * kLabels; ++c)
      unary.push_back(static_cast<std::int32_t>(random.below(30)));
    std::vector<std::int64_t> values;
    const bool robust = k % 2 == 0;
    for (int d = 1 - kLabels; d < kLabels; ++d)
      values.push_back(robust ? std::min(d * d, 4) : static_cast<std::int64_t>(random.below(9)));
    const Neighbourhood graph(kNodes, tail, head, 0);
    const Energy energy{graph, kLabels, {unary.data(), kLabels}, weights.data(), Table(values)};
    Labelling x, y;
    for (int i = 0; i < kNodes; ++i) {
      x.push_back(static_cast<std::int32_t>(random.below(kLabels)));
      y.push_back(random.below(4) == 0 ? x.back()
                                       : static_cast<std::int32_t>(random.below(kLabels)));
    }
    std::int64_t least = INT64_MAX;
    for (int choice = 0; choice < 1 << kNodes; ++choice) {
      Labelling z = x;
      for (int i = 0; i < kNodes; ++i)
        if (choice >> i & 1) z[i] = y[i];
      least = std::min(least, energy(z));
    }
    Control control;
    Fusion fusion(energy, control);
    const Labelling z = fusion(x, y);
    for (int i = 0; i < kNodes; ++i)
      expect(z[i] == x[i] || z[i] == y[i], "a fused label is one of the two");
    expect(energy(z) <= energy(x), "fusion never raises the energy");
    expect(energy(z) >= least, "nor does it find what is not there");
    Labelling parts = x;
    fusion.take_components(parts, y);
    expect(energy(parts) <= energy(x), "components never raise the energy");
    best_found += energy(z) == least;
    ++problems;
  }
  expect(best_found * 10 >= problems * 8, "most fusions are the best there is");
}

void components_are_taken_one_by_one() {
  // A chain of five, the middle one the same in both: one side is better, the other worse.
  const Neighbourhood graph(5, {0, 1, 2, 3}, {1, 2, 3, 4}, 0);
  const std::vector<std::int32_t> unary = {5, 0, 5, 0, 0, 9, 0, 5, 0, 5}, weights(4, 1);
  const Energy energy{graph, 2, {unary.data(), 2}, weights.data(), Table({1, 0, 1})};
  Labelling x(5, 0);
  const Labelling y = {1, 1, 0, 1, 1};
  Control control;
  Fusion fusion(energy, control);
  expect(fusion.take_components(x, y) == 1 && x == Labelling({1, 1, 0, 0, 0}),
         "the component that lowers the energy, and no other");
}

}  // namespace

int main() {
  random_problems();
  components_are_taken_one_by_one();
  return 0;
}
