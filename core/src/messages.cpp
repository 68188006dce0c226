#include "rangemoves/messages.hpp"

#include <algorithm>
#include <cstdlib>

#include "rangemoves/aligned.hpp"
#include "rangemoves/pipeline.hpp"

namespace rangemoves {

namespace {

// Threads only pay off on sweeps that last a few milliseconds.
int useful_threads(int threads, std::int64_t values) { return values < 400000 ? 1 : threads; }

// With one thread rows do not matter.
constexpr std::int32_t kRowAlone = 4096;

// The unary terms of one variable, scaled.
template <class Value, class Put>
void scaled_unary(const CostRow& costs, int labels, std::int64_t scale, Put&& put) {
  costs.visit([&](auto* theta) {
    for (int l = 0; l < labels; ++l) put(l, static_cast<Value>(theta[l] * scale));
  });
}

// A note that kernels write by rank, and its owner reads by node.
class RankedNote {
 public:
  RankedNote(const Neighbourhood& graph, const BandNote* note) : graph_(graph), given_(note) {
    if (!note || graph.keeps_order()) return;
    low_.resize(static_cast<std::size_t>(note->nodes));
    high_.resize(low_.size());
    for (std::int32_t i = 0; i < graph.nodes(); ++i) {
      low_[graph.rank(i)] = note->low[i];
      high_[graph.rank(i)] = note->high[i];
    }
    ranked_ = BandNote{note->nodes, note->slack, low_.data(), high_.data()};
  }
  const BandNote* get() const { return low_.empty() ? given_ : &ranked_; }

  // Nodes that the sweep left out keep what they had.
  void hand_over() const {
    if (low_.empty()) return;
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      given_->low[i] = low_[graph_.rank(i)];
      given_->high[i] = high_[graph_.rank(i)];
    }
  }

 private:
  const Neighbourhood& graph_;
  const BandNote* given_;
  BandNote ranked_{};
  std::vector<std::int32_t> low_, high_;
};

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
    if (!graph_.keeps_order()) lay_out_edges(control);
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
      const std::int32_t r = graph_.rank(i);
      Value* unary = unary_.data() + static_cast<std::int64_t>(r) * stride_;
      nodes_[r].takes_part = problem.takes_part(i);
      std::fill_n(unary, stride_, unreachable<Value>);
      if (nodes_[r].takes_part)
        scaled_unary<Value>(unary_of(i), labels_, scale_,
                            [&](int l, Value cost) { unary[l] = cost; });
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
        walk(forward, control, [&](std::int32_t first, std::int32_t last, int thread) {
          return kernels_.sweep(view, first, last, forward, ranked.get(), scratch_[thread].data());
        });
    ranked.hand_over();
    return bound;
  }

  void decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    walk(true, control, [&](std::int32_t first, std::int32_t last, int thread) {
      Value* cost = scratch_[thread].data();
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
      const Value weight = weight_[place(e)];
      if (weight == 0) continue;
      const std::size_t table =
          problem.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem.table_of_edge[e]);
      const EdgeShape<Value>&from_tail = shape_list_[2 * table],
            &from_head = shape_list_[2 * table + 1];
      const bool tail_first = graph_.tail_first(e);
      Value* later = message(e);
      implied(tail_first ? from_head : from_tail, weight, later, earlier.data());
      implied(tail_first ? from_tail : from_head, weight, earlier.data(), later);
      visit(
          {e, {tail_first ? earlier.data() : later, 1}, {tail_first ? later : earlier.data(), 1}});
    }
  }

  MessageVector<Value> to_later(std::int64_t e) override { return {message(e), 1}; }
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
  // Nodes, their unary terms, messages and weights lie in the order of sweeps. Where that is the
  // caller's, edges lie as they came and both lists are empty.
  LargeVector<std::int32_t> place_, edge_at_;
  LargeVector<MessageNode> nodes_;
  LargeVector<MessageArc> arcs_;
  std::vector<AlignedArray<Value>> scratch_;
  int threads_ = 1;
  std::int32_t row_ = kRowAlone;  // nodes that follow each other, to be walked by one thread
  Pipeline forward_, backward_;

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

  // work(first, last, thread) on all nodes, row by row; within a piece the order is the worker's.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work) const {
    const std::int32_t n = graph_.nodes();
    const Pipeline& rows = forward ? forward_ : backward_;
    return rows.run(
        threads_, control,
        [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
          // A backward sweep numbers rows and positions from the end.
          const std::int64_t start =
              static_cast<std::int64_t>(forward ? row : rows.rows - 1 - row) * row_;
          const std::int64_t from = start + (forward ? first : row_ - last),
                             to = start + (forward ? last : row_ - first);
          const std::int32_t a = static_cast<std::int32_t>(std::min<std::int64_t>(from, n));
          const std::int32_t b = static_cast<std::int32_t>(std::min<std::int64_t>(to, n));
          return work(a, b, thread);
        });
  }

  // Which rows a row has to stay behind, and by how much: read off the edges, once.
  void lay_out_rows(Control& control) {
    const std::int32_t n = graph_.nodes();
    if (threads_ > 1) row_ = graph_.topology().width;
    const std::int32_t rows = (n + row_ - 1) / row_;
    for (Pipeline* p : {&forward_, &backward_}) {
      p->rows = rows;
      p->length = row_;
      p->depends_on.resize(static_cast<std::size_t>(rows));
    }
    if (threads_ == 1) return;
    // A mirrored position is length - 1 - position, so a lead between two rows is the same in both
    // directions.
    std::vector<RowDependency> on;
    std::vector<std::int64_t> start(static_cast<std::size_t>(rows), 0);
    for (std::int32_t row = 0; row < rows; ++row) {
      if ((row & 0xf) == 0) control.poll();
      on.clear();
      const std::int32_t first = row * row_, last = std::min(n - first, row_) + first;
      for (std::int32_t r = first; r < last; ++r) {
        const std::int32_t i = graph_.at_rank(r);
        for (const Incidence* k = graph_.begin(i); k != graph_.end(i); ++k)
          if (const std::int32_t before = graph_.rank(k->other); before < first)
            on.push_back({before / row_, before % row_ - r % row_});
      }
      std::sort(on.begin(), on.end(), [](const RowDependency& a, const RowDependency& b) {
        return a.row != b.row ? a.row < b.row : a.lead > b.lead;
      });
      on.erase(std::unique(
                   on.begin(), on.end(),
                   [](const RowDependency& a, const RowDependency& b) { return a.row == b.row; }),
               on.end());
      for (const RowDependency& d : on) {
        forward_.depends_on[row].push_back(d);
        backward_.depends_on[rows - 1 - d.row].push_back({rows - 1 - row, d.lead});
        const std::int32_t behind = std::max(0, std::min(row_, Pipeline::kPiece + d.lead));
        start[row] = std::max(start[row], start[d.row] + behind);
      }
    }
    // Where rows must wait for each other to the end, helpers would only wait.
    const std::int64_t alone = n, together = *std::max_element(start.begin(), start.end()) + row_;
    if (10 * alone < 12 * together) threads_ = 1;
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
        width_(graph_.topology().width),
        height_(graph_.topology().height),
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
      const std::int32_t r = rank_of(e);
      (is_right(e) ? right_edge_ : down_edge_)[cell_of(r) * lanes_ + lane_of(r)] =
          static_cast<std::int32_t>(e);
    }
    rows_.rows = strips_;
    rows_.length = steps_;
    rows_.depends_on.resize(static_cast<std::size_t>(strips_));
    // Lane 0 reads what the last lane of the strip above sent, lanes - 1 steps ahead; one more,
    // because a backward sweep rewrites the other lanes of that vector.
    for (std::int32_t r = 1; r < strips_; ++r) rows_.depends_on[r].push_back({r - 1, lanes_});
  }

  // Whether a problem can be laid out like this: one table, in the same direction everywhere.
  static bool fits(const ConvexProblem& problem) {
    const Neighbourhood& graph = problem.graph;
    if (graph.topology().kind != Topology::Kind::grid4 || problem.tables.size() != 1) return false;
    if (ShapePair<Value>(problem.tables.front()).symmetric()) return true;
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      if (!graph.tail_first(e)) return false;
    return true;
  }

  bool accepts(const ConvexProblem& problem) const override { return fits(problem); }

  void load(const ConvexProblem& problem, const UnaryRows& unary_of, Control& control) override {
    shapes_ = ShapePair<Value>(problem.tables.front());
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if ((i & 0xff) == 0) control.poll();
      Value* unary = unary_.data() + vector_of(graph_.rank(i));
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
      const std::int32_t r = rank_of(e);
      const bool right = is_right(e);
      Value& weight =
          (right ? right_weight_
                 : down_weight_)[static_cast<std::size_t>(cell_of(r) * lanes_ + lane_of(r))];
      if (w > 0) (right ? has_right_ : has_down_)[cell_of(r)] |= LaneBits{1} << lane_of(r);
      if (w == weight) continue;
      weight = w;
      Value* message = (right ? right_ : down_).data() + vector_of(r);
      for (int l = 0; l < labels_; ++l) message[l * lanes_] = 0;
    }
  }

  std::int64_t sweep(bool forward, const BandNote* note, Control& control) override {
    const WavefrontView<Value> view = this->view();
    RankedNote ranked(graph_, note);
    const std::int64_t bound =
        walk(forward, control,
             [&](std::int32_t strip, std::int32_t first, std::int32_t last, int thread) {
               return kernels_.wavefront(view, strip, first, last, forward, ranked.get(),
                                         scratch_[thread].data());
             });
    ranked.hand_over();
    return bound;
  }

  void decode(const ConvexProblem& problem, Labelling& x, Control& control) override {
    // g(x_i - x_j) for i before j; where edges run the other way the table is symmetric.
    const std::int32_t far = labels_ - 1;
    std::vector<Value> g;
    for (std::int32_t d = -far; d <= far; ++d)
      g.push_back(static_cast<Value>(problem.tables.front().h(d)));
    const WavefrontView<Value> view = this->view();
    Labelling in_order(x.size());
    walk(true, control, [&](std::int32_t strip, std::int32_t first, std::int32_t last, int) {
      kernels_.decode(view, strip, first, last, g.data() + far, in_order.data(), graph_.nodes());
      return std::int64_t{0};
    });
    for (std::int32_t i = 0; i < graph_.nodes(); ++i)
      if (takes_part_[i]) x[i] = in_order[graph_.rank(i)];
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
          const bool tail_first = graph_.tail_first(e);
          visit({e, tail_first ? first : second, tail_first ? second : first});
        }
      }
  }

  MessageVector<Value> to_later(std::int64_t e) override {
    return {(is_right(e) ? right_ : down_).data() + vector_of(rank_of(e)), lanes_};
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
    return std::abs(graph_.rank(graph_.head(e)) - graph_.rank(graph_.tail(e))) == 1;
  }
  // Where an edge begins; all places are those of ranks.
  std::int32_t rank_of(std::int64_t e) const {
    return std::min(graph_.rank(graph_.tail(e)), graph_.rank(graph_.head(e)));
  }
  std::int32_t lane_of(std::int32_t r) const { return r / width_ % lanes_; }
  std::int64_t cell_of(std::int32_t r) const {
    const std::int32_t y = r / width_, x = r % width_;
    return static_cast<std::int64_t>(y / lanes_) * steps_ + x + y % lanes_;
  }
  std::int64_t vector_of(std::int32_t r) const {
    return cell_of(r) * labels_ * lanes_ + lane_of(r);
  }
};

}  // namespace

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_messages_of(const ConvexProblem& problem,
                                                    std::int64_t scale, int threads,
                                                    Control& control) {
  problem.graph.find_topology(&control);
  if (WavefrontMessages<Value>::fits(problem))
    return std::make_unique<WavefrontMessages<Value>>(problem, scale, threads, control);
  return std::make_unique<LabelMessages<Value>>(problem, scale, threads, control);
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
  from_tail_ = {tail_taps_.data() + 1,
                left,
                right,
                value(-left),
                value(right),
                value(-left - 1) - value(-left),
                value(right + 1) - value(right)};
  from_head_ = {head_taps_.data() + 1,
                right,
                left,
                from_tail_.at_right,
                from_tail_.at_left,
                from_tail_.slope_right,
                from_tail_.slope_left};
  symmetric_ = true;
  for (int d = 1; d <= end; ++d) symmetric_ = symmetric_ && h(d) == h(-d);
}

template class ShapePair<std::int32_t>;
template class ShapePair<std::int64_t>;

}  // namespace rangemoves
