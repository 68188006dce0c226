// The edges of a range expansion, and messages on them.
//
// An edge costs w g between two labels of the range; where one of its ends keeps its label or both
// do, it costs what two vectors of its own say. The whole is submodular. Messages p (to the tail)
// and q (to the head) move cost from the edges to the variables and on to the next edge, there and
// back, which raises a lower bound: then the cut has little left to do. What they leave on an edge,
// c(s,t) - p(s) - q(t) >= 0, becomes its cells as in staircase.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/flow/column_graph.hpp"
#include "rangemoves/flow/staircase.hpp"
#include "rangemoves/problem/energy.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

class RangeMessages {
 public:
  // The states of a variable: the labels of the range in order, and `keep` below or above them.
  RangeMessages(int states, std::int64_t most_edges);

  static std::int64_t bytes(std::int64_t edges, std::int64_t states);

  // Begins a new move with this number of variables and this state for "keep".
  void clear(std::int32_t variables, int keep);

  // tail_keeps(t): its cost where the tail keeps and the head has state t; head_keeps(s): where the
  // head keeps and the tail has state s.
  void add_edge(ColumnGraph::Edge edge, std::int64_t w, const Table& g,
                const std::vector<std::int64_t>& tail_keeps,
                const std::vector<std::int64_t>& head_keeps);

  const std::vector<ColumnGraph::Edge>& edges() const { return edges_; }
  std::int64_t cost(std::size_t edge, int s, int t) const;

  // Sweeps until another one would cost more than the cut it saves. unary: variables x states; the
  // cost that messages take from the edges is added to it.
  void sweep(LargeVector<std::int64_t>& unary, Control& control);

  // Turns what the messages left on the edges into capacities.
  void fill_cells(LargeVector<ColumnGraph::Cell>& cells, Control& control);

 private:
  // One edge as seen from one of its ends.
  struct Link {
    std::int32_t edge, other;
    bool is_tail;
  };

  std::size_t at(std::int64_t row, int s = 0) const {
    return static_cast<std::size_t>(row * states_ + s);
  }
  int first() const { return keep_ == 0 ? 1 : 0; }  // of the states that are labels of the range
  int end() const { return keep_ == 0 ? states_ : states_ - 1; }
  template <bool to_head>
  void send(std::size_t edge, const std::int64_t* given, std::int64_t* answer);
  template <bool forward>
  void sweep_once(LargeVector<std::int64_t>& unary, Control& control);
  void link_up();
  void tighten(LargeVector<std::int64_t>& unary, Control& control);
  std::int64_t bound(const LargeVector<std::int64_t>& unary) const;

  const int states_;
  int keep_ = 0;
  std::int32_t variables_ = 0;
  std::vector<ColumnGraph::Edge> edges_;
  LargeVector<std::int64_t> w_;                        // per edge
  std::vector<const Table*> g_;                        // per edge
  LargeVector<std::int64_t> tail_keeps_, head_keeps_;  // edges x states
  LargeVector<std::int64_t> p_, q_;                    // edges x states
  std::vector<std::int32_t> first_link_;
  LargeVector<Link> links_;
  std::vector<std::int64_t> weighted_, answer_, share_;  // of one edge, one message, one variable
  std::vector<Stair> stairs_;
};

}  // namespace rangemoves
