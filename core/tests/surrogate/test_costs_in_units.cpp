// Costs in their own unit: the same for the same costs in any other, also where differences that
// edges cannot make up for were cut down before.
#include "rangemoves/surrogate/costs_in_units.hpp"

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

struct Chain {
  Neighbourhood graph{3, {0, 1}, {1, 2}, 3};
  std::vector<std::int32_t> unary, weights;
  PerEdge<Table> h;

  // Edges of weights 2 and 4 that cost at most 3: the ends can make up for 6 and 12, the middle
  // for 18 units. `cut`: what one label, which costs far more, is above the next.
  Chain(std::int32_t unit, std::int32_t cut)
      : unary{5 * unit, 9 * unit, 5 * unit,  9 * unit + cut,  //
              0,        7 * unit, 14 * unit, 18 * unit,       //
              3 * unit, 3 * unit, 3 * unit,  2 * unit},
        weights{2 * unit, 4 * unit},
        h(oracles::truncated(4, 1, 3)) {}
  Energy energy() const { return {graph, 4, {unary.data(), 4}, weights.data(), h}; }
};

void the_same_in_any_unit() {
  for (const std::int32_t unit : {1, 7, 500})
    for (const std::int32_t cut : {6 * unit + 1, 7 * unit, 1000 * unit + 3}) {
      const Chain chain(unit, cut);
      Control control;
      const Energy energy = chain.energy();
      const CostsInUnits costs(energy, chain.h, control);
      expect(costs.of_all() == unit, "the unit, whatever a label that is never taken costs");
      expect(costs.of_weights() == unit && costs.of_tables() == 1, "of the weights");
      const CostVolume half = costs.unary(2, false);
      const std::vector<std::int32_t> expected{0, 8, 0, 22, 0, 14, 28, 36, 2, 2, 2, 0};
      for (std::int32_t i = 0; i < 3; ++i)
        for (int l = 0; l < 4; ++l)
          expect(half.view()(i, l) == expected[static_cast<std::size_t>(4 * i + l)],
                 "less the least one, with long steps as long as they need be");
      // The middle: 18 units, and edges of weight 6 that go on from 3 with steps of 1.
      expect(costs.largest() == 18 + 6 * (3 + 3), "the largest, in units");
    }
}

void without_edges() {
  const Neighbourhood graph(2, {}, {}, 2);
  const std::vector<std::int32_t> unary{5, 700, 8, 8};
  const PerEdge<Table> h(oracles::truncated(2, 1, 1));
  Control control;
  const Energy energy{graph, 2, {unary.data(), 2}, nullptr, h};
  const CostsInUnits costs(energy, h, control);
  const CostVolume found = costs.unary(1, false);
  expect(found.view()(0, 0) == 0 && found.view()(0, 1) == 1, "any step is one unit");
  expect(found.view()(1, 0) == 0 && found.view()(1, 1) == 0, "labels that cost the same");
}

}  // namespace

int main() {
  the_same_in_any_unit();
  without_edges();
  return 0;
}
