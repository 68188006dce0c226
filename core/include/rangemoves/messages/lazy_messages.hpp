// Sweeps that visit a node only if a message to it has moved: after some dozens of full sweeps most
// of them stand still, and what is left of the work is done at a fraction of the cost. Nodes and
// edges are numbered in the order of the sweeps.
//
// Each edge keeps both of its messages. A bound needs only those to the earlier nodes: whatever
// they are, the largest feasible ones to the later nodes follow from them, and then no labelling
// costs less than the sum of the least beliefs. See Beliefs below. It is computed anew when it is
// asked for; no sum that was kept up during a sweep is ever believed.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/messages/node_rows.hpp"
#include "rangemoves/messages/shapes.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/aligned.hpp"

namespace rangemoves {

struct OrderedEdge {
  std::int32_t earlier, later;
  std::int32_t table;
  bool tail_is_earlier;
  std::int64_t weight;  // scaled
  std::int64_t origin;  // its number in the list that it came from
};

// Edges that cost something, sorted by their earlier node, then by their later one.
struct OrderedGraph {
  std::int32_t nodes = 0;
  std::vector<OrderedEdge> edges;

  void sort();
};

// All edges of a problem that are switched on, nodes by rank.
OrderedGraph ordered_graph(const ConvexProblem& problem, std::int64_t scale, Control& control);

template <class Value>
class LazyMessages {
 public:
  LazyMessages(OrderedGraph graph, const std::vector<ConvexTable>& tables, int labels, int threads,
               Control* control);
  LazyMessages(const LazyMessages&) = delete;

  const OrderedGraph& graph() const { return graph_; }
  std::int32_t nodes() const { return graph_.nodes; }
  int labels() const { return labels_; }
  const MessageNode& node(std::int32_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  // First those to earlier nodes, then those to later ones.
  const LazyArc* arcs(std::int32_t i) const { return arcs_.data() + node(i).first; }

  // Scaled; unreachable<Value> where the label is left out.
  Value* unary(std::int32_t i) { return unary_.data() + std::int64_t{i} * stride_; }
  const Value* unary(std::int32_t i) const { return unary_.data() + std::int64_t{i} * stride_; }
  bool has(std::int32_t i, int l) const { return unary(i)[l] < unreachable<Value>; }

  Value* message(std::int64_t edge, bool to_later) {
    return messages_.data() + (2 * edge + to_later) * stride_;
  }
  const Value* message(std::int64_t edge, bool to_later) const {
    return messages_.data() + (2 * edge + to_later) * stride_;
  }

  // What an edge costs.
  std::int64_t cost(const OrderedEdge& edge, int earlier, int later) const {
    const Table& g = (*tables_)[static_cast<std::size_t>(edge.table)].h;
    return edge.weight * (edge.tail_is_earlier ? g(earlier - later) : g(later - earlier));
  }

  void mark(std::int32_t i);
  void mark_all();

  // Visits the marked nodes; messages that move by no more than eps mark nobody. Returns how many
  // were visited. With rows: by their threads.
  std::int64_t sweep(bool forward, std::int64_t eps, const NodeRows* rows, Control* control);

  // A labelling: every node takes its best label given those that have one already, in this
  // direction, and the messages from the others.
  Labelling decode(bool forward) const;

  // The belief of a node with everything that is sent to it.
  void collect(std::int32_t i, std::int64_t* belief) const;

  // given: a message to one end of an edge, `to_later` or not. Returns, for the labels of the other
  // end, the largest message that is feasible beside it: out(b) = min_a (cost(a, b) - given(a))
  // over the labels a that are not left out.
  void imply(std::int64_t edge, bool to_later, const Value* given, Value* out, Value* room) const;

  // out(b) = min_a (v(a) + cost(a, b)), from the earlier end to the later one or the other way; "no
  // label" in v takes no part.
  void send(std::int64_t edge, bool to_later, const Value* v, Value* out, Value* room) const;
  AlignedArray<Value> make_room() const;
  std::int32_t stride() const { return stride_; }

  // visit(node, belief, implied) in the order of the nodes: its unary cost with the messages to
  // earlier nodes as they are and those to later ones implied. implied(k): that of its k-th edge to
  // an earlier node. The sum over all nodes of the least belief is a lower bound.
  template <class Visit>
  void beliefs(Visit&& visit) const;

  // That sum.
  std::int64_t bound() const;

  // All messages, to go back to them.
  std::vector<Value> copy_messages() const;
  void set_messages(const std::vector<Value>& messages);
  // Those to earlier nodes only, edge by edge, without padding.
  std::vector<std::int64_t> messages_to_earlier() const;

 private:
  OrderedGraph graph_;
  const std::vector<ConvexTable>* tables_;
  std::int32_t labels_, stride_;
  const Kernels<Value>& kernels_;
  std::vector<ShapePair<Value>> shapes_;
  std::vector<EdgeShape<Value>> shape_list_;  // of table t: what the tail sends at 2 t, what the
                                              // head sends at 2 t + 1
  AlignedArray<Value> unary_, messages_;
  std::vector<Value> weight_;
  std::vector<MessageNode> nodes_;
  std::vector<LazyArc> arcs_;
  AlignedArray<std::uint8_t> forward_marks_, backward_marks_;
  std::vector<AlignedArray<Value>> scratch_;

  void list_arcs();
  // What the earlier end sends, or the later one.
  const EdgeShape<Value>& shape(std::int64_t edge, bool to_later) const {
    const OrderedEdge& e = graph_.edges[static_cast<std::size_t>(edge)];
    return shape_list_[static_cast<std::size_t>(2 * e.table + (e.tail_is_earlier != to_later))];
  }
};

template <class Value>
template <class Visit>
void LazyMessages<Value>::beliefs(Visit&& visit) const {
  AlignedArray<Value> room = make_room();
  std::vector<std::int64_t> belief(static_cast<std::size_t>(labels_));
  std::vector<Value> implied;
  for (std::int32_t i = 0; i < nodes(); ++i) {
    const MessageNode& at = node(i);
    const auto stride = static_cast<std::size_t>(stride_);
    implied.resize(stride * static_cast<std::size_t>(at.before));
    for (int l = 0; l < labels_; ++l) belief[static_cast<std::size_t>(l)] = unary(i)[l];
    for (std::int32_t k = 0; k < at.before + at.after; ++k) {
      const std::int32_t e = arcs(i)[k].edge;
      const Value* m = message(e, false);
      if (k < at.before) {
        Value* out = implied.data() + stride * static_cast<std::size_t>(k);
        imply(e, false, m, out, room.data());
        m = out;
      }
      for (int l = 0; l < labels_; ++l) belief[static_cast<std::size_t>(l)] += m[l];
    }
    visit(i, static_cast<const std::int64_t*>(belief.data()), [&](std::int32_t k) {
      return static_cast<const Value*>(implied.data() + stride * static_cast<std::size_t>(k));
    });
  }
}

}  // namespace rangemoves
