#include "rangemoves/messages/node_slack.hpp"

#include <algorithm>

#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

namespace {

// Bytes of beliefs held at a time: beside large messages there is room for few.
constexpr std::int64_t kMostBeliefs = std::int64_t{1} << 26;

// Adds the slack of the variables that have a place, the number of their belief.
template <class Value>
void add_slack(const ConvexProblem& problem, std::int64_t scale, EdgeAccess<Value>& edges,
               const Labelling& x, const std::uint8_t* chosen,
               const std::vector<std::int32_t>& place, std::int32_t places,
               std::vector<std::int64_t>& slack, Control& control) {
  const Neighbourhood& graph = problem.graph;
  const int labels = problem.labels;
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
}

}  // namespace

template <class Value>
std::vector<std::int64_t> node_slack(const ConvexProblem& problem, std::int64_t scale,
                                     EdgeAccess<Value>& edges, const Labelling& x,
                                     const std::uint8_t* chosen, Control& control,
                                     std::int64_t most_beliefs) {
  const std::int32_t n = problem.graph.nodes();
  if (most_beliefs == 0) most_beliefs = kMostBeliefs;
  const auto row = static_cast<std::int64_t>(sizeof(Value)) * problem.labels;
  const std::int64_t at_a_time = std::max<std::int64_t>(1, most_beliefs / row);
  std::vector<std::int64_t> slack(static_cast<std::size_t>(n), 0);
  std::vector<std::int32_t> place(slack.size(), -1);
  std::vector<std::uint8_t> stretch;  // the variables of this one; empty: all that are chosen
  std::int32_t first = 0;             // of those that have a place
  for (std::int32_t i = 0, places = 0; i <= n; ++i) {
    const bool asked = i < n && problem.takes_part(i) && (!chosen || chosen[i]);
    if (asked && places < at_a_time) {
      place[i] = places++;
      continue;
    }
    if (!asked && i < n) continue;
    // Here is no room for more, or all have a place.
    const bool only = first == 0 && i == n;
    if (!only) {
      stretch.assign(slack.size(), 0);
      for (std::int32_t k = first; k < i; ++k) stretch[k] = place[k] >= 0;
    }
    add_slack(problem, scale, edges, x, only ? chosen : stretch.data(), place, places, slack,
              control);
    std::fill(place.begin() + first, place.begin() + i, -1);
    first = i;
    if (i < n) place[i] = 0;
    places = 1;
  }
  return slack;
}

std::int64_t node_slack_bytes(std::int64_t variables, std::int64_t chosen, int labels, bool wide) {
  return variables * 13 + std::min(kMostBeliefs, chosen * labels * (wide ? 8 : 4));
}

template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int32_t>&, const Labelling&,
                                              const std::uint8_t*, Control&, std::int64_t);
template std::vector<std::int64_t> node_slack(const ConvexProblem&, std::int64_t,
                                              EdgeAccess<std::int64_t>&, const Labelling&,
                                              const std::uint8_t*, Control&, std::int64_t);

}  // namespace rangemoves
