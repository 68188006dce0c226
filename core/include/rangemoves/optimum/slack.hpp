// Where a labelling pays more than the bound: what its labels and edges cost above the least they
// could, given the messages. The sum over all nodes is the gap between its value and the bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

struct SlackMap {
  std::vector<std::int64_t> least;  // per node: what it adds to the bound
  std::vector<std::int64_t> slack;  // per node; what an edge pays is shared by its ends
  std::int64_t bound = 0, total = 0;
};

// Where x has a label that is left out of the problem nothing is counted: the cost that stands
// there only says that the label is left out.
template <class Value>
SlackMap slack_map(const LazyMessages<Value>& problem, const Labelling& x) {
  const auto nodes = static_cast<std::size_t>(problem.nodes());
  SlackMap map{std::vector<std::int64_t>(nodes), std::vector<std::int64_t>(nodes), 0, 0};
  problem.beliefs([&](std::int32_t i, const std::int64_t* belief, auto&& implied) {
    const auto here = static_cast<std::size_t>(i);
    const int mine = x[here];
    map.least[here] = *std::min_element(belief, belief + problem.labels());
    map.bound += map.least[here];
    if (!problem.has(i, mine)) return;
    map.slack[here] += belief[mine] - map.least[here];
    map.total += belief[mine] - map.least[here];
    for (std::int32_t k = 0; k < problem.node(i).before; ++k) {
      const std::int32_t e = problem.arcs(i)[k].edge;
      const OrderedEdge& edge = problem.graph().edges[static_cast<std::size_t>(e)];
      const auto there = static_cast<std::size_t>(edge.earlier);
      const int theirs = x[there];
      if (!problem.has(edge.earlier, theirs)) continue;
      const std::int64_t paid =
          problem.cost(edge, theirs, mine) - problem.message(e, false)[theirs] - implied(k)[mine];
      map.slack[here] += paid / 2;
      map.slack[there] += paid - paid / 2;
      map.total += paid;
    }
  });
  return map;
}

}  // namespace rangemoves
