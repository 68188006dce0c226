#include <algorithm>
#include <cstdlib>

#include "rangemoves/messages/node_rows.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/aligned.hpp"

namespace rangemoves {

namespace {

// Any graph: vectors over labels.
template <class Value>
class LabelMessages : public StoredMessages<Value> {
 public:
  LabelMessages(const ConvexProblem& problem, std::int64_t scale, int threads, Control& control)
      : StoredMessages<Value>(problem),
        scale_(scale),
        kernels_(chosen_level().of<Value>()),
        stride_(stride_for(problem.labels, kernels_.lanes)),
        unary_(static_cast<std::size_t>(graph_.nodes()) * stride_, &control),
        messages_(static_cast<std::size_t>(graph_.edges()) * stride_, &control),
        weight_(static_cast<std::size_t>(graph_.edges()), 0),
        nodes_(static_cast<std::size_t>(graph_.nodes())),
        rows_(graph_, useful_threads(threads, static_cast<std::int64_t>(graph_.nodes()) * labels_),
              control) {
    if (!graph_.keeps_order()) lay_out_edges(control);
    for (int t = 0; t < rows_.threads(); ++t)
      scratch_.emplace_back(static_cast<std::size_t>(scratch_size(stride_)));
  }

  void load(const ConvexProblem& problem, const UnaryRows& given, Control& control) override {
    const UnaryRows unary_of = this->rows_or_own(problem, given);
    this->changed_.resize(static_cast<std::size_t>(graph_.nodes()));
    shapes_.clear();
    shape_list_.clear();
    for (const ConvexTable& table : problem.tables) shapes_.emplace_back(table);
    for (const ShapePair<Value>& pair : shapes_)
      shape_list_.insert(shape_list_.end(), {pair.from_tail(), pair.from_head()});
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      const std::int32_t r = graph_.rank(i);
      Value* unary = unary_.data() + static_cast<std::int64_t>(r) * stride_;
      nodes_[r].takes_part = problem.takes_part(i);
      Value other = 0;
      if (nodes_[r].takes_part)
        scaled_unary<Value>(unary_of(i), labels_, scale_, [&](int l, Value cost) {
          other |= unary[l] ^ cost;
          unary[l] = cost;
        });
      else
        std::fill_n(unary, labels_, unreachable<Value>);
      std::fill(unary + labels_, unary + stride_, unreachable<Value>);
      this->changed_[i] = other != 0;
    }
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      const Value w = static_cast<Value>(problem.weight[e] * scale_);
      if (w == weight_[place(e)]) continue;
      weight_[place(e)] = w;
      std::fill_n(message(e), stride_, Value{0});
    }
    arcs_.clear();
    arcs_.reserve(2 * static_cast<std::size_t>(graph_.edges()));
    std::vector<Incidence> incidence;
    for (std::int32_t r = 0; r < graph_.nodes(); ++r) {
      if ((r & 0xff) == 0) control.poll();
      const std::int32_t i = graph_.at_rank(r);
      MessageNode& node = nodes_[r];
      node.first = static_cast<std::int64_t>(arcs_.size());
      node.before = node.after = 0;
      incidence.clear();
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n)
        if (problem.weight[n->edge] > 0) incidence.push_back(*n);
      for (Incidence& n : incidence) n.other = graph_.rank(n.other);
      std::sort(incidence.begin(), incidence.end(), [](const Incidence& a, const Incidence& b) {
        return a.other != b.other ? a.other < b.other : a.edge < b.edge;
      });
      for (const Incidence& n : incidence) {
        const std::int32_t table =
            problem.table_of_edge.empty() ? 0 : problem.table_of_edge[n.edge];
        arcs_.push_back(
            {static_cast<std::int32_t>(place(n.edge)), 2 * table + (n.is_tail ? 0 : 1)});
        ++(n.other < r ? node.before : node.after);
      }
    }
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const SweepView<Value> view{labels_,
                                stride_,
                                unary_.data(),
                                messages_.data(),
                                nodes_.data(),
                                arcs_.data(),
                                weight_.data(),
                                shape_list_.data(),
                                graph_.topology().is_forest()};
    RankedNote ranked(graph_, note);
    const std::int64_t bound =
        rows_.walk(forward, control, [&](std::int32_t first, std::int32_t last, int thread) {
          return kernels_.sweep(view, first, last, forward, ranked.get(), scratch_[thread].data());
        });
    ranked.hand_over();
    return bound;
  }

  std::int64_t decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    return rows_.walk(true, control, [&](std::int32_t first, std::int32_t last, int thread) {
      Value* cost = scratch_[thread].data();
      std::int64_t sum = 0;
      for (std::int32_t r = first; r < last; ++r) {
        const MessageNode& node = nodes_[r];
        if (!node.takes_part) continue;
        const std::int32_t i = graph_.at_rank(r);
        std::copy_n(unary_.data() + static_cast<std::int64_t>(r) * stride_, labels_, cost);
        for (std::int32_t k = 0; k < node.before + node.after; ++k) {
          const MessageArc& arc = arcs_[node.first + k];
          if (k >= node.before) {
            const Value* message = messages_.data() + arc.edge * std::int64_t{stride_};
            for (int l = 0; l < labels_; ++l) cost[l] += message[l];
            continue;
          }
          const std::int32_t e = edge_at_.empty() ? arc.edge : edge_at_[arc.edge];
          const bool is_tail = graph_.tail(e) == i;
          const std::int32_t other = x[is_tail ? graph_.head(e) : graph_.tail(e)];
          const Table& h = problem.table(e).h;
          for (int l = 0; l < labels_; ++l)
            cost[l] += static_cast<Value>(weight_[arc.edge] * h(is_tail ? l - other : other - l));
        }
        x[i] = static_cast<std::int32_t>(std::min_element(cost, cost + labels_) - cost);
        sum += cost[x[i]];
        for (std::int32_t k = node.before; k < node.before + node.after; ++k)
          sum -= messages_[static_cast<std::size_t>(
              arcs_[node.first + k].edge * std::int64_t{stride_} + x[i])];
      }
      return sum;
    });
  }

  void for_each_tight(const ConvexProblem& problem, const std::uint8_t* chosen,
                      const typename EdgeAccess<Value>::Visit& visit) override {
    AlignedArray<Value> room(2 * static_cast<std::size_t>(stride_));
    for (std::int64_t e = 0; e < graph_.edges(); ++e) show(problem, e, chosen, room.data(), visit);
  }

  void share_tight(const ConvexProblem& problem, const std::uint8_t* chosen, EdgeOrder order,
                   Control& control, const ThreadVisit<Value>& visit) override {
    const typename EdgeAccess<Value>::Visit alone =
        polling([&](const EdgeMessages<Value>& edge) { visit(edge, 0); }, control);
    // Grids may also lie in rows, which depends on the width of vectors: the order is theirs.
    const std::vector<std::int64_t> edges =
        order == EdgeOrder::fixed ? edges_by_offset(problem) : std::vector<std::int64_t>{};
    if (edges.empty()) return for_each_tight(problem, chosen, alone);
    AlignedArray<Value> room(2 * static_cast<std::size_t>(stride_));
    for (const std::int64_t e : edges) show(problem, e, chosen, room.data(), alone);
  }

  MessageVector<Value> to_later(std::int64_t e) override { return {message(e), 1}; }

  void snapshot() override {
    remembered_.assign(messages_.data(), messages_.data() + messages_.size());
  }
  void restore() override {
    std::copy(remembered_.begin(), remembered_.end(), messages_.data());
    remembered_ = {};
  }

 private:
  // room: for two messages.
  void show(const ConvexProblem& problem, std::int64_t e, const std::uint8_t* chosen, Value* room,
            const typename EdgeAccess<Value>::Visit& visit) {
    const Value weight = weight_[place(e)];
    if (weight == 0 || !has_chosen_end(graph_, e, chosen)) return;
    Value *const earlier = room, *const negative = room + stride_, *const later = message(e);
    const auto implied = [&](const EdgeShape<Value>& shape, const Value* in, Value* out) {
      for (int l = 0; l < labels_; ++l) negative[l] = -in[l];
      kernels_.convolve(shape, weight, negative, out, labels_, stride_, scratch_.front().data());
    };
    const std::size_t table =
        problem.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem.table_of_edge[e]);
    const EdgeShape<Value>&from_tail = shape_list_[2 * table],
          &from_head = shape_list_[2 * table + 1];
    const bool tail_first = graph_.tail_first(e);
    implied(tail_first ? from_head : from_tail, later, earlier);
    implied(tail_first ? from_tail : from_head, earlier, later);
    visit({e, {tail_first ? earlier : later, 1}, {tail_first ? later : earlier, 1}});
  }

  using StoredMessages<Value>::graph_;
  using StoredMessages<Value>::labels_;

  std::int64_t scale_;
  const Kernels<Value>& kernels_;
  std::int32_t stride_;
  std::vector<ShapePair<Value>> shapes_;
  std::vector<EdgeShape<Value>>
      shape_list_;  // of table t: what the tail sends at 2 t, what the head sends at 2 t + 1
  AlignedArray<Value> unary_, messages_;
  LargeVector<Value> remembered_;
  LargeVector<Value> weight_;
  // Nodes, their unary terms, messages and weights lie in the order of sweeps. Where that is the
  // caller's, edges lie as they came and both lists are empty.
  LargeVector<std::int32_t> place_, edge_at_;
  LargeVector<MessageNode> nodes_;
  LargeVector<MessageArc> arcs_;
  std::vector<AlignedArray<Value>> scratch_;
  NodeRows rows_;

  std::int64_t place(std::int64_t e) const { return place_.empty() ? e : place_[e]; }
  Value* message(std::int64_t e) { return messages_.data() + place(e) * stride_; }

  // Edges by their earlier end, so that a sweep goes through memory as it goes through the nodes.
  void lay_out_edges(Control& control) {
    const auto edges = static_cast<std::size_t>(graph_.edges());
    place_.resize(edges);
    edge_at_.reserve(edges);
    for (std::int32_t r = 0; r < graph_.nodes(); ++r) {
      if ((r & 0xfff) == 0) control.poll();
      const std::int32_t i = graph_.at_rank(r);
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n) {
        if (graph_.rank(n->other) < r) continue;
        place_[n->edge] = static_cast<std::int32_t>(edge_at_.size());
        edge_at_.push_back(n->edge);
      }
    }
  }
};

}  // namespace

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_label_messages(const ConvexProblem& problem,
                                                       std::int64_t scale, int threads,
                                                       Control& control) {
  return std::make_unique<LabelMessages<Value>>(problem, scale, threads, control);
}

template std::unique_ptr<MessagesOf<std::int32_t>> make_label_messages(const ConvexProblem&,
                                                                       std::int64_t, int, Control&);
template std::unique_ptr<MessagesOf<std::int64_t>> make_label_messages(const ConvexProblem&,
                                                                       std::int64_t, int, Control&);

}  // namespace rangemoves
