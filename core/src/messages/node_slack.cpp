#include "rangemoves/messages/node_slack.hpp"

#include <algorithm>

#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

template <class Value>
std::vector<std::int64_t> node_slack(const ConvexProblem& problem, std::int64_t scale,
                                     EdgeAccess<Value>& edges, const Labelling& x,
                                     Control& control) {
  const Neighbourhood& graph = problem.graph;
  const int labels = problem.labels;
  std::vector<std::int64_t> slack(static_cast<std::size_t>(graph.nodes()), 0);
  LargeVector<Value> beliefs(slack.size() * static_cast<std::size_t>(labels));
  const auto belief = [&](std::int32_t i) { return beliefs.data() + std::int64_t{i} * labels; };
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if ((i & 0xfff) == 0) control.poll();
    if (!problem.takes_part(i)) continue;
    Value* to = belief(i);
    problem.unary.row(i).visit([&](auto* theta) {
      for (int l = 0; l < labels; ++l) to[l] = static_cast<Value>(theta[l] * scale);
    });
  }
  edges.for_each_tight(
      problem, polling(
                   [&](const EdgeMessages<Value>& edge) {
                     const std::int32_t i = graph.tail(edge.edge), j = graph.head(edge.edge);
                     Value *to_tail = belief(i), *to_head = belief(j);
                     for (int l = 0; l < labels; ++l) {
                       to_tail[l] += edge.p[l];
                       to_head[l] += edge.q[l];
                     }
                     const std::int64_t paid = problem.weight[edge.edge] * scale *
                                                   problem.table(edge.edge).h(x[i] - x[j]) -
                                               edge.p[x[i]] - edge.q[x[j]];
                     slack[i] += paid / 2;
                     slack[j] += paid - paid / 2;
                   },
                   control));
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if (!problem.takes_part(i)) continue;
    const Value* at = belief(i);
    slack[i] += at[x[i]] - *std::min_element(at, at + labels);
  }
  return slack;
}

template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int32_t>&, const Labelling&,
                                              Control&);
template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int64_t>&, const Labelling&,
                                              Control&);

}  // namespace rangemoves
