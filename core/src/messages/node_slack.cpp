#include "rangemoves/messages/node_slack.hpp"

#include <algorithm>

#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

template <class Value>
std::vector<std::int64_t> node_slack(const ConvexProblem& problem, std::int64_t scale,
                                     EdgeAccess<Value>& edges, const Labelling& x,
                                     const std::uint8_t* chosen, Control& control) {
  const Neighbourhood& graph = problem.graph;
  const int labels = problem.labels;
  std::vector<std::int64_t> slack(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<std::int32_t> place(slack.size(), -1);  // of a variable's beliefs
  std::int32_t places = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (problem.takes_part(i) && (!chosen || chosen[i])) place[i] = places++;
  LargeVector<Value> beliefs(static_cast<std::size_t>(places) * static_cast<std::size_t>(labels));
  const auto belief = [&](std::int32_t i) {
    return beliefs.data() + std::int64_t{place[i]} * labels;
  };
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if ((i & 0xfff) == 0) control.poll();
    if (place[i] < 0) continue;
    Value* to = belief(i);
    problem.unary.row(i).visit([&](auto* theta) {
      for (int l = 0; l < labels; ++l) to[l] = static_cast<Value>(theta[l] * scale);
    });
  }
  const auto add = [&](std::int32_t i, const MessageVector<Value>& message) {
    if (place[i] < 0) return;
    Value* to = belief(i);
    for (int l = 0; l < labels; ++l) to[l] += message[l];
  };
  const auto visit = [&](const EdgeMessages<Value>& edge, int) {
    const std::int32_t i = graph.tail(edge.edge), j = graph.head(edge.edge);
    add(i, edge.p);
    add(j, edge.q);
    const std::int64_t paid =
        problem.weight[edge.edge] * scale * problem.table(edge.edge).h(x[i] - x[j]) - edge.p[x[i]] -
        edge.q[x[j]];
    if (place[i] >= 0) slack[i] += paid / 2;
    if (place[j] >= 0) slack[j] += paid - paid / 2;
  };
  edges.share_tight(problem, chosen, EdgeOrder::any, control, visit);
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if (place[i] < 0) continue;
    const Value* at = belief(i);
    slack[i] += at[x[i]] - *std::min_element(at, at + labels);
  }
  return slack;
}

std::int64_t node_slack_bytes(std::int64_t variables, std::int64_t chosen, int labels, bool wide) {
  return variables * 12 + chosen * labels * (wide ? 8 : 4);
}

template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int32_t>&, const Labelling&,
                                              const std::uint8_t*, Control&);
template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int64_t>&, const Labelling&,
                                              const std::uint8_t*, Control&);

}  // namespace rangemoves
