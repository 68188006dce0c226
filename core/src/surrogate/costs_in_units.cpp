#include "rangemoves/surrogate/costs_in_units.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace rangemoves {

CostsInUnits::CostsInUnits(const Energy& energy, const PerEdge<Table>& h, Control& control)
    : energy_(energy), h_(h), control_(control) {
  std::int64_t of_weights = 0, of_tables = 0;
  for (std::int64_t e = 0; e < energy.graph.edges() && of_weights != 1; ++e)
    of_weights = std::gcd(of_weights, std::int64_t{energy.w[e]});
  const int last = energy.labels - 1;
  for (const Table& table : h.kinds()) {
    spreads_.push_back(table.spread());
    for (int d = -last; d <= last; ++d) of_tables = std::gcd(of_tables, table(d));
  }
  // Weights and tables each have at most half of the bits that a sum of costs has.
  std::int64_t all = of_weights * of_tables;
  for (std::int32_t i = 0; i < energy.graph.nodes() && all != 1; ++i)
    for_each_label(i, [&](int, std::int64_t cost, int) { all = std::gcd(all, cost); });
  if (all == 0) return;
  of_weights_ = std::gcd(all, of_weights);
  of_tables_ = all / of_weights_;
}

template <class Visit>
void CostsInUnits::for_each_label(std::int32_t i, Visit&& visit) const {
  if ((i & 0xfff) == 0) control_.poll();
  const CostRow row = energy_.theta.row(i);
  const CostRow::Extent extent = row.extent(0, energy_.labels - 1);
  std::int64_t reach = 0;
  for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
    reach += energy_.w[at->edge] * spreads_[h_.kind(at->edge)];
  if (extent.most - extent.least <= reach) {
    row.visit([&](auto* theta) {
      for (int l = 0; l < energy_.labels; ++l)
        visit(l, static_cast<std::int64_t>(theta[l]) - extent.least, 0);
    });
    return;
  }
  std::vector<int> ascending(static_cast<std::size_t>(energy_.labels));
  std::iota(ascending.begin(), ascending.end(), 0);
  std::stable_sort(ascending.begin(), ascending.end(),
                   [&](int a, int b) { return row[a] < row[b]; });
  std::int64_t below = extent.least, cost = 0;
  int cuts = 0;
  for (const int l : ascending) {
    const std::int64_t step = row[l] - std::exchange(below, row[l]);
    cost += std::min(step, reach);
    cuts += step > reach;
    visit(l, cost, cuts);
  }
}

std::int64_t CostsInUnits::largest() const {
  std::int64_t edge = 0, unary = 0, degree = 0;
  for (const Table& h : h_.kinds())
    edge = std::max(edge, h.spread() + std::abs(h.least()) + (energy_.labels - 1) * h.steepest());
  for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
    for_each_label(i, [&](int, std::int64_t cost, int cuts) {
      unary = std::max(unary, cost + cuts * of_all());
    });
    std::int64_t weights = 0;
    for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
      weights += energy_.w[at->edge];
    degree = std::max(degree, weights);
  }
  return (unary + degree * edge) / of_all();
}

CostVolume CostsInUnits::unary(std::int64_t times, bool wide) const {
  CostVolume costs(energy_.graph.nodes(), energy_.labels, wide, control_);
  for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i)
    for_each_label(i, [&](int l, std::int64_t cost, int cuts) {
      costs.set(i, l, (cost / of_all() + cuts) * times);
    });
  return costs;
}

}  // namespace rangemoves
