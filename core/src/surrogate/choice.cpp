#include "rangemoves/surrogate/choice.hpp"

#include <algorithm>
#include <stdexcept>

namespace rangemoves {

SurrogateTables::SurrogateTables(const PerEdge<Table>& h) {
  first_ = h.map([&](const Table& table) {
    tables_.emplace_back(table);
    return static_cast<std::int32_t>(tables_.size()) - 1;
  });
}

SurrogateTables SurrogateTables::chords(const PerEdge<Table>& g,
                                        const PerEdge<ConvexRange>& ranges) {
  SurrogateTables s;
  auto of_table = ranges.kinds().begin();
  s.by_difference_ = true;
  s.first_ = g.map([&](const Table& table) {
    const ConvexRange range = *of_table++;
    const auto zero = static_cast<std::int32_t>(s.tables_.size()) + range.left;
    for (int d = -range.left; d <= range.right; ++d)
      s.tables_.emplace_back(chord_surrogate(table, range, d));
    return zero;
  });
  return s;
}

namespace {

ConvexProblem empty_problem(const Energy& energy, const Labelling& x,
                            const SurrogateTables& surrogate) {
  ConvexProblem problem{energy.graph,
                        energy.labels,
                        {energy.theta, energy.graph.nodes(), energy.labels},
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
  if (!problem.table_of_edge.empty()) problem.table_of_edge[e] = surrogate.of(e, d);
}

// Active variables with a neighbour that is not.
std::int64_t count_border(const Energy& energy, const Mask& active, Control& control) {
  std::int64_t count = 0;
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    if ((i & 0xfff) == 0) control.poll();
    if (!active[i]) continue;
    count += std::any_of(energy.graph.begin(i), energy.graph.end(i),
                         [&](const Incidence& at) { return !active[at.other]; });
  }
  return count;
}

}  // namespace

ConvexProblem choose_active(const Energy& energy, const Labelling& x, const Mask& active, int low,
                            int high, const SurrogateTables& surrogate, Control& control) {
  ConvexProblem problem = empty_problem(energy, x, surrogate);
  problem.unary.expect_own_rows(count_border(energy, active, control));
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    if ((i & 0xfff) == 0) control.poll();
    if (!active[i]) continue;
    problem.low[i] = low;
    problem.high[i] = high;
    for (const Incidence* at = energy.graph.begin(i); at != energy.graph.end(i); ++at) {
      const std::int32_t j = at->other;
      if (!active[j])
        for (int l = low; l <= high; ++l) problem.unary.add(i, l, energy.seen_from(*at, l, x[j]));
      else if (at->is_tail)
        switch_on(problem, at->edge, energy, x[i] - x[j], surrogate);
    }
  }
  return problem;
}

std::vector<std::uint8_t> close_edges(const Energy& energy, const Labelling& x,
                                      const PerEdge<ConvexRange>& ranges) {
  std::vector<std::uint8_t> close(static_cast<std::size_t>(energy.graph.edges()));
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    close[e] = ranges[e].contains(x[energy.graph.tail(e)] - x[energy.graph.head(e)]);
  return close;
}

ConvexProblem choose_edges(const Energy& energy, const Labelling& x,
                           const std::vector<std::uint8_t>& edges,
                           const SurrogateTables& surrogate) {
  ConvexProblem problem = empty_problem(energy, x, surrogate);
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
