// Islands: small parts of a problem that are solved by themselves. Messages at the border become
// unary costs, so that the bounds of all islands and of the variables outside add up to a bound of
// the whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

// Variables of the whole problem by their rank, in order, joined by edges.
using IslandNodes = std::vector<std::int32_t>;

// Which variables are to lie in islands.
class IslandMap {
 public:
  explicit IslandMap(const OrderedGraph& graph);

  bool is_inside(std::int32_t i) const { return inside_[static_cast<std::size_t>(i)] != 0; }

  // Takes in the nearest `count` variables around this one, itself included. False where all of
  // them were inside before.
  bool add_around(std::int32_t i, std::size_t count);
  // Takes in all variables that have neighbours. Of the others the least cost is the optimum.
  void add_all();

  // The connected parts, by their first variable. owner: per variable its island, or -1.
  std::vector<IslandNodes> parts(std::vector<std::int32_t>& owner) const;

 private:
  std::vector<std::int64_t> first_;  // per node, of its neighbours
  std::vector<std::int32_t> others_;
  std::vector<std::uint8_t> inside_;
  std::vector<std::int32_t> seen_, near_;
  std::int32_t searches_ = 0;
};

// The problem of one island in finer units: all costs are multiplied by `finer`. Starts with the
// messages of the whole.
template <class Value>
std::unique_ptr<LazyMessages<std::int64_t>> island_problem(const LazyMessages<Value>& whole,
                                                           const std::vector<ConvexTable>& tables,
                                                           const IslandNodes& nodes,
                                                           const std::vector<std::int32_t>& owner,
                                                           std::int64_t finer) {
  const std::int32_t me = owner[static_cast<std::size_t>(nodes.front())];
  const auto local = [&](std::int32_t i) {
    return static_cast<std::int32_t>(std::lower_bound(nodes.begin(), nodes.end(), i) -
                                     nodes.begin());
  };
  OrderedGraph graph{static_cast<std::int32_t>(nodes.size()), {}};
  for (const std::int32_t i : nodes)
    for (std::int32_t k = whole.node(i).before; k < whole.node(i).before + whole.node(i).after;
         ++k) {
      const std::int32_t e = whole.arcs(i)[k].edge;
      OrderedEdge edge = whole.graph().edges[static_cast<std::size_t>(e)];
      if (owner[static_cast<std::size_t>(edge.later)] != me) continue;
      edge.earlier = local(i);
      edge.later = local(edge.later);
      edge.weight *= finer;
      edge.origin = e;
      graph.edges.push_back(edge);
    }
  graph.sort();
  auto problem = std::make_unique<LazyMessages<std::int64_t>>(std::move(graph), tables,
                                                              whole.labels(), 1, nullptr);
  AlignedArray<Value> room = whole.make_room();
  std::vector<Value> implied(static_cast<std::size_t>(whole.stride()));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::int32_t i = nodes[n];
    std::int64_t* unary = problem->unary(static_cast<std::int32_t>(n));
    for (int l = 0; l < whole.labels(); ++l) unary[l] = whole.unary(i)[l];
    for (std::int32_t k = 0; k < whole.node(i).before + whole.node(i).after; ++k) {
      const LazyArc& arc = whole.arcs(i)[k];
      if (owner[static_cast<std::size_t>(arc.other)] == me) continue;
      const Value* message = whole.message(arc.edge, false);
      if (k < whole.node(i).before) {
        whole.imply(arc.edge, false, message, implied.data(), room.data());
        message = implied.data();
      }
      for (int l = 0; l < whole.labels(); ++l) unary[l] += message[l];
    }
    for (int l = 0; l < whole.labels(); ++l) unary[l] *= finer;
  }
  for (std::size_t e = 0; e < problem->graph().edges.size(); ++e)
    for (const bool to_later : {false, true}) {
      const Value* from = whole.message(problem->graph().edges[e].origin, to_later);
      std::int64_t* to = problem->message(static_cast<std::int64_t>(e), to_later);
      for (int l = 0; l < whole.labels(); ++l) to[l] = from[l] * finer;
    }
  return problem;
}

}  // namespace rangemoves
