// Range swap (Veksler 2012; section 2 of the paper, "Standard range moves"): those that have a
// label in [a, a+T] choose among the same labels, where g is convex.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "rangemoves/engine_reference.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/moves/turns.hpp"

namespace rangemoves {

int range_width(const Table& g) {
  const ConvexRange range = convex_range(g);
  return std::min(std::max(1, std::min(range.left, range.right)), g.labels() - 1);
}

namespace {

// One move of some variables, which choose among low .. high; the labels of its convex problem
// count from low.
class RangeSwap {
 public:
  RangeSwap(MoveLoop& loop, const Table& h)
      : loop_(loop),
        energy_(loop.energy()),
        h_(h),
        place_(loop.labels().size(), -1),
        changed_(loop.labels().size(), 0) {}

  // Returns whether the energy fell.
  bool make(const std::vector<std::int32_t>& nodes, int low, int high) {
    loop_.begin_iteration();
    low_ = low;
    count_ = high - low + 1;
    MoveSolution solution;
    const std::int64_t before =
        sends_messages(nodes.size()) ? solve_on_all(nodes, solution) : solve_alone(nodes, solution);
    keep_gains();
    return loop_.finish_iteration(changes_, before - solution.energy,
                                  static_cast<std::int64_t>(nodes.size()), solution.proven);
  }

  const std::vector<LabelChange>& changes() const { return changes_; }

 private:
  MoveLoop& loop_;
  const Energy& energy_;
  const Table h_;
  int low_ = 0, count_ = 0;
  std::vector<std::int32_t> place_;  // of a variable in the convex problem; -1: not in it
  std::vector<std::uint8_t> changed_;
  std::vector<std::int32_t> component_, new_label_;
  std::vector<LabelChange> changes_;

  // Sweeps go over all variables, a plain cut over those that take part: it is the quicker one
  // where these, and the labels they choose among, are not too many.
  bool sends_messages(std::size_t taking_part) const {
    const std::string& engine = loop_.settings().engine.engine;
    const std::size_t nodes = taking_part * static_cast<std::size_t>(count_ - 1);
    return engine == "dual" || (engine == "auto" && nodes > loop_.labels().size());
  }

  CostVolume costs_of(std::int32_t variables) const {
    return {variables, count_, energy_.theta.is_wide(), loop_.control()};
  }

  ConvexTable table() const {
    std::vector<std::int64_t> values;
    for (int d = 1 - count_; d < count_; ++d) values.push_back(h_(d));
    return ConvexTable(Table(std::move(values)));
  }

  // The costs of variable i become those of v.
  void fill_unary(std::int32_t i, CostVolume& unary, std::int32_t v) const {
    for (int l = 0; l < count_; ++l) unary.set(v, l, energy_.theta(i, low_ + l));
    for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at) {
      if (place_[at->other] >= 0) continue;
      const int sign = at->is_tail ? 1 : -1, there = loop_.labels()[at->other];
      for (int l = 0; l < count_; ++l)
        unary.add(v, l, energy_.w[at->edge] * energy_.g(sign * (low_ + l - there)));
    }
  }

  // The graph of those that take part, and nobody else.
  std::int64_t solve_alone(const std::vector<std::int32_t>& nodes, MoveSolution& solution) {
    const auto n = static_cast<std::int32_t>(nodes.size());
    for (std::int32_t v = 0; v < n; ++v) place_[nodes[v]] = v;
    std::vector<std::int32_t> tail, head, weight;
    for (std::int32_t v = 0; v < n; ++v) {
      if ((v & 0xff) == 0) loop_.control().poll();
      for (const Incidence* at = energy_.graph.begin(nodes[v]); at != energy_.graph.end(nodes[v]);
           ++at) {
        if (!at->is_tail || place_[at->other] < 0) continue;
        tail.push_back(v);
        head.push_back(place_[at->other]);
        weight.push_back(energy_.w[at->edge]);
      }
    }
    const Neighbourhood graph(n, std::move(tail), std::move(head), 0);
    ConvexProblem problem{graph, count_, costs_of(n), std::move(weight), {table()}, {}, {}, {}};
    problem.low.assign(nodes.size(), 0);
    problem.high.assign(nodes.size(), count_ - 1);
    Labelling current(nodes.size());
    for (std::int32_t v = 0; v < n; ++v) {
      if ((v & 0xff) == 0) loop_.control().poll();
      fill_unary(nodes[v], problem.unary, v);
      current[v] = loop_.labels()[nodes[v]] - low_;
    }
    const std::int64_t before = problem.energy(current);
    solution = ReferenceEngine(loop_.settings().engine)
                   .solve(std::move(problem), current, loop_.control());
    take(nodes, [&](std::int32_t v) { return solution.labels[v]; });
    return before;
  }

  // All variables, most of which do not take part.
  std::int64_t solve_on_all(const std::vector<std::int32_t>& nodes, MoveSolution& solution) {
    const std::size_t n = loop_.labels().size();
    for (const std::int32_t i : nodes) place_[i] = i;
    ConvexProblem problem{
        energy_.graph, count_, costs_of(energy_.graph.nodes()), {}, {table()}, {}, {}, {}};
    problem.low.assign(n, 0);
    problem.high.assign(n, 0);
    problem.weight.assign(static_cast<std::size_t>(energy_.graph.edges()), 0);
    Labelling current(n, 0);
    for (const std::int32_t i : nodes) {
      if ((i & 0xff) == 0) loop_.control().poll();
      fill_unary(i, problem.unary, i);
      current[i] = loop_.labels()[i] - low_;
      problem.high[i] = count_ - 1;
      for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
        if (place_[at->other] >= 0) problem.weight[at->edge] = energy_.w[at->edge];
    }
    const std::int64_t before = problem.energy(current);
    solution = loop_.engine().solve(std::move(problem), current, loop_.control());
    take(nodes, [&](std::int32_t v) { return solution.labels[nodes[v]]; });
    return before;
  }

  template <class LabelOf>
  void take(const std::vector<std::int32_t>& nodes, LabelOf&& label_of) {
    changes_.clear();
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(nodes.size()); ++v) {
      const std::int32_t i = nodes[v], label = low_ + label_of(v);
      place_[i] = -1;
      if (label != loop_.labels()[i]) changes_.push_back({i, label});
    }
  }

  // Changes that touch each other stand or fall together. Those that leave the energy as it is
  // would only make others look again.
  void keep_gains() {
    new_label_.resize(loop_.labels().size());
    for (const LabelChange& change : changes_) {
      changed_[change.node] = 1;
      new_label_[change.node] = change.label;
    }
    std::vector<LabelChange> kept;
    for (const LabelChange& change : changes_) {
      if (changed_[change.node] != 1) continue;
      component_.assign(1, change.node);
      changed_[change.node] = 2;
      std::int64_t gain = 0;
      for (std::size_t k = 0; k < component_.size(); ++k) {
        const std::int32_t i = component_[k];
        const std::int32_t old = loop_.labels()[i], now = new_label_[i];
        gain += energy_.theta(i, old) - energy_.theta(i, now);
        for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at) {
          const std::int32_t j = at->other;
          if (changed_[j] == 1) {
            changed_[j] = 2;
            component_.push_back(j);
          }
          if (changed_[j] && !at->is_tail) continue;  // counted at the other end
          const int sign = at->is_tail ? 1 : -1;
          const std::int32_t old_j = loop_.labels()[j], now_j = changed_[j] ? new_label_[j] : old_j;
          gain += energy_.w[at->edge] *
                  (energy_.g(sign * (old - old_j)) - energy_.g(sign * (now - now_j)));
        }
      }
      if (gain > 0)
        for (const std::int32_t i : component_) kept.push_back({i, new_label_[i]});
    }
    for (const LabelChange& change : changes_) changed_[change.node] = 0;
    changes_ = std::move(kept);
  }
};

}  // namespace

void swap_ranges(MoveLoop& loop, int extend, const Table& h) {
  const Energy& energy = loop.energy();
  const int last = energy.labels - 1, width = range_width(energy.g);
  const int ranges = std::max(1, last - width + 1);
  Turns turns(loop, ranges);
  RangeSwap move(loop, h);
  const auto order = [&](std::int64_t cycle) {
    return chosen_order(loop.settings(), ranges, cycle);
  };
  const auto takes_part = [&](int a, std::int32_t label) {
    return a <= label && label <= std::min(a + width, last);
  };
  while (turns.run(order, takes_part, [&](int a, const std::vector<std::int32_t>& variables) {
    const bool gained =
        move.make(variables, std::max(0, a - extend), std::min(last, a + width + extend));
    return Turns::Outcome{gained, extend == 0, move.changes()};
  })) {
  }
}

void rswap(MoveLoop& loop) {
  const Table& g = loop.energy().g;
  swap_ranges(loop, 0, tight_surrogate(g, convex_range(g)));
}

}  // namespace rangemoves
