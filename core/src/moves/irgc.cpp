// Iteratively reweighted graph cut (Ajanthan, Hartley, Salzmann, Li 2015): with every edge weighted
// by how it stands now (reweight.hpp), one exact cut over all labels cannot raise the energy. In
// turns with alpha-expansion it leaves more local minima behind.
#include <algorithm>
#include <utility>
#include <vector>

#include "rangemoves/moves/expansion.hpp"
#include "rangemoves/problem/limits.hpp"
#include "rangemoves/surrogate/choice.hpp"
#include "rangemoves/surrogate/costs_in_units.hpp"
#include "rangemoves/surrogate/reweight.hpp"

namespace rangemoves {

namespace {

class ReweightedCuts {
 public:
  explicit ReweightedCuts(MoveLoop& loop)
      : loop_(loop),
        energy_(loop.energy()),
        h_(chosen_tables(energy_.g, loop.settings())),
        starts_at_half_(loop.settings().reweighting == Reweighting::middle && !is_convex(energy_) &&
                        has_one_label()) {
    const Slopes slopes = touching_slopes(energy_.g, h_, loop.settings());
    factor_ = common_factor(slopes);
    if (factor_ > 1) take_units();
    if (divisor_.of_tables > 1) h_ = h_.map([&](const Table& h) { return divided(h); });
    fill_terms(slopes);
  }

  // One cut. The first cut from a constant labelling halves all weights: all differences are 0 then
  // and say nothing about how large they will become.
  bool step() {
    loop_.begin_iteration();
    const Labelling& x = loop_.labels();
    ConvexProblem problem{energy_.graph, energy_.labels, unary(), {}, tables_, {}, {}, {}};
    problem.low.assign(x.size(), 0);
    problem.high.assign(x.size(), energy_.labels - 1);
    problem.weight.assign(static_cast<std::size_t>(energy_.graph.edges()), 0);
    if (tables_.size() > 1) problem.table_of_edge.assign(problem.weight.size(), 0);
    for (std::int64_t e = 0; e < energy_.graph.edges(); ++e) {
      const int d = x[energy_.graph.tail(e)] - x[energy_.graph.head(e)];
      const Term term =
          starts_at_half_ ? at_half_[e] : of_difference_[e][static_cast<std::size_t>(d + last())];
      problem.weight[e] =
          static_cast<std::int32_t>(energy_.w[e] / divisor_.of_weights) * term.times;
      if (tables_.size() > 1) problem.table_of_edge[e] = term.table;
    }
    const std::int64_t before = problem.energy(x);
    const MoveSolution solution = loop_.engine().solve(std::move(problem), x, loop_.control());
    starts_at_half_ = false;
    const std::int64_t gain = in_units_of_energy(before - solution.energy) + cut_down(x, solution);
    return loop_.finish_iteration(solution.labels, gain, loop_.taking_part(), solution.proven);
  }

  // Whether a cut gains at once: at half weight, or else as the edges stand.
  bool first_step() { return (starts_at_half_ && step()) || step(); }

  bool run() {
    bool any = starts_at_half_ && step();
    while (step()) any = true;
    return any;
  }

 private:
  // What an edge costs in a cut: its weight so many times, on this table. Zero times: it is left
  // out.
  struct Term {
    std::int32_t times = 0, table = 0;
  };

  // Cuts are made in the unit of the costs, so that it does not decide which of several best
  // labellings one finds.
  struct Divisor {
    std::int64_t of_weights = 1, of_tables = 1;
    std::int64_t of_all() const { return of_weights * of_tables; }
  };

  MoveLoop& loop_;
  const Energy& energy_;
  PerEdge<Table> h_;
  bool starts_at_half_;
  std::int64_t factor_ = 1;  // of all costs of a cut
  Divisor divisor_;          // of the same
  CostVolume costs_;         // where the factor is not 1: unary costs in these units
  std::vector<ConvexTable> tables_;
  PerEdge<std::vector<Term>> of_difference_;
  PerEdge<Term> at_half_;

  int last() const { return energy_.labels - 1; }
  bool has_one_label() const {
    const Labelling& x = loop_.labels();
    std::int32_t first = 0;
    while (first < energy_.graph.nodes() && !energy_.takes_part(first)) ++first;
    for (std::int32_t i = first; i < energy_.graph.nodes(); ++i)
      if (energy_.takes_part(i) && x[i] != x[first]) return false;
    return true;
  }
  UnaryTerms unary() const {
    return {factor_ > 1 ? costs_.view() : energy_.theta, energy_.graph.nodes(), energy_.labels};
  }

  std::int64_t in_units_of_energy(std::int64_t cost) const {
    return cost / factor_ * divisor_.of_all();
  }
  // What a move gains of costs that are cut down in costs_: the start may have labels that cost
  // more than their edges can make up for.
  std::int64_t cut_down(const Labelling& x, const MoveSolution& solution) const {
    std::int64_t gain = 0;
    for (std::int32_t i = 0; factor_ > 1 && i < energy_.graph.nodes(); ++i) {
      const std::int32_t from = x[i], to = solution.labels[i];
      if (from != to)
        gain += energy_.theta(i, from) - energy_.theta(i, to) -
                in_units_of_energy(costs_(i, from) - costs_(i, to));
    }
    return gain;
  }

  // Where the factor and the costs leave no room for that, cuts have tables of their own instead.
  void take_units() {
    const CostsInUnits costs(energy_, h_, loop_.control());
    const std::int64_t largest = costs.largest();
    if (largest > limits::kWideCost / factor_ ||
        heaviest() / costs.of_weights() > limits::kWeight / factor_ ||
        Int128{largest} * energy_.graph.nodes() > limits::kTotalCost / factor_) {
      factor_ = 1;
      return;
    }
    divisor_ = {costs.of_weights(), costs.of_tables()};
    costs_ = costs.unary(factor_, largest > limits::kNarrowCost / factor_);
  }

  Table divided(Table h) const {
    for (int d = -last(); d <= last(); ++d) h.at(d) /= divisor_.of_tables;
    return h;
  }

  std::int64_t heaviest() const {
    const std::int32_t* w = energy_.w;
    return energy_.graph.edges() == 0 ? 0 : *std::max_element(w, w + energy_.graph.edges());
  }

  // With a factor that makes them whole, slopes are part of the weights, and all edges of a kind
  // have one table: cuts of a grid are then as fast as any. Else each slope has a table of its own.
  void fill_terms(const Slopes& slopes) {
    std::size_t kind = 0;
    std::vector<std::int32_t> own;  // the table of each kind for a slope of 1
    of_difference_ = h_.map([&](const Table& h) {
      own.push_back(static_cast<std::int32_t>(tables_.size()));
      tables_.emplace_back(h);
      std::vector<Term> terms;
      for (const Fraction& slope : slopes.kinds()[kind++])
        terms.push_back(term_of(h, slope, own.back()));
      return terms;
    });
    if (!starts_at_half_) return;
    kind = 0;
    at_half_ = h_.map([&](const Table& h) { return term_of(h, {1, 2}, own[kind++]); });
  }
  Term term_of(const Table& h, Fraction slope, std::int32_t own) {
    if (slope.over == 0) return {0, own};
    if (factor_ > 1 || slope.over == slope.under)
      return {static_cast<std::int32_t>(factor_ / slope.under * slope.over), own};
    tables_.emplace_back(weighted(h, slope));
    return {1, static_cast<std::int32_t>(tables_.size()) - 1};
  }
};

// One cut, one cycle of expansions, and so on, until neither lowers the energy.
void in_turns(MoveLoop& loop) {
  ReweightedCuts cuts(loop);
  ExpansionCycles cycles(loop);
  for (bool gains = cuts.first_step(); gains;) {
    cycles.labels_changed();
    gains = cycles.run();
    gains = cuts.step() || gains;
  }
}

// Cuts as long as they lower the energy, then expansions as long as those do, and so on.
void one_after_the_other(MoveLoop& loop) {
  ReweightedCuts cuts(loop);
  ExpansionCycles cycles(loop);
  cuts.run();
  if (is_convex(loop.energy())) loop.claim_optimal();
  while (true) {
    bool any = false;
    while (cycles.run()) any = true;
    if (!any || !cuts.run()) return;
    cycles.labels_changed();
  }
}

}  // namespace

void irgc(MoveLoop& loop) {
  ReweightedCuts(loop).run();
  if (is_convex(loop.energy())) loop.claim_optimal();
}

// Turns, as the authors of irgc take them, end lower on most problems, in half the time; on some
// the other way does, which is never above irgc alone. Together they take little more than that.
void irgc_expansion(MoveLoop& loop) {
  if (is_convex(loop.energy())) return one_after_the_other(loop);
  const Labelling start = loop.labels();
  in_turns(loop);
  loop.descend(one_after_the_other, start, -1);
}

}  // namespace rangemoves
