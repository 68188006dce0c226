#include "rangemoves/problem/convex_problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace rangemoves {

ConvexTable::ConvexTable(Table table) : h(std::move(table)) {
  if (!is_convex(h)) throw std::invalid_argument("a move needs a convex function on every edge");
  read_off();
}

ConvexTable ConvexTable::of_any(Table table) {
  ConvexTable any;
  any.h = std::move(table);
  any.read_off();
  return any;
}

void ConvexTable::read_off() {
  const int end = h.labels() - 1;
  for (int d = -(end - 1); d <= end - 1; ++d) {
    bend.push_back(h.second_difference(d));
    if (bend.back() == 0) continue;
    if (d < 0) left = std::max(left, -d);
    if (d > 0) right = std::max(right, d);
  }
  std::int64_t least = h(0);
  for (int d = -end; d < end; ++d) {
    steepest = std::max(steepest, std::abs(h(d + 1) - h(d)));
    least = std::min({least, h(d), h(d + 1)});
  }
  rests_at_zero = h(0) == 0 && least == 0;
}

std::int64_t ConvexProblem::energy(const Labelling& x) const {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (takes_part(i)) sum += unary(i, x[i]);
  const auto add_edges = [&](auto&& table_at) {
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      if (weight[e] > 0) sum += weight[e] * table_at(e)(x[graph.tail(e)] - x[graph.head(e)]);
  };
  // One table for all, as most problems have: it is not looked up for every edge.
  if (table_of_edge.empty() && !tables.empty())
    add_edges([&h = tables.front().h](std::int64_t) -> const Table& { return h; });
  else
    add_edges([&](std::int64_t e) -> const Table& { return table(e).h; });
  return sum;
}

std::int64_t ConvexProblem::largest_unary(std::int32_t i) const {
  const CostRow::Extent extent = unary.row(i).extent(low[i], high[i]);
  return std::max(std::abs(extent.least), std::abs(extent.most));
}

}  // namespace rangemoves
