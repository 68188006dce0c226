// Range expansion (Kumar, Veksler, Torr 2011, after Kumar and Torr 2009): every variable keeps its
// label or takes any label of [a, a+T], for one range after the other until none brings anything.
//
// A variable has its labels of the range in order as states, and "keep" as one more at one end of
// them: below in even cycles, above in odd ones. Between two labels of the range an edge costs g,
// which is convex there; between two that keep it costs what it costs now. Where one keeps and the
// other takes a label, the cost is the least that is not below g and makes the whole submodular:
// then one cut finds the best move, and it cannot raise the energy.
#include <algorithm>

#include "rangemoves/explicit_graph.hpp"
#include "rangemoves/maxflow.hpp"
#include "rangemoves/moves/ranges.hpp"

namespace rangemoves {

namespace {

class RangeExpansion {
 public:
  RangeExpansion(MoveLoop& loop, int width)
      : loop_(loop), energy_(loop.energy()), states_(width + 2) {
    const std::size_t cells = static_cast<std::size_t>(states_) * states_;
    cost_.resize(cells);
    unary_.resize(static_cast<std::size_t>(energy_.graph.nodes()) * states_);
  }

  bool make(int low, bool keep_below) {
    low_ = low;
    keep_ = keep_below ? 0 : states_ - 1;
    loop_.begin_iteration();
    arcs_.clear();
    const std::int32_t n = energy_.graph.nodes();
    for (std::int32_t i = 0; i < n; ++i)
      for (int s = 0; s < states_; ++s)
        unary_[at(i, s)] = energy_.theta[std::int64_t{i} * energy_.labels + label(i, s)];
    for (std::int64_t e = 0; e < energy_.graph.edges(); ++e) {
      add_edge(e);
      if ((e & 0xfff) == 0) loop_.control().poll();
    }
    add_columns();
    return solve();
  }

 private:
  MoveLoop& loop_;
  const Energy& energy_;
  const int states_;
  int low_ = 0, keep_ = 0;
  std::vector<std::int64_t> cost_;      // of one edge: states x states
  std::vector<std::int64_t> unary_;     // variables x states
  std::vector<std::int64_t> terminal_;  // of the nodes: (states - 1) a variable
  std::vector<ExplicitGraph::Arc> arcs_;

  std::size_t at(std::int32_t i, int s) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(states_) +
           static_cast<std::size_t>(s);
  }
  int label(std::int32_t i, int s) const {
    if (s == keep_) return loop_.labels()[i];
    return low_ + (keep_ == 0 ? s - 1 : s);
  }
  // Node (i, s) is on the source side iff the state of i is at least s = 1 .. states-1.
  std::int32_t node(std::int32_t i, int s) const { return i * (states_ - 1) + s - 1; }
  std::int64_t& cost(int s, int t) {
    return cost_[static_cast<std::size_t>(s) * static_cast<std::size_t>(states_) +
                 static_cast<std::size_t>(t)];
  }

  void fill_costs(std::int64_t e) {
    const std::int32_t i = energy_.graph.tail(e), j = energy_.graph.head(e);
    for (int s = 0; s < states_; ++s)
      for (int t = 0; t < states_; ++t)
        cost(s, t) = energy_.w[e] * energy_.g(label(i, s) - label(j, t));
    // One keeps. From the state next to "keep" outward, what this costs more than if it had taken
    // that state must not shrink.
    const int step = keep_ == 0 ? 1 : -1, next = keep_ + step;
    std::int64_t from_tail = cost(keep_, next) - cost(next, next),
                 from_head = cost(next, keep_) - cost(next, next);
    const std::int64_t missing = cost(keep_, keep_) - cost(next, next) - from_tail - from_head;
    if (missing > 0) {
      from_tail += missing / 2;
      from_head += missing - missing / 2;
    }
    for (int k = 1; k < states_; ++k) {
      const int s = keep_ + k * step;
      from_tail = std::max(from_tail, cost(keep_, s) - cost(next, s));
      from_head = std::max(from_head, cost(s, keep_) - cost(s, next));
      cost(keep_, s) = cost(next, s) + from_tail;
      cost(s, keep_) = cost(s, next) + from_head;
    }
  }

  // E(s,t) = E(s,0) + E(0,t) - E(0,0) - sum over s' <= s, t' <= t of the cells; of the product that
  // a cell stands for half goes either way.
  void add_edge(std::int64_t e) {
    fill_costs(e);
    const std::int32_t i = energy_.graph.tail(e), j = energy_.graph.head(e);
    for (int s = 0; s < states_; ++s) {
      unary_[at(i, s)] += cost(s, 0);
      unary_[at(j, s)] += cost(0, s) - cost(0, 0);
    }
    for (int s = 1; s < states_; ++s)
      for (int t = 1; t < states_; ++t) {
        const std::int64_t cell = cost(s - 1, t) + cost(s, t - 1) - cost(s - 1, t - 1) - cost(s, t);
        if (cell == 0) continue;
        const std::int64_t half = cell / 2;
        arcs_.push_back({node(i, s), node(j, t), half, cell - half});
        for (int k = s; k < states_; ++k) unary_[at(i, k)] -= half;
        for (int k = t; k < states_; ++k) unary_[at(j, k)] -= cell - half;
      }
  }

  void add_columns() {
    const std::int32_t n = energy_.graph.nodes();
    terminal_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(states_ - 1), 0);
    for (std::int32_t i = 0; i < n; ++i) {
      std::int64_t* unary = unary_.data() + at(i, 0);
      const std::int64_t least = *std::min_element(unary, unary + states_);
      terminal_[static_cast<std::size_t>(node(i, 1))] += unary[0] - least;
      terminal_[static_cast<std::size_t>(node(i, states_ - 1))] -= unary[states_ - 1] - least;
      for (int s = 1; s + 1 < states_; ++s)
        arcs_.push_back({node(i, s), node(i, s + 1), unary[s] - least, unlimited});
    }
  }

  bool solve() {
    ExplicitGraph graph(terminal_, arcs_);
    Pseudoflow<ExplicitGraph> flow(graph, loop_.control());
    flow.run();
    std::vector<LabelChange> changes;
    std::vector<int> state(static_cast<std::size_t>(energy_.graph.nodes()));
    for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
      int s = 0;
      while (s + 1 < states_ && flow.on_source_side(node(i, s + 1))) ++s;
      state[static_cast<std::size_t>(i)] = s;
      if (label(i, s) != loop_.labels()[i]) changes.push_back({i, label(i, s)});
    }
    return loop_.finish_iteration(changes, gain(state), energy_.graph.nodes(), true);
  }

  // By how much the energy of the move falls.
  std::int64_t gain(const std::vector<int>& state) {
    std::int64_t gain = 0;
    for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
      const std::int32_t* theta = energy_.theta + std::int64_t{i} * energy_.labels;
      gain += theta[loop_.labels()[i]] - theta[label(i, state[static_cast<std::size_t>(i)])];
    }
    for (std::int64_t e = 0; e < energy_.graph.edges(); ++e) {
      const int s = state[static_cast<std::size_t>(energy_.graph.tail(e))],
                t = state[static_cast<std::size_t>(energy_.graph.head(e))];
      if (s == keep_ && t == keep_) continue;
      fill_costs(e);
      gain += cost(keep_, keep_) - cost(s, t);
    }
    return gain;
  }

  static constexpr std::int64_t unlimited = std::int64_t{1} << 60;
};

}  // namespace

int range_states(const Table& g, const Settings& settings) {
  const int widest = range_width(g);
  const double asked = settings.option("width", static_cast<double>(widest));
  return std::min(widest, static_cast<int>(std::min(asked, 1e6))) + 2;
}

void rexp(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  const int width = range_states(energy.g, loop.settings()) - 2;
  const int ranges = energy.labels - width;
  RangeExpansion move(loop, width);
  // A range has nothing to offer, with "keep" above or below, since which change.
  std::vector<std::int64_t> exhausted[2];
  for (auto& since : exhausted) since.assign(static_cast<std::size_t>(ranges), -1);
  std::int64_t changes = 0;
  for (std::int64_t cycle = 0, stalled = 0; stalled < 2; ++cycle) {
    bool any = false;
    std::vector<std::int64_t>& since = exhausted[cycle % 2];
    for (const int low : chosen_order(loop.settings(), ranges, cycle)) {
      if (since[static_cast<std::size_t>(low)] == changes) continue;
      const bool gained = move.make(low, cycle % 2 == 0);
      changes += gained;
      any |= gained;
      if (!gained) since[static_cast<std::size_t>(low)] = changes;
    }
    stalled = any ? 0 : stalled + 1;
  }
}

}  // namespace rangemoves
