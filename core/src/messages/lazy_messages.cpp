#include "rangemoves/messages/lazy_messages.hpp"

#include <algorithm>
#include <climits>
#include <tuple>
#include <utility>

namespace rangemoves {

namespace {
// A sweep that begins with fewer than one marked node in so many is left to one thread (measured).
constexpr std::int32_t kFewMarked = 8;
}  // namespace

void OrderedGraph::sort() {
  std::sort(edges.begin(), edges.end(), [](const OrderedEdge& a, const OrderedEdge& b) {
    return std::tie(a.earlier, a.later, a.origin) < std::tie(b.earlier, b.later, b.origin);
  });
}

OrderedGraph ordered_graph(const ConvexProblem& problem, std::int64_t scale, Control& control) {
  const Neighbourhood& graph = problem.graph;
  OrderedGraph ordered{graph.nodes(), {}};
  ordered.edges.reserve(static_cast<std::size_t>(graph.edges()));
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if ((e & 0xffff) == 0) control.poll();
    if (problem.weight[e] == 0) continue;
    const std::int32_t tail = graph.rank(graph.tail(e)), head = graph.rank(graph.head(e));
    ordered.edges.push_back({std::min(tail, head), std::max(tail, head),
                             problem.table_of_edge.empty() ? 0 : problem.table_of_edge[e],
                             tail < head, problem.weight[e] * scale, e});
  }
  ordered.sort();
  return ordered;
}

template <class Value>
LazyMessages<Value>::LazyMessages(OrderedGraph graph, const std::vector<ConvexTable>& tables,
                                  int labels, int threads, Control* control)
    : graph_(std::move(graph)),
      tables_(&tables),
      labels_(labels),
      kernels_(chosen_level().of<Value>()),
      unary_(static_cast<std::size_t>(graph_.nodes) *
                 static_cast<std::size_t>(stride_for(labels, kernels_.lanes)),
             control),
      messages_(
          2 * graph_.edges.size() * static_cast<std::size_t>(stride_for(labels, kernels_.lanes)),
          control) {
  stride_ = stride_for(labels, kernels_.lanes);
  std::fill_n(unary_.data(), unary_.size(), unreachable<Value>);
  for (const ConvexTable& table : tables) shapes_.emplace_back(table);
  for (const ShapePair<Value>& pair : shapes_)
    shape_list_.insert(shape_list_.end(), {pair.from_tail(), pair.from_head()});
  for (const OrderedEdge& e : graph_.edges) weight_.push_back(static_cast<Value>(e.weight));
  list_arcs();
  forward_marks_ = AlignedArray<std::uint8_t>(static_cast<std::size_t>(graph_.nodes));
  backward_marks_ = AlignedArray<std::uint8_t>(static_cast<std::size_t>(graph_.nodes));
  for (int t = 0; t < threads; ++t)
    scratch_.emplace_back(static_cast<std::size_t>(scratch_size(stride_)));
}

// Edges come sorted by their earlier end, so that going through them adds to each node's arcs
// before the earlier ones first and, for each node, the later ones in order.
template <class Value>
void LazyMessages<Value>::list_arcs() {
  nodes_.assign(static_cast<std::size_t>(graph_.nodes), MessageNode{0, 0, 0, true});
  for (const OrderedEdge& e : graph_.edges) {
    ++nodes_[static_cast<std::size_t>(e.earlier)].after;
    ++nodes_[static_cast<std::size_t>(e.later)].before;
  }
  std::int64_t first = 0;
  std::vector<std::int64_t> to_earlier, to_later;
  for (MessageNode& node : nodes_) {
    node.first = first;
    to_earlier.push_back(first);
    to_later.push_back(first + node.before);
    first += node.before + node.after;
  }
  arcs_.resize(static_cast<std::size_t>(first));
  for (std::size_t k = 0; k < graph_.edges.size(); ++k) {
    const OrderedEdge& e = graph_.edges[k];
    const auto place = static_cast<std::int32_t>(k);
    const std::int32_t tail_sends = 2 * e.table, head_sends = 2 * e.table + 1;
    arcs_[static_cast<std::size_t>(to_later[static_cast<std::size_t>(e.earlier)]++)] = {
        place, e.tail_is_earlier ? tail_sends : head_sends, e.later};
    arcs_[static_cast<std::size_t>(to_earlier[static_cast<std::size_t>(e.later)]++)] = {
        place, e.tail_is_earlier ? head_sends : tail_sends, e.earlier};
  }
}

template <class Value>
void LazyMessages<Value>::mark(std::int32_t i) {
  forward_marks_[static_cast<std::size_t>(i)] = backward_marks_[static_cast<std::size_t>(i)] = 1;
}

template <class Value>
void LazyMessages<Value>::mark_all() {
  for (AlignedArray<std::uint8_t>* marks : {&forward_marks_, &backward_marks_})
    std::fill_n(marks->data(), marks->size(), std::uint8_t{1});
}

template <class Value>
std::int64_t LazyMessages<Value>::sweep(bool forward, std::int64_t eps, const NodeRows* rows,
                                        Control* control) {
  const LazyView<Value> view{labels_,
                             stride_,
                             unary_.data(),
                             messages_.data(),
                             nodes_.data(),
                             arcs_.data(),
                             weight_.data(),
                             shape_list_.data(),
                             forward_marks_.data(),
                             backward_marks_.data()};
  const auto most = static_cast<Value>(eps);
  if (rows) {
    // Threads tell each other how far they are every few nodes: where few nodes are visited that
    // takes longer than the visits.
    const AlignedArray<std::uint8_t>& marks = forward ? forward_marks_ : backward_marks_;
    const std::int64_t marked = std::count(marks.data(), marks.data() + marks.size(), 1);
    const int threads = marked < graph_.nodes / kFewMarked ? 1 : INT_MAX;
    return rows->walk(
        forward, *control,
        [&](std::int32_t first, std::int32_t last, int thread) {
          return kernels_.lazy(view, first, last, forward, most,
                               scratch_[static_cast<std::size_t>(thread)].data());
        },
        threads);
  }
  return kernels_.lazy(view, 0, graph_.nodes, forward, most, scratch_.front().data());
}

template <class Value>
Labelling LazyMessages<Value>::decode(bool forward) const {
  Labelling x(static_cast<std::size_t>(graph_.nodes), 0);
  std::vector<std::int64_t> cost(static_cast<std::size_t>(labels_));
  for (std::int32_t step = 0; step < graph_.nodes; ++step) {
    const std::int32_t i = forward ? step : graph_.nodes - 1 - step;
    const MessageNode& at = node(i);
    for (int l = 0; l < labels_; ++l) cost[static_cast<std::size_t>(l)] = unary(i)[l];
    for (std::int32_t k = 0; k < at.before + at.after; ++k) {
      const LazyArc& arc = arcs(i)[k];
      const OrderedEdge& e = graph_.edges[static_cast<std::size_t>(arc.edge)];
      const bool is_before = k < at.before;
      if (is_before != forward) {
        const Value* m = message(arc.edge, is_before);
        for (int l = 0; l < labels_; ++l) cost[static_cast<std::size_t>(l)] += m[l];
        continue;
      }
      const int other = x[static_cast<std::size_t>(arc.other)];
      for (int l = 0; l < labels_; ++l)
        cost[static_cast<std::size_t>(l)] +=
            is_before ? this->cost(e, other, l) : this->cost(e, l, other);
    }
    x[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  }
  return x;
}

template <class Value>
void LazyMessages<Value>::collect(std::int32_t i, std::int64_t* belief) const {
  const MessageNode& at = node(i);
  for (int l = 0; l < labels_; ++l) belief[l] = unary(i)[l];
  for (std::int32_t k = 0; k < at.before + at.after; ++k) {
    const Value* m = message(arcs(i)[k].edge, k < at.before);
    for (int l = 0; l < labels_; ++l) belief[l] += m[l];
  }
}

template <class Value>
AlignedArray<Value> LazyMessages<Value>::make_room() const {
  return AlignedArray<Value>(static_cast<std::size_t>(scratch_size(stride_) + stride_));
}

template <class Value>
void LazyMessages<Value>::send(std::int64_t edge, bool to_later, const Value* v, Value* out,
                               Value* room) const {
  kernels_.convolve(shape(edge, to_later), weight_[static_cast<std::size_t>(edge)], v, out, labels_,
                    stride_, room);
}

template <class Value>
void LazyMessages<Value>::imply(std::int64_t edge, bool to_later, const Value* given, Value* out,
                                Value* room) const {
  const OrderedEdge& e = graph_.edges[static_cast<std::size_t>(edge)];
  const Value* theirs = unary(to_later ? e.later : e.earlier);
  Value* v = room + scratch_size(stride_);
  for (int l = 0; l < labels_; ++l)
    v[l] = theirs[l] < unreachable<Value> ? -given[l] : unreachable<Value>;
  send(edge, !to_later, v, out, room);
}

template <class Value>
std::int64_t LazyMessages<Value>::bound() const {
  std::int64_t sum = 0;
  beliefs([&](std::int32_t, const std::int64_t* belief, auto&&) {
    sum += *std::min_element(belief, belief + labels_);
  });
  return sum;
}

template <class Value>
std::vector<Value> LazyMessages<Value>::copy_messages() const {
  return {messages_.data(), messages_.data() + messages_.size()};
}

template <class Value>
void LazyMessages<Value>::set_messages(const std::vector<Value>& messages) {
  std::copy(messages.begin(), messages.end(), messages_.data());
}

template <class Value>
std::vector<std::int64_t> LazyMessages<Value>::messages_to_earlier() const {
  std::vector<std::int64_t> all;
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const Value* m = message(static_cast<std::int64_t>(e), false);
    all.insert(all.end(), m, m + labels_);
  }
  return all;
}

template class LazyMessages<std::int32_t>;
template class LazyMessages<std::int64_t>;

}  // namespace rangemoves
