// Iteratively reweighted graph cut (Ajanthan, Hartley, Salzmann, Li 2015): g = b(h) with a convex h
// and a concave b. The line that touches b at the current difference lies above it; so with every
// edge weighted by its slope there, h instead of g, one exact cut over all labels cannot raise the
// energy. In turns with alpha-expansion it leaves more local minima behind.
#include <algorithm>
#include <cmath>

#include "rangemoves/moves/expansion.hpp"
#include "rangemoves/surrogate/choice.hpp"

namespace rangemoves {

namespace {

// The least slope of a line that touches b at difference d: g(k) - g(d) <= slope (h(k) - h(d))
// wherever h(k) > h(d). The least slope restrains the edge least. A concave b has slopes of at most
// 1; where b is not concave no line lies above it, and a steeper one could only overflow.
double slope_at(const Table& g, const Table& h, int d) {
  double slope = 0;
  for (int k = -(g.labels() - 1); k < g.labels(); ++k)
    if (h(k) > h(d))
      slope = std::max(slope, static_cast<double>(g(k) - g(d)) / static_cast<double>(h(k) - h(d)));
  return std::min(slope, 1.0);
}

// slope * h, by way of its bends, which stay convex when they are rounded.
Table weighted(const Table& h, double slope) {
  const int last = h.labels() - 1;
  const auto scaled = [&](std::int64_t v) {
    return static_cast<std::int64_t>(std::llround(slope * static_cast<double>(v)));
  };
  Table t = h;
  t.at(0) = 0;
  if (last == 0) return t;
  t.at(1) = scaled(h(1) - h(0));
  t.at(-1) = scaled(h(1) - 2 * h(0) + h(-1)) - t(1);
  for (int d = 1; d < last; ++d) {
    t.at(d + 1) = 2 * t(d) - t(d - 1) + scaled(h.second_difference(d));
    t.at(-d - 1) = 2 * t(-d) - t(1 - d) + scaled(h.second_difference(-d));
  }
  return t;
}

class Reweighting {
 public:
  explicit Reweighting(MoveLoop& loop) : loop_(loop) {
    by_difference_ = loop.energy().g.map([this](const Table& g) { return tables_of(g); });
  }

  // One cut.
  bool step() {
    const Energy& energy = loop_.energy();
    const Labelling& x = loop_.labels();
    ConvexProblem problem{energy.graph,
                          energy.labels,
                          {energy.theta, energy.graph.nodes(), energy.labels},
                          {},
                          tables_,
                          {},
                          {},
                          {}};
    problem.low.assign(x.size(), 0);
    problem.high.assign(x.size(), energy.labels - 1);
    problem.weight.assign(static_cast<std::size_t>(energy.graph.edges()), 0);
    if (tables_.size() > 1) problem.table_of_edge.assign(problem.weight.size(), 0);
    for (std::int64_t e = 0; e < energy.graph.edges(); ++e) {
      const int d = x[energy.graph.tail(e)] - x[energy.graph.head(e)];
      const std::int32_t table = by_difference_[e][static_cast<std::size_t>(d + energy.labels - 1)];
      if (table < 0) continue;
      problem.weight[e] = energy.w[e];
      if (tables_.size() > 1) problem.table_of_edge[e] = table;
    }
    return loop_.make(std::move(problem), loop_.taking_part());
  }

  bool run() {
    bool any = false;
    while (step()) any = true;
    return any;
  }

 private:
  MoveLoop& loop_;
  std::vector<ConvexTable> tables_;
  // The table of an edge by its difference; -1: the edge is left out.
  PerEdge<std::vector<std::int32_t>> by_difference_;

  std::vector<std::int32_t> tables_of(const Table& g) {
    const ConvexRange range = convex_range(g);
    const Table h = tight_surrogate(g, range);
    const auto itself = static_cast<std::int32_t>(tables_.size());
    tables_.emplace_back(h);
    std::vector<std::int32_t> by_difference;
    for (int d = -(g.labels() - 1); d < g.labels(); ++d) {
      // Inside the convex range b is the identity.
      if (is_convex(g) || (-range.left < d && d < range.right)) {
        by_difference.push_back(itself);
        continue;
      }
      const double slope = slope_at(g, h, d);
      by_difference.push_back(slope > 0 ? static_cast<std::int32_t>(tables_.size()) : -1);
      if (slope > 0) tables_.emplace_back(weighted(h, slope));
    }
    return by_difference;
  }
};

}  // namespace

void irgc(MoveLoop& loop) {
  Reweighting(loop).run();
  if (is_convex(loop.energy())) loop.claim_optimal();
}

void irgc_expansion(MoveLoop& loop) {
  Reweighting reweighting(loop);
  ExpansionCycles cycles(loop);
  reweighting.run();
  if (is_convex(loop.energy())) loop.claim_optimal();
  while (true) {
    bool any = false;
    while (cycles.run()) any = true;
    if (!any || !reweighting.run()) return;
    cycles.labels_changed();
  }
}

}  // namespace rangemoves
