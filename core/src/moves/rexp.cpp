// Range expansion (Kumar, Veksler, Torr 2011, after Kumar and Torr 2009): every variable keeps its
// label or takes any label of [a, a+T], for one range after the other until none lowers the energy.
//
// A variable has its labels of the range in order as states, and "keep" as one more at one end of
// them: below in the first half of a cycle, above in the second. Between two labels of the range an
// edge costs g, or, in a range wider than g is convex, the convex h above it; between two that keep
// it costs what it costs now. Where one
// keeps and the other takes a label, the cost is the least that is not below g and makes the whole
// submodular: then one cut finds the best move, and it cannot raise the energy.
#include <algorithm>
#include <stdexcept>

#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/moves/range_messages.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/moves/turns.hpp"
#include "rangemoves/problem/limits.hpp"

namespace rangemoves {

namespace {

class RangeExpansion {
 public:
  RangeExpansion(MoveLoop& loop, int width)
      : loop_(loop),
        energy_(loop.energy()),
        h_(chosen_tables(energy_.g, loop.settings())),
        states_(width + 2),
        place_(loop.labels().size(), -1),
        messages_(states_, energy_.graph.edges()),
        tail_keeps_(static_cast<std::size_t>(states_)),
        head_keeps_(static_cast<std::size_t>(states_)) {}

  // All others keep their label.
  bool make(const std::vector<std::int32_t>& variables, int low, bool keep_below) {
    low_ = low;
    keep_ = keep_below ? 0 : states_ - 1;
    loop_.begin_iteration();
    variables_ = &variables;
    messages_.clear(count(), keep_);
    for (std::int32_t v = 0; v < count(); ++v) place_[variables[v]] = v;
    unary_.resize(variables.size() * static_cast<std::size_t>(states_));
    for (std::int32_t v = 0; v < count(); ++v) {
      fill_unary(v);
      add_edges(v);
      if ((v & 0x3f) == 0) loop_.control().poll();
    }
    messages_.sweep(unary_, loop_.control());
    messages_.fill_cells(cells_, loop_.control());
    add_columns();
    return solve();
  }

  const std::vector<LabelChange>& changes() const { return changes_; }

 private:
  MoveLoop& loop_;
  const Energy& energy_;
  const PerEdge<Table> h_;
  const int states_;
  int low_ = 0, keep_ = 0;
  const std::vector<std::int32_t>* variables_ = nullptr;
  std::vector<std::int32_t> place_;  // of a variable among those that take part, or -1
  RangeMessages messages_;
  std::vector<std::int64_t> tail_keeps_, head_keeps_;  // of one edge
  LargeVector<std::int64_t> unary_;                    // variables x states
  // Of the graph, (states - 1) nodes a variable.
  LargeVector<std::int64_t> excess_, up_;
  LargeVector<ColumnGraph::Cell> cells_;
  std::vector<LabelChange> changes_;

  std::int32_t count() const { return static_cast<std::int32_t>(variables_->size()); }
  std::size_t at(std::int32_t v, int s) const {
    return static_cast<std::size_t>(v) * static_cast<std::size_t>(states_) +
           static_cast<std::size_t>(s);
  }
  // Its own costs, and those of its edges to others that do not take part.
  void fill_unary(std::int32_t v) {
    const std::int32_t i = (*variables_)[v];
    for (int s = 0; s < states_; ++s) unary_[at(v, s)] = cost_alone(i, label(i, s));
  }
  std::int64_t cost_alone(std::int32_t i, std::int32_t l) const {
    std::int64_t sum = energy_.theta(i, l);
    for (const Incidence* n = energy_.graph.begin(i); n != energy_.graph.end(i); ++n) {
      if (place_[n->other] >= 0) continue;
      sum += energy_.seen_from(*n, l, loop_.labels()[n->other]);
    }
    return sum;
  }
  int label(std::int32_t i, int s) const {
    if (s == keep_) return loop_.labels()[i];
    return low_ + (keep_ == 0 ? s - 1 : s);
  }
  // Node (v, s) is on the source side iff the state of v is at least s = 1 .. states-1.
  std::int32_t node(std::int32_t v, int s) const { return v * (states_ - 1) + s - 1; }
  // The edges of which it is the tail, to others that take part.
  void add_edges(std::int32_t v) {
    const std::int32_t i = (*variables_)[v];
    for (const Incidence* n = energy_.graph.begin(i); n != energy_.graph.end(i); ++n) {
      if (!n->is_tail || place_[n->other] < 0) continue;
      fill_keeps(n->edge, i, n->other);
      messages_.add_edge({v, place_[n->other]}, energy_.w[n->edge], h_[n->edge], tail_keeps_,
                         head_keeps_);
    }
  }

  // Fills tail_keeps_ and head_keeps_: the least costs, not below g, of an edge one of whose ends
  // keeps its label. Submodularity asks that, from the state next to "keep" outward, the excess
  // over what the edge would cost if that end had taken the next state never shrinks; from_tail and
  // from_head are this excess.
  void fill_keeps(std::int64_t e, std::int32_t i, std::int32_t j) {
    const std::int32_t xi = loop_.labels()[i], xj = loop_.labels()[j];
    const int step = keep_ == 0 ? 1 : -1, next = keep_ + step;
    const auto taken = [&](int s, int t) { return energy_.w[e] * h_[e](s - t); };
    const auto tail_keeps = [&](int t) { return energy_.pair(e, xi - label(j, t)); };
    const auto head_keeps = [&](int s) { return energy_.pair(e, label(i, s) - xj); };
    const std::int64_t both = energy_.pair(e, xi - xj);
    std::int64_t from_tail = tail_keeps(next) - taken(next, next),
                 from_head = head_keeps(next) - taken(next, next);
    const std::int64_t missing = both - taken(next, next) - from_tail - from_head;
    if (missing > 0) {
      from_tail += missing / 2;
      from_head += missing - missing / 2;
    }
    for (int k = 1; k < states_; ++k) {
      const int s = keep_ + k * step;
      from_tail = std::max(from_tail, tail_keeps(s) - taken(next, s));
      from_head = std::max(from_head, head_keeps(s) - taken(s, next));
      tail_keeps_[s] = taken(next, s) + from_tail;
      head_keeps_[s] = taken(s, next) + from_head;
    }
    tail_keeps_[keep_] = head_keeps_[keep_] = both;
  }

  void add_columns() {
    const std::size_t nodes = variables_->size() * static_cast<std::size_t>(states_ - 1);
    assign_polling(excess_, nodes, std::int64_t{0}, loop_.control());
    assign_polling(up_, nodes, std::int64_t{0}, loop_.control());
    for (std::int32_t v = 0; v < count(); ++v) {
      const std::int64_t* unary = unary_.data() + at(v, 0);
      const std::int64_t least = *std::min_element(unary, unary + states_);
      excess_[static_cast<std::size_t>(node(v, 1))] += unary[0] - least;
      excess_[static_cast<std::size_t>(node(v, states_ - 1))] -= unary[states_ - 1] - least;
      for (int s = 1; s + 1 < states_; ++s)
        up_[static_cast<std::size_t>(node(v, s))] = unary[s] - least;
    }
  }

  bool solve() {
    ColumnGraph graph(states_ - 1, messages_.edges(), excess_, up_, cells_);
    IncrementalBfs<ColumnGraph> flow(graph, loop_.control());
    flow.run();
    changes_.clear();
    std::vector<int> state(variables_->size());
    for (std::int32_t v = 0; v < count(); ++v) {
      const std::int32_t i = (*variables_)[v];
      int s = 0;
      while (s + 1 < states_ && flow.on_source_side(node(v, s + 1))) ++s;
      state[static_cast<std::size_t>(v)] = s;
      if (label(i, s) != loop_.labels()[i]) changes_.push_back({i, label(i, s)});
    }
    const std::int64_t fall = gain(state);
    for (const std::int32_t i : *variables_) place_[i] = -1;
    return loop_.finish_iteration(changes_, fall, count(), true);
  }

  // By how much the energy of the move falls.
  std::int64_t gain(const std::vector<int>& state) {
    std::int64_t gain = 0;
    for (std::int32_t v = 0; v < count(); ++v) {
      const std::int32_t i = (*variables_)[v];
      const int s = state[static_cast<std::size_t>(v)];
      if (s != keep_) gain += cost_alone(i, label(i, keep_)) - cost_alone(i, label(i, s));
    }
    for (std::size_t e = 0; e < messages_.edges().size(); ++e) {
      const ColumnGraph::Edge& edge = messages_.edges()[e];
      gain += messages_.cost(e, keep_, keep_) -
              messages_.cost(e, state[static_cast<std::size_t>(edge.tail)],
                             state[static_cast<std::size_t>(edge.head)]);
    }
    return gain;
  }
};

// Ranges side by side, then those half way between two of them, and so on. In ascending order large
// areas would move along from range to range.
std::vector<int> widest_steps_first(int ranges, int width) {
  int step = 1;
  while (2 * step <= width) step *= 2;
  std::vector<int> order;
  for (int low = 0; low < ranges; low += step) order.push_back(low);
  for (step /= 2; step > 0; step /= 2)
    for (int low = step; low < ranges; low += 2 * step) order.push_back(low);
  return order;
}

}  // namespace

int range_states(const PerEdge<Table>& g, const Settings& settings) {
  if (settings.width == 0) return range_width(g, settings) + 2;
  const std::int64_t widest = g.kinds().front().labels() - 1;
  return static_cast<int>(std::min(widest, settings.width)) + 2;
}

void rexp(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const int width = range_states(energy.g, loop.settings()) - 2;
  const int ranges = energy.labels - width;
  if (std::int64_t{energy.graph.nodes()} * (width + 1) > limits::kCutNodes)
    throw std::overflow_error(
        "there must be at most 2^31 - 1 variables times labels of a range; split the problem");
  RangeExpansion move(loop, width);
  // First with "keep" below all ranges, then with "keep" above them.
  Turns turns(loop, 2 * ranges);
  const auto order = [&](std::int64_t cycle) {
    const std::vector<int> place = widest_steps_first(ranges, width);
    std::vector<int> both;
    for (const int half : {0, 1})
      for (const int k : chosen_order(loop.settings(), ranges, 2 * cycle + half))
        both.push_back(place[static_cast<std::size_t>(k)] + half * ranges);
    return both;
  };
  const auto takes_part = [](int, std::int32_t) { return true; };
  while (turns.run(order, takes_part, [&](int k, const std::vector<std::int32_t>& variables) {
    const bool gained = move.make(variables, k % ranges, k < ranges);
    return Turns::Outcome{gained, false, move.changes()};
  })) {
  }
}

}  // namespace rangemoves
