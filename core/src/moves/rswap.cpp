// Range swap (Veksler 2012; section 2 of the paper, "Standard range moves"): those that have a
// label in [a, a+T] choose among the same labels, where g is convex.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "rangemoves/engine/dual.hpp"
#include "rangemoves/engine/reference.hpp"
#include "rangemoves/fusion/label_delta.hpp"
#include "rangemoves/moves/kept_messages.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/moves/turns.hpp"

namespace rangemoves {

namespace {

// Cuts are made without messages where they have less than one node for so many variables.
constexpr std::size_t kFewest = 4;
// A range is solved from its own messages where one in so many variables changed, or fewer.
constexpr std::size_t kFewChanged = 8;
// Where that is not enough again and again, after so many failures in excess of successes, only one
// chance in so many is taken.
constexpr int kMostTrust = 8;
constexpr int kSeldom = 16;

// One move of some variables, which choose among low .. high; the labels of its convex problem
// count from low.
class RangeSwap {
 public:
  RangeSwap(MoveLoop& loop, const PerEdge<Table>& h, int ranges, int width, int extend)
      : loop_(loop),
        energy_(loop.energy()),
        h_(h),
        place_(loop.labels().size(), -1),
        proposal_(loop.labels()),
        components_(loop.energy()),
        width_(width),
        extend_(extend),
        last_(loop.energy().labels - 1),
        kept_(energy_.graph, ranges, largest_step(h, largest_weight()),
              most_kept_bytes(energy_.graph.nodes(), energy_.labels,
                              largest_step(h, largest_weight()), loop.settings())) {}

  // The move of those whose labels lie in [range, range + width]. changed: those of them that
  // differ from when the range was last tried, or have such neighbours. Returns whether the energy
  // fell.
  bool make(int range, const std::vector<std::int32_t>& nodes,
            const std::vector<std::int32_t>& changed) {
    loop_.begin_iteration();
    range_ = range;
    changed_ = &changed;
    low_ = std::max(0, range - extend_);
    count_ = std::min(last_, range + width_ + extend_) - low_ + 1;
    MoveSolution solution;
    const std::int64_t before =
        sends_messages(nodes.size()) ? solve_on_all(nodes, solution) : solve_alone(nodes, solution);
    if (loop_.settings().engine.ties == Ties::keep) keep_gains();
    const bool gained =
        loop_.finish_iteration(changes_, before - solution.energy,
                               static_cast<std::int64_t>(nodes.size()), solution.proven);
    for (const LabelChange& change : changes_) proposal_[change.node] = loop_.labels()[change.node];
    // The loop takes all changes or none: looking at the first one tells which.
    if (!changes_.empty() && proposal_[changes_[0].node] != changes_[0].label) changes_.clear();
    return gained;
  }

  const std::vector<LabelChange>& changes() const { return changes_; }

 private:
  MoveLoop& loop_;
  const Energy& energy_;
  const PerEdge<Table> h_;
  int low_ = 0, count_ = 0;
  std::vector<std::int32_t> place_;  // of a variable in the convex problem; -1: not in it
  Labelling proposal_;               // equals the labels, except while changes are evaluated
  ChangedComponents components_;
  std::vector<LabelChange> changes_;
  const int width_, extend_, last_;
  int range_ = 0;
  const std::vector<std::int32_t>* changed_ = nullptr;
  KeptMessages kept_;
  int trust_ = kMostTrust, chances_ = 0;  // see kSeldom

  std::int64_t largest_weight() const {
    const std::int64_t edges = energy_.graph.edges();
    return edges == 0 ? 0 : *std::max_element(energy_.w, energy_.w + edges);
  }

  // Each move that sends messages costs some passes over all variables, a plain cut only visits
  // those that take part: it is faster where few do.
  bool sends_messages(std::size_t taking_part) const {
    const EngineChoice engine = loop_.settings().engine.engine;
    const std::size_t nodes = taking_part * static_cast<std::size_t>(count_ - 1);
    return engine == EngineChoice::dual ||
           (engine == EngineChoice::automatic && nodes > loop_.labels().size() / kFewest);
  }

  std::vector<ConvexTable> tables() const {
    std::vector<ConvexTable> tables;
    for (const Table& h : h_.kinds()) {
      std::vector<std::int64_t> values;
      for (int d = 1 - count_; d < count_; ++d) values.push_back(h(d));
      tables.emplace_back(Table(std::move(values), h.centre()));
    }
    return tables;
  }

  // Those that have neighbours that do not take part.
  std::int64_t count_border(const std::vector<std::int32_t>& nodes) const {
    return std::count_if(nodes.begin(), nodes.end(), [&](std::int32_t i) {
      return std::any_of(energy_.graph.begin(i), energy_.graph.end(i),
                         [&](const Incidence& at) { return place_[at.other] < 0; });
    });
  }

  // Edges of i to others that do not take part become costs of v.
  void add_border(std::int32_t i, UnaryTerms& unary, std::int32_t v) const {
    for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
      if (place_[at->other] < 0)
        for (int l = 0; l < count_; ++l)
          unary.add(v, l, energy_.seen_from(*at, low_ + l, loop_.labels()[at->other]));
  }

  // On the graph of the variables that take part alone.
  std::int64_t solve_alone(const std::vector<std::int32_t>& nodes, MoveSolution& solution) {
    const auto n = static_cast<std::int32_t>(nodes.size());
    for (std::int32_t v = 0; v < n; ++v) place_[nodes[v]] = v;
    std::vector<std::int32_t> tail, head, weight, table_of_edge;
    for (std::int32_t v = 0; v < n; ++v) {
      if ((v & 0xff) == 0) loop_.control().poll();
      for (const Incidence* at = energy_.graph.begin(nodes[v]); at != energy_.graph.end(nodes[v]);
           ++at) {
        if (!at->is_tail || place_[at->other] < 0) continue;
        tail.push_back(v);
        head.push_back(place_[at->other]);
        weight.push_back(energy_.w[at->edge]);
        if (h_.index()) table_of_edge.push_back(static_cast<std::int32_t>(h_.kind(at->edge)));
      }
    }
    const Neighbourhood graph(n, std::move(tail), std::move(head), 0);
    ConvexProblem problem{graph,
                          count_,
                          {energy_.theta.from_label(low_), n, count_, nodes},
                          std::move(weight),
                          tables(),
                          std::move(table_of_edge),
                          {},
                          {}};
    problem.low.assign(nodes.size(), 0);
    problem.high.assign(nodes.size(), count_ - 1);
    Labelling current(nodes.size());
    problem.unary.expect_own_rows(count_border(nodes));
    for (std::int32_t v = 0; v < n; ++v) {
      if ((v & 0xff) == 0) loop_.control().poll();
      add_border(nodes[v], problem.unary, v);
      current[v] = loop_.labels()[nodes[v]] - low_;
    }
    const std::int64_t before = problem.energy(current);
    solution = ReferenceEngine(loop_.settings().engine)
                   .solve(std::move(problem), current, loop_.control());
    take(nodes, [&](std::int32_t v) { return solution.labels[v]; });
    return before;
  }

  // On the whole graph, where variables that do not take part have one label.
  std::int64_t solve_on_all(const std::vector<std::int32_t>& nodes, MoveSolution& solution) {
    const std::size_t n = loop_.labels().size();
    for (const std::int32_t i : nodes) place_[i] = i;
    ConvexProblem problem{energy_.graph,
                          count_,
                          {energy_.theta.from_label(low_), energy_.graph.nodes(), count_},
                          {},
                          tables(),
                          {},
                          {},
                          {}};
    if (h_.index()) problem.table_of_edge = *h_.index();
    problem.first_label = low_;
    problem.low.assign(n, 0);
    problem.high.assign(n, 0);
    problem.weight.assign(static_cast<std::size_t>(energy_.graph.edges()), 0);
    Labelling current(n, 0);
    problem.unary.expect_own_rows(count_border(nodes));
    for (const std::int32_t i : nodes) {
      if ((i & 0xff) == 0) loop_.control().poll();
      add_border(i, problem.unary, i);
      current[i] = loop_.labels()[i] - low_;
      problem.high[i] = count_ - 1;
      for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
        if (place_[at->other] >= 0) problem.weight[at->edge] = energy_.w[at->edge];
    }
    const std::int64_t before = problem.energy(current);
    solve_with_kept(std::move(problem), current, nodes, solution);
    take(nodes, [&](std::int32_t v) { return solution.labels[nodes[v]]; });
    return before;
  }

  // Starts from the messages of the same range where little has changed since, else from those of
  // the range before.
  void solve_with_kept(ConvexProblem problem, const Labelling& current,
                       const std::vector<std::int32_t>& nodes, MoveSolution& solution) {
    Engine& engine = loop_.engine();
    const auto is_on = [&](std::int32_t i) { return place_[i] >= 0; };
    const Engine::Recall recall{
        [&](const Engine::Dual& dual) { kept_.restore(range_, dual, is_on, loop_.control()); },
        *changed_};
    const bool recalls = kept_.has(range_) && changed_->size() * kFewChanged <= nodes.size() &&
                         (trust_ > 0 || ++chances_ % kSeldom == 0);
    solution =
        engine.solve(std::move(problem), current, loop_.control(), recalls ? &recall : nullptr);
    if (recalls)
      trust_ = solution.near_changes ? std::min(trust_ + 2, kMostTrust) : std::max(trust_ - 1, 0);
    const Engine::Dual dual = engine.dual();
    if (!dual.messages || kept_.most_bytes() == 0) return;
    const auto belongs = [&](std::int32_t i) {
      return range_ <= loop_.labels()[i] && loop_.labels()[i] <= range_ + width_;
    };
    kept_.keep(range_, dual, count_, nodes, is_on, belongs, loop_.control());
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

  // Keeps the connected components of changes that lower the energy. Changes that leave it as it is
  // would only make their neighbours try again.
  void keep_gains() {
    for (const LabelChange& change : changes_) proposal_[change.node] = change.label;
    std::vector<LabelChange> kept;
    components_.visit(
        loop_.labels(), proposal_, static_cast<std::int64_t>(changes_.size()),
        [&](std::int64_t k) { return changes_[static_cast<std::size_t>(k)].node; },
        [&](const std::vector<std::int32_t>& variables, std::int64_t change) {
          for (const std::int32_t i : variables)
            if (change < 0)
              kept.push_back({i, proposal_[i]});
            else
              proposal_[i] = loop_.labels()[i];
        });
    changes_ = std::move(kept);
  }
};

}  // namespace

void swap_ranges(MoveLoop& loop, int extend, const PerEdge<Table>& h) {
  const Energy& energy = loop.energy();
  const int last = energy.labels - 1, width = range_width(energy.g, loop.settings());
  const int ranges = std::max(1, last - width + 1);
  Turns turns(loop, ranges);
  RangeSwap move(loop, h, ranges, width, extend);
  const auto order = [&](std::int64_t cycle) {
    return chosen_order(loop.settings(), ranges, cycle);
  };
  const auto takes_part = [&](int a, std::int32_t label) {
    return a <= label && label <= std::min(a + width, last);
  };
  while (turns.run(order, takes_part, [&](int a, const std::vector<std::int32_t>& variables) {
    const bool gained = move.make(a, variables, turns.changed());
    return Turns::Outcome{gained, extend == 0, move.changes()};
  })) {
  }
}

std::int64_t most_kept_bytes(std::int64_t variables, int labels, std::int64_t largest_step,
                             const Settings& settings) {
  const bool keeps =
      settings.engine.ties == Ties::highest && settings.engine.engine != EngineChoice::reference;
  const std::int64_t each = largest_step > INT32_MAX ? 16 : 8;
  return keeps ? variables * labels * each : 0;
}

std::int64_t largest_step(const PerEdge<Table>& h, std::int64_t largest_weight) {
  std::int64_t steepest = 0;
  for (const Table& table : h.kinds())
    for (int d = 1 - table.labels(); d + 1 < table.labels(); ++d)
      steepest = std::max(steepest, std::abs(table(d + 1) - table(d)));
  return steepest * largest_weight * DualEngine::kFinestScale;
}

void rswap(MoveLoop& loop) {
  swap_ranges(loop, 0, chosen_tables(loop.energy().g, loop.settings()));
}

}  // namespace rangemoves
