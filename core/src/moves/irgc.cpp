// Iteratively reweighted graph cut (Ajanthan, Hartley, Salzmann, Li 2015): with every edge weighted
// by how it stands now (reweight.hpp), one exact cut over all labels cannot raise the energy. In
// turns with alpha-expansion it leaves more local minima behind.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "rangemoves/moves/expansion.hpp"
#include "rangemoves/problem/limits.hpp"
#include "rangemoves/surrogate/choice.hpp"
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
    if (factor_ > 1) divisor_ = common_divisor();
    const std::int64_t largest = largest_cost() / divisor_.of_all();
    if (largest > limits::kWideCost / factor_ ||
        heaviest() / divisor_.of_weights > limits::kWeight / factor_ ||
        Int128{largest} * energy_.graph.nodes() > limits::kTotalCost / factor_) {
      factor_ = 1;
      divisor_ = {};
    }
    if (divisor_.of_tables > 1) h_ = h_.map([&](const Table& h) { return divided(h); });
    fill_terms(slopes);
    if (factor_ > 1) copy_costs(largest > limits::kNarrowCost / factor_);
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
    const std::int64_t gain = (before - solution.energy) / factor_ * divisor_.of_all();
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

  // The unit of costs: what divides all differences of unary costs, and all products of weights and
  // tables. Cuts are made without it, so that the units of costs do not decide which of several
  // best labellings one finds.
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
  // Where the factor is not 1, unary costs in these units, less the least one of each variable:
  // that is no part of a choice, and costs of other units may come without it.
  CostVolume costs_;
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

  // No variable costs more, with all its edges.
  std::int64_t largest_cost() const {
    std::int64_t edge = 0, unary = 0, degree = 0;
    for (const Table& h : h_.kinds())
      edge = std::max(edge, h.spread() + std::abs(h.least()) + last() * h.steepest());
    for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
      if ((i & 0xfff) == 0) loop_.control().poll();
      const CostRow::Extent extent = energy_.theta.row(i).extent(0, last());
      unary = std::max(unary, extent.most - extent.least);
      std::int64_t weights = 0;
      for (const Incidence* at = energy_.graph.begin(i); at != energy_.graph.end(i); ++at)
        weights += energy_.w[at->edge];
      degree = std::max(degree, weights);
    }
    return unary + degree * edge;
  }

  Divisor common_divisor() const {
    std::int64_t of_weights = 0, of_tables = 0;
    for (std::int64_t e = 0; e < energy_.graph.edges() && of_weights != 1; ++e)
      of_weights = std::gcd(of_weights, std::int64_t{energy_.w[e]});
    for (const Table& h : h_.kinds())
      for (int d = -last(); d <= last(); ++d) of_tables = std::gcd(of_tables, h(d));
    // Weights and tables each have at most half of the bits that a sum of costs has.
    std::int64_t all = of_weights * of_tables;
    for (std::int32_t i = 0; i < energy_.graph.nodes() && all != 1; ++i) {
      if ((i & 0xfff) == 0) loop_.control().poll();
      const std::int64_t least = energy_.theta.row(i).least(energy_.labels);
      for (int l = 0; l < energy_.labels; ++l) all = std::gcd(all, energy_.theta(i, l) - least);
    }
    if (all == 0) return {};
    Divisor divisor;
    divisor.of_weights = std::gcd(all, of_weights);
    divisor.of_tables = all / divisor.of_weights;
    return divisor;
  }

  Table divided(Table h) const {
    for (int d = -last(); d <= last(); ++d) h.at(d) /= divisor_.of_tables;
    return h;
  }

  std::int64_t heaviest() const {
    const std::int32_t* w = energy_.w;
    return energy_.graph.edges() == 0 ? 0 : *std::max_element(w, w + energy_.graph.edges());
  }

  void copy_costs(bool wide) {
    costs_ = CostVolume(energy_.graph.nodes(), energy_.labels, wide, loop_.control());
    for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i) {
      if ((i & 0xfff) == 0) loop_.control().poll();
      const std::int64_t least = energy_.theta.row(i).least(energy_.labels);
      for (int l = 0; l < energy_.labels; ++l)
        costs_.set(i, l, (energy_.theta(i, l) - least) / divisor_.of_all() * factor_);
    }
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
