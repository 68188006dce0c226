#include "rangemoves/choice.hpp"

#include <stdexcept>

namespace rangemoves {

SurrogateTables SurrogateTables::same_for_all(Table h) {
  SurrogateTables s;
  s.tables_.emplace_back(std::move(h));
  return s;
}

SurrogateTables SurrogateTables::chords(const Table& g, ConvexRange range) {
  SurrogateTables s;
  s.left_ = range.left;
  for (int d = -range.left; d <= range.right; ++d)
    s.tables_.emplace_back(chord_surrogate(g, range, d));
  return s;
}

namespace {

ConvexProblem empty_problem(const Energy& energy, const Labelling& x,
                            const SurrogateTables& surrogate, Control& control) {
  ConvexProblem problem{energy.graph,
                        energy.labels,
                        {energy.theta, energy.graph.nodes(), energy.labels, control},
                        {},
                        surrogate.tables(),
                        {},
                        x,
                        x};
  problem.weight.assign(static_cast<std::size_t>(energy.graph.edges()), 0);
  if (surrogate.tables().size() > 1)
    problem.table_of_edge.assign(static_cast<std::size_t>(energy.graph.edges()), 0);
  return problem;
}

void switch_on(ConvexProblem& problem, std::int64_t e, const Energy& energy, int d,
               const SurrogateTables& surrogate) {
  problem.weight[e] = energy.w[e];
  if (!problem.table_of_edge.empty()) problem.table_of_edge[e] = surrogate.of(d);
}

template <class Cost>
void add_border(ConvexProblem& problem, std::int32_t i, Cost&& cost) {
  for (int l = problem.low[i]; l <= problem.high[i]; ++l) problem.unary.add(i, l, cost(l));
}

}  // namespace

ConvexProblem choose_active(const Energy& energy, const Labelling& x, const Mask& active, int low,
                            int high, const SurrogateTables& surrogate, Control& control) {
  ConvexProblem problem = empty_problem(energy, x, surrogate, control);
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    if (!active[i]) continue;
    problem.low[i] = low;
    problem.high[i] = high;
  }
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e) {
    if ((e & 0xfff) == 0) control.poll();
    const std::int32_t i = energy.graph.tail(e), j = energy.graph.head(e);
    if (active[i] && active[j])
      switch_on(problem, e, energy, x[i] - x[j], surrogate);
    else if (active[i])
      add_border(problem, i, [&](int l) { return energy.w[e] * energy.g(l - x[j]); });
    else if (active[j])
      add_border(problem, j, [&](int l) { return energy.w[e] * energy.g(x[i] - l); });
  }
  return problem;
}

std::vector<std::uint8_t> close_edges(const Energy& energy, const Labelling& x, ConvexRange range) {
  std::vector<std::uint8_t> close(static_cast<std::size_t>(energy.graph.edges()));
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    close[e] = range.contains(x[energy.graph.tail(e)] - x[energy.graph.head(e)]);
  return close;
}

ConvexProblem choose_edges(const Energy& energy, const Labelling& x,
                           const std::vector<std::uint8_t>& edges, const SurrogateTables& surrogate,
                           Control& control) {
  ConvexProblem problem = empty_problem(energy, x, surrogate, control);
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    problem.low[i] = 0;
    problem.high[i] = energy.labels - 1;
  }
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    if (edges[e])
      switch_on(problem, e, energy, x[energy.graph.tail(e)] - x[energy.graph.head(e)], surrogate);
  return problem;
}

}  // namespace rangemoves
