#include "rangemoves/messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "rangemoves/aligned.hpp"
#include "rangemoves/message_storage.hpp"
#include "rangemoves/pipeline.hpp"

namespace rangemoves {

namespace {

// Any graph: vectors over labels.
template <class Value>
class LabelMessages : public MessagesOf<Value> {
 public:
  LabelMessages(const ConvexProblem& problem, std::int64_t scale, int threads, Control& control)
      : graph_(problem.graph),
        labels_(problem.labels),
        scale_(scale),
        kernels_(chosen_level().of<Value>()),
        stride_(stride_for(problem.labels, kernels_.lanes)),
        unary_(static_cast<std::size_t>(graph_.nodes()) * stride_, &control),
        messages_(static_cast<std::size_t>(graph_.edges()) * stride_, &control),
        weight_(static_cast<std::size_t>(graph_.edges()), 0),
        nodes_(static_cast<std::size_t>(graph_.nodes())) {
    threads_ = useful_threads(threads, static_cast<std::int64_t>(graph_.nodes()) * labels_);
    for (int t = 0; t < threads_; ++t)
      scratch_.emplace_back(static_cast<std::size_t>(scratch_size(stride_)));
    lay_out_rows(control);
  }

  void load(const ConvexProblem& problem, const UnaryRows& unary_of, Control& control) override {
    shapes_.clear();
    shape_list_.clear();
    for (const ConvexTable& table : problem.tables) shapes_.emplace_back(table);
    for (const ShapePair<Value>& pair : shapes_)
      shape_list_.insert(shape_list_.end(), {pair.from_tail(), pair.from_head()});
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      Value* unary = unary_.data() + static_cast<std::int64_t>(i) * stride_;
      nodes_[i].takes_part = problem.takes_part(i);
      std::fill_n(unary, stride_, unreachable<Value>);
      if (nodes_[i].takes_part)
        scaled_unary<Value>(unary_of(i), labels_, scale_,
                            [&](int l, Value cost) { unary[l] = cost; });
    }
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      const Value w = static_cast<Value>(problem.weight[e] * scale_);
      if (w == weight_[e]) continue;
      weight_[e] = w;
      std::fill_n(messages_.data() + e * stride_, stride_, Value{0});
    }
    arcs_.clear();
    arcs_.reserve(2 * static_cast<std::size_t>(graph_.edges()));
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      MessageNode& node = nodes_[i];
      node.first = static_cast<std::int64_t>(arcs_.size());
      node.before = node.after = 0;
      std::vector<Incidence> incidence;
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n)
        if (weight_[n->edge] > 0) incidence.push_back(*n);
      std::sort(incidence.begin(), incidence.end(), [](const Incidence& a, const Incidence& b) {
        return a.other != b.other ? a.other < b.other : a.edge < b.edge;
      });
      for (const Incidence& n : incidence) {
        const std::int32_t table =
            problem.table_of_edge.empty() ? 0 : problem.table_of_edge[n.edge];
        arcs_.push_back({n.edge, 2 * table + (n.is_tail ? 0 : 1)});
        ++(n.other < i ? node.before : node.after);
      }
    }
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const SweepView<Value> view{labels_,       stride_,      unary_.data(),  messages_.data(),
                                nodes_.data(), arcs_.data(), weight_.data(), shape_list_.data()};
    return walk(forward, control, [&](std::int32_t first, std::int32_t last, int thread) {
      return kernels_.sweep(view, first, last, forward, note, scratch_[thread].data());
    });
  }

  void decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    walk(true, control, [&](std::int32_t first, std::int32_t last, int thread) {
      Value* cost = scratch_[thread].data();
      for (std::int32_t i = first; i < last; ++i) {
        const MessageNode& node = nodes_[i];
        if (!node.takes_part) continue;
        std::copy_n(unary_.data() + static_cast<std::int64_t>(i) * stride_, labels_, cost);
        for (std::int32_t k = 0; k < node.before + node.after; ++k) {
          const MessageArc& arc = arcs_[node.first + k];
          if (k >= node.before) {
            const Value* message = messages_.data() + arc.edge * std::int64_t{stride_};
            for (int l = 0; l < labels_; ++l) cost[l] += message[l];
            continue;
          }
          const bool is_tail = graph_.tail(arc.edge) == i;
          const std::int32_t other = x[is_tail ? graph_.head(arc.edge) : graph_.tail(arc.edge)];
          const Table& h = problem.table(arc.edge).h;
          for (int l = 0; l < labels_; ++l)
            cost[l] += static_cast<Value>(weight_[arc.edge] * h(is_tail ? l - other : other - l));
        }
        x[i] = static_cast<std::int32_t>(std::min_element(cost, cost + labels_) - cost);
      }
      return std::int64_t{0};
    });
  }

  void for_each_tight(const ConvexProblem& problem,
                      const std::function<void(const EdgeMessages<Value>&)>& visit) override {
    AlignedArray<Value> v(static_cast<std::size_t>(stride_)), earlier(v.size());
    const auto implied = [&](const EdgeShape<Value>& shape, Value w, const Value* in, Value* out) {
      for (int l = 0; l < labels_; ++l) v[l] = -in[l];
      kernels_.convolve(shape, w, v.data(), out, labels_, stride_, scratch_.front().data());
    };
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      if (weight_[e] == 0) continue;
      const std::size_t table =
          problem.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem.table_of_edge[e]);
      const EdgeShape<Value>&from_tail = shape_list_[2 * table],
            &from_head = shape_list_[2 * table + 1];
      const bool tail_first = graph_.tail(e) < graph_.head(e);
      Value* later = messages_.data() + e * stride_;
      implied(tail_first ? from_head : from_tail, weight_[e], later, earlier.data());
      implied(tail_first ? from_tail : from_head, weight_[e], earlier.data(), later);
      visit(
          {e, {tail_first ? earlier.data() : later, 1}, {tail_first ? later : earlier.data(), 1}});
    }
  }

  MessageVector<Value> to_later(std::int64_t e) override {
    return {messages_.data() + e * stride_, 1};
  }
  void read(std::int64_t e, double* message) override {
    for (int l = 0; l < labels_; ++l) message[l] = static_cast<double>(to_later(e)[l]);
  }
  bool is_grid() const override { return false; }

  void remember() override {
    remembered_.assign(messages_.data(), messages_.data() + messages_.size());
  }
  void go_back() override {
    std::copy(remembered_.begin(), remembered_.end(), messages_.data());
    remembered_ = {};
  }

 private:
  const Neighbourhood& graph_;
  std::int32_t labels_;
  std::int64_t scale_;
  const Kernels<Value>& kernels_;
  std::int32_t stride_;
  std::vector<ShapePair<Value>> shapes_;
  std::vector<EdgeShape<Value>>
      shape_list_;  // of table t: what the tail sends at 2 t, what the head sends at 2 t + 1
  AlignedArray<Value> unary_, messages_;
  LargeVector<Value> remembered_;
  LargeVector<Value> weight_;
  LargeVector<MessageNode> nodes_;
  LargeVector<MessageArc> arcs_;
  std::vector<AlignedArray<Value>> scratch_;
  int threads_ = 1;
  Pipeline forward_, backward_;

  // work(first, last, thread) on all nodes, row by row; within a piece the order is the worker's.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work) const {
    const std::int32_t n = graph_.nodes(), row_length = graph_.row();
    const Pipeline& rows = forward ? forward_ : backward_;
    return rows.run(
        threads_, control,
        [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
          // A backward sweep numbers rows and positions from the end.
          const std::int64_t start =
              static_cast<std::int64_t>(forward ? row : rows.rows - 1 - row) * row_length;
          const std::int64_t from = start + (forward ? first : row_length - last),
                             to = start + (forward ? last : row_length - first);
          const std::int32_t a = static_cast<std::int32_t>(std::min<std::int64_t>(from, n));
          const std::int32_t b = static_cast<std::int32_t>(std::min<std::int64_t>(to, n));
          return work(a, b, thread);
        });
  }

  // Which rows a row has to stay behind, and by how much: read off the edges, once.
  void lay_out_rows(Control& control) {
    const std::int32_t length = graph_.row(), rows = (graph_.nodes() + length - 1) / length;
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int32_t, std::int32_t>> leads;
    if (threads_ > 1)
      for (std::int64_t e = 0; e < graph_.edges(); ++e) {
        if ((e & 0xfff) == 0) control.poll();
        const std::int32_t i = std::min(graph_.tail(e), graph_.head(e)),
                           j = std::max(graph_.tail(e), graph_.head(e));
        if (i / length == j / length) continue;
        const std::int32_t lead = i % length - j % length;
        auto [at, added] = leads.try_emplace({i / length, j / length}, lead, lead);
        if (!added)
          at->second.first = std::max(at->second.first, lead),
          at->second.second = std::max(at->second.second, lead);
      }
    for (Pipeline* p : {&forward_, &backward_}) {
      p->rows = rows;
      p->length = length;
      p->depends_on.resize(static_cast<std::size_t>(rows));
    }
    // A mirrored position is length - 1 - position, so a lead between two rows is the same in both
    // directions.
    for (const auto& [pair, lead] : leads) {
      forward_.depends_on[pair.second].push_back({pair.first, lead.first});
      backward_.depends_on[rows - 1 - pair.first].push_back({rows - 1 - pair.second, lead.second});
    }
  }
};

// A 4-connected grid: lanes are rows.
template <class Value>
class WavefrontMessages : public MessagesOf<Value> {
 public:
  WavefrontMessages(const ConvexProblem& problem, std::int64_t scale, int threads, Control& control)
      : graph_(problem.graph),
        labels_(problem.labels),
        scale_(scale),
        kernels_(chosen_level().of<Value>()),
        lanes_(kernels_.lanes),
        width_(graph_.row()),
        height_(graph_.nodes() / width_),
        strips_((height_ + lanes_ - 1) / lanes_),
        steps_(width_ + lanes_ - 1),
        cells_(static_cast<std::int64_t>(strips_) * steps_),
        shapes_(problem.tables.front()),
        unary_(static_cast<std::size_t>(cells_ * labels_ * lanes_), &control),
        right_(unary_.size(), &control),
        down_(unary_.size(), &control),
        right_weight_(static_cast<std::size_t>(cells_ * lanes_)),
        down_weight_(right_weight_.size()),
        has_right_(static_cast<std::size_t>(cells_), 0),
        has_down_(has_right_),
        right_edge_(static_cast<std::size_t>(cells_ * lanes_), -1),
        down_edge_(right_edge_),
        takes_part_(static_cast<std::size_t>(graph_.nodes()), 0) {
    threads_ = useful_threads(threads, static_cast<std::int64_t>(graph_.nodes()) * labels_);
    for (int t = 0; t < threads_; ++t)
      scratch_.emplace_back(static_cast<std::size_t>(wavefront_scratch_size(labels_, lanes_)));
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      const std::int32_t i = std::min(graph_.tail(e), graph_.head(e));
      (is_right(e) ? right_edge_ : down_edge_)[cell_of(i) * lanes_ + lane_of(i)] =
          static_cast<std::int32_t>(e);
    }
    rows_.rows = strips_;
    rows_.length = steps_;
    rows_.depends_on.resize(static_cast<std::size_t>(strips_));
    // Lane 0 reads what the last lane of the strip above sent, lanes - 1 steps ahead; one more,
    // because a backward sweep rewrites the other lanes of that vector.
    for (std::int32_t r = 1; r < strips_; ++r) rows_.depends_on[r].push_back({r - 1, lanes_});
  }

  // Whether a problem can be laid out like this.
  static bool fits(const ConvexProblem& problem) {
    const Neighbourhood& graph = problem.graph;
    const std::int32_t width = graph.row();
    if (graph.nodes() % width != 0 || graph.nodes() / width < 2 || problem.tables.size() != 1)
      return false;
    const bool symmetric = ShapePair<Value>(problem.tables.front()).symmetric();
    for (std::int64_t e = 0; e < graph.edges(); ++e) {
      const std::int32_t tail = graph.tail(e), head = graph.head(e);
      const std::int32_t step = std::abs(head - tail);
      if (step != width && (step != 1 || tail / width != head / width)) return false;
      if (tail > head && !symmetric) return false;
    }
    // Two edges between the same nodes would share a slot.
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
    for (std::int64_t e = 0; e < graph.edges(); ++e) {
      const std::int32_t i = std::min(graph.tail(e), graph.head(e));
      const std::uint8_t bit = std::abs(graph.head(e) - graph.tail(e)) == 1 && width > 1 ? 1 : 2;
      if (seen[i] & bit) return false;
      seen[i] |= bit;
    }
    return true;
  }

  bool accepts(const ConvexProblem& problem) const override { return fits(problem); }

  void load(const ConvexProblem& problem, const UnaryRows& unary_of, Control& control) override {
    shapes_ = ShapePair<Value>(problem.tables.front());
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      Value* unary = unary_.data() + vector_of(i);
      takes_part_[i] = problem.takes_part(i);
      if (takes_part_[i])
        scaled_unary<Value>(unary_of(i), labels_, scale_,
                            [&](int l, Value cost) { unary[l * lanes_] = cost; });
      else
        for (int l = 0; l < labels_; ++l) unary[l * lanes_] = 0;
    }
    std::fill(has_right_.begin(), has_right_.end(), 0);
    std::fill(has_down_.begin(), has_down_.end(), 0);
    for (std::int64_t e = 0; e < graph_.edges(); ++e) {
      const Value w = static_cast<Value>(problem.weight[e] * scale_);
      const std::int32_t i = std::min(graph_.tail(e), graph_.head(e));
      const bool right = is_right(e);
      Value& weight =
          (right ? right_weight_
                 : down_weight_)[static_cast<std::size_t>(cell_of(i) * lanes_ + lane_of(i))];
      if (w > 0) (right ? has_right_ : has_down_)[cell_of(i)] |= LaneBits{1} << lane_of(i);
      if (w == weight) continue;
      weight = w;
      Value* message = (right ? right_ : down_).data() + vector_of(i);
      for (int l = 0; l < labels_; ++l) message[l * lanes_] = 0;
    }
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const WavefrontView<Value> view = this->view();
    return walk(forward, control,
                [&](std::int32_t strip, std::int32_t first, std::int32_t last, int thread) {
                  return kernels_.wavefront(view, strip, first, last, forward, note,
                                            scratch_[thread].data());
                });
  }

  void decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    // g(x_i - x_j) for i before j; where edges run the other way the table is symmetric.
    const std::int32_t far = labels_ - 1;
    std::vector<Value> g;
    for (std::int32_t d = -far; d <= far; ++d)
      g.push_back(static_cast<Value>(problem.tables.front().h(d)));
    const WavefrontView<Value> view = this->view();
    const Labelling before = x;
    walk(true, control, [&](std::int32_t strip, std::int32_t first, std::int32_t last, int) {
      kernels_.decode(view, strip, first, last, g.data() + far, x.data(), graph_.nodes());
      return std::int64_t{0};
    });
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!takes_part_[i]) x[i] = before[i];
  }

  void for_each_tight(const ConvexProblem&,
                      const std::function<void(const EdgeMessages<Value>&)>& visit) override {
    const std::size_t size = static_cast<std::size_t>(labels_) * static_cast<std::size_t>(lanes_);
    AlignedArray<Value> earlier(size);
    for (std::int64_t cell = 0; cell < cells_; ++cell)
      for (const bool right : {true, false}) {
        const LaneBits lanes = (right ? has_right_ : has_down_)[cell];
        if (lanes == 0) continue;
        Value* later = (right ? right_ : down_).data() + cell * static_cast<std::int64_t>(size);
        const Value* weight = (right ? right_weight_ : down_weight_).data() + cell * lanes_;
        kernels_.tighten_lanes(shapes_.from_head(), shapes_.from_tail(), weight, earlier.data(),
                               later, labels_, scratch_.front().data());
        for (std::int32_t k = 0; k < lanes_; ++k) {
          if (!(lanes >> k & 1)) {
            for (int l = 0; l < labels_; ++l) later[l * lanes_ + k] = 0;
            continue;
          }
          const std::int64_t e = (right ? right_edge_ : down_edge_)[cell * lanes_ + k];
          const MessageVector<Value> first{earlier.data() + k, lanes_}, second{later + k, lanes_};
          const bool tail_first = graph_.tail(e) < graph_.head(e);
          visit({e, tail_first ? first : second, tail_first ? second : first});
        }
      }
  }

  MessageVector<Value> to_later(std::int64_t e) override {
    const std::int32_t i = std::min(graph_.tail(e), graph_.head(e));
    return {(is_right(e) ? right_ : down_).data() + vector_of(i), lanes_};
  }
  void read(std::int64_t e, double* message) override {
    for (int l = 0; l < labels_; ++l) message[l] = static_cast<double>(to_later(e)[l]);
  }
  bool is_grid() const override { return true; }

  void remember() override {
    remembered_.reserve(right_.size() + down_.size());
    remembered_.assign(right_.data(), right_.data() + right_.size());
    remembered_.insert(remembered_.end(), down_.data(), down_.data() + down_.size());
  }
  void go_back() override {
    if (remembered_.empty()) return;
    std::copy_n(remembered_.begin(), right_.size(), right_.data());
    std::copy_n(remembered_.begin() + static_cast<std::ptrdiff_t>(right_.size()), down_.size(),
                down_.data());
    remembered_ = {};
  }

 private:
  const Neighbourhood& graph_;
  std::int32_t labels_;
  std::int64_t scale_;
  const Kernels<Value>& kernels_;
  std::int32_t lanes_, width_, height_, strips_, steps_;
  std::int64_t cells_;
  ShapePair<Value> shapes_;
  AlignedArray<Value> unary_, right_, down_, right_weight_, down_weight_;
  std::vector<LaneBits> has_right_, has_down_;
  LargeVector<std::int32_t> right_edge_, down_edge_;  // per cell and lane: which edge this is
  std::vector<std::uint8_t> takes_part_;
  LargeVector<Value> remembered_;
  std::vector<AlignedArray<Value>> scratch_;
  int threads_ = 1;
  Pipeline rows_;

  WavefrontView<Value> view() {
    return {labels_,
            width_,
            strips_,
            steps_,
            unary_.data(),
            right_.data(),
            down_.data(),
            right_weight_.data(),
            down_weight_.data(),
            has_right_.data(),
            has_down_.data(),
            shapes_.from_tail(),
            shapes_.from_head()};
  }

  // work(strip, first, last, thread) on all cells, strip by strip.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work) const {
    return rows_.run(threads_, control,
                     [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
                       if (forward) return work(row, first, last, thread);
                       return work(strips_ - 1 - row, steps_ - last, steps_ - first, thread);
                     });
  }

  bool is_right(std::int64_t e) const {
    return width_ > 1 && std::abs(graph_.head(e) - graph_.tail(e)) == 1;
  }
  std::int32_t lane_of(std::int32_t i) const { return i / width_ % lanes_; }
  std::int64_t cell_of(std::int32_t i) const {
    const std::int32_t y = i / width_, x = i % width_;
    return static_cast<std::int64_t>(y / lanes_) * steps_ + x + y % lanes_;
  }
  std::int64_t vector_of(std::int32_t i) const {
    return cell_of(i) * labels_ * lanes_ + lane_of(i);
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

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_messages_of(const ConvexProblem& problem,
                                                    std::int64_t scale, int threads,
                                                    Control& control) {
  if (WavefrontMessages<Value>::fits(problem))
    return std::make_unique<WavefrontMessages<Value>>(problem, scale, threads, control);
  if (fits_stencil(problem) &&
      fills_stencil(problem.graph.topology(), chosen_level().of<Value>().lanes, threads))
    return make_stencil_messages<Value>(problem, scale, threads, control);
  return make_label_messages<Value>(problem, scale, threads, control);
}

template std::unique_ptr<MessagesOf<std::int32_t>> make_messages_of(const ConvexProblem&,
                                                                    std::int64_t, int, Control&);
template std::unique_ptr<MessagesOf<std::int64_t>> make_messages_of(const ConvexProblem&,
                                                                    std::int64_t, int, Control&);

std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, const MessagePlan& plan,
                                        int threads, Control& control) {
  if (plan.wide) return make_messages_of<std::int64_t>(problem, plan.scale, threads, control);
  return make_messages_of<std::int32_t>(problem, plan.scale, threads, control);
}

std::int64_t message_bytes(const Neighbourhood& graph, int labels, bool wide) {
  const Level& level = chosen_level();
  const std::int64_t stride = stride_for(labels, wide ? level.wide.lanes : level.narrow.lanes);
  return (wide ? 8 : 4) * stride * (graph.nodes() + graph.edges());
}

std::int64_t grid_message_bytes(std::int64_t nodes, std::int64_t row, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4;
  const std::int64_t cells = ((nodes / row + lanes - 1) / lanes) * (row + lanes - 1);
  const std::int64_t per_lane = value * (3 * labels + 2) + 2 * std::int64_t{sizeof(std::int32_t)};
  return cells * (lanes * per_lane + 2 * std::int64_t{sizeof(LaneBits)}) + nodes +
         value * wavefront_scratch_size(labels, lanes);
}

std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4, stride = stride_for(labels, lanes);
  return nodes * (value * stride + std::int64_t{sizeof(MessageNode)}) +
         edges * (value * (stride + 1) + 2 * std::int64_t{sizeof(MessageArc)});
}

template <class Value>
ShapePair<Value>::ShapePair(const ConvexTable& table) {
  const Table& h = table.h;
  const int left = table.left, right = table.right, end = h.labels() - 1;
  const auto value = [&](int d) { return static_cast<Value>(h(std::max(-end, std::min(end, d)))); };
  // One value in front: the kernels count from the centre, which without taps lies before the
  // first.
  tail_taps_.push_back(0);
  head_taps_.push_back(0);
  for (int d = 1 - left; d < right; ++d) tail_taps_.push_back(value(d));
  for (int d = 1 - right; d < left; ++d) head_taps_.push_back(value(-d));
  int pairs = left == right && left > 0 ? left - 1 : -1;
  bool is_capped = value(-left) == value(right) && value(-left - 1) == value(-left) &&
                   value(right + 1) == value(right);
  for (int d = 1 - left; d < right; ++d) {
    if (value(d) != value(-d)) pairs = -1;
    is_capped = is_capped && value(d) <= value(right);
  }
  from_tail_ = {tail_taps_.data() + 1,
                left,
                right,
                value(-left),
                value(right),
                value(-left - 1) - value(-left),
                value(right + 1) - value(right),
                pairs,
                is_capped};
  from_head_ = {head_taps_.data() + 1,
                right,
                left,
                from_tail_.at_right,
                from_tail_.at_left,
                from_tail_.slope_right,
                from_tail_.slope_left,
                pairs,
                is_capped};
  symmetric_ = true;
  for (int d = 1; d <= end; ++d) symmetric_ = symmetric_ && h(d) == h(-d);
}

template class ShapePair<std::int32_t>;
template class ShapePair<std::int64_t>;

}  // namespace rangemoves
