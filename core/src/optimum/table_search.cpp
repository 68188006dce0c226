#include "rangemoves/optimum/table_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rangemoves/optimum/layered_search.hpp"
#include "rangemoves/optimum/mini_buckets.hpp"
#include "rangemoves/optimum/reduced_costs.hpp"
#include "rangemoves/optimum/search_order.hpp"

namespace rangemoves {

namespace {

// Entries of a table and of all together, 8 bytes each, states of a layer, and how often tables are
// made to agree: each level is tried after the one before has failed.
struct Level {
  double entries, in_all;
  std::size_t widest;
  int rounds;
};
constexpr double kMostEntries = 1 << 22;
constexpr Level kLevels[] = {{1 << 10, kMostEntries, 2'000, 0},
                             {1 << 14, kMostEntries, 10'000, 0},
                             {1 << 18, kMostEntries, 60'000, 0}};
// After those, with the better one of the two orders, and on small problems only: these may take
// seconds and some hundred megabytes. Rounds take ten times as long as what follows them, so they
// come last; with them tables of this size bound about as much as tables eight times as large.
constexpr Level kLastLevels[] = {{1 << 22, 1 << 24, 1'000'000, 0},
                                 {1 << 22, 1 << 24, 2'000'000, 10}};
constexpr std::size_t kSmall = 150;
// Rounds are made only where tables without them have closed this part of the gap: elsewhere the
// search would be too wide all the same.
constexpr double kPromising = 0.7;
// Problems with more variables that have a choice are only solved where plain dynamic programming
// does it: a search in one layer per variable would take too long.
constexpr std::size_t kMostSearched = 300;
// States of a layer in the search for a good labelling.
constexpr std::size_t kBeam = 300;
// Entries of tables that take about as long as one visit.
constexpr double kEntriesPerVisit = 64;
// Costs of the edges that are put together for tables, whatever memory there is: with more of them
// a problem is too large for tables.
constexpr std::int64_t kMostCosts = 1 << 24;
// Of the memory that there is: costs of the edges, tables, and layers have a third each.
constexpr std::int64_t kShares = 3;
// Bytes of a state in the layer that is made and the one before it, and in each layer after that.
constexpr std::int64_t kBytesPerState = 96, kBytesPerStateAndPlace = 10;

// How many costs reduced_costs() would put together.
std::int64_t count_costs(const LazyMessages<std::int64_t>& problem) {
  std::vector<std::int64_t> choices(static_cast<std::size_t>(problem.nodes()), 0);
  for (std::int32_t i = 0; i < problem.nodes(); ++i)
    for (int l = 0; l < problem.labels(); ++l)
      choices[static_cast<std::size_t>(i)] += problem.has(i, l);
  std::int64_t sum = 0;
  for (const OrderedEdge& e : problem.graph().edges)
    sum +=
        choices[static_cast<std::size_t>(e.earlier)] * choices[static_cast<std::size_t>(e.later)];
  return sum;
}

class TableSearch {
 public:
  TableSearch(const ReducedCosts& costs, std::int64_t cut, std::int64_t margin,
              const TableLimits& limits, const std::function<void()>& poll)
      : costs_(costs),
        cut_(cut),
        margin_(margin),
        limits_(limits),
        most_entries_(static_cast<double>(limits.bytes / kShares) / sizeof(std::int64_t)),
        poll_(poll) {
    result_.bound = costs.bound;
  }

  TableResult run() {
    const std::vector<std::int32_t> outward = elimination_order(costs_);
    const double most = std::min(kMostEntries, most_entries_);
    TablePlan whole = plan_tables(costs_, outward, most);
    if (whole.is_whole && whole.entries <= most) {
      try_plan(std::move(whole), kBeam);
      return std::move(result_);
    }
    if (outward.size() > kMostSearched) return std::move(result_);
    const std::vector<std::int32_t> narrow = narrow_order(costs_);
    const std::vector<std::int32_t>* better = &narrow;
    for (const Level& level : kLevels) {
      std::int64_t highest = costs_.bound;
      for (const std::vector<std::int32_t>* order : {&narrow, &outward}) {
        const std::int64_t bound = try_plan(plan_within(*order, level), level.widest);
        if (is_over()) return std::move(result_);
        if (bound > highest) better = order;
        highest = std::max(highest, bound);
      }
    }
    if (costs_.left.size() > kSmall) return std::move(result_);
    for (const Level& level : kLastLevels) {
      const std::int64_t bound = try_plan(plan_within(*better, level), level.widest);
      const auto closed = static_cast<double>(bound - costs_.bound);
      if (is_over() || closed < kPromising * static_cast<double>(cut_ - costs_.bound)) break;
    }
    return std::move(result_);
  }

 private:
  const ReducedCosts& costs_;
  std::int64_t cut_;
  const std::int64_t margin_;
  const TableLimits limits_;
  const double most_entries_;  // that there is memory for
  const std::function<void()>& poll_;
  TableResult result_;

  bool is_over() const { return result_.is_closed || result_.work >= limits_.work; }

  // With smaller tables where there are too many.
  TablePlan plan_within(const std::vector<std::int32_t>& order, const Level& level) const {
    double each = level.entries;
    TablePlan plan = plan_tables(costs_, order, each);
    const double most = std::min(level.in_all, most_entries_);
    while (plan.entries > most && each > 1) plan = plan_tables(costs_, order, each /= 2);
    if (!plan.is_whole) plan.rounds = level.rounds;
    return plan;
  }

  // Returns the bound of the tables.
  std::int64_t try_plan(TablePlan plan, std::size_t widest) {
    if (plan.entries > std::min(std::end(kLastLevels)[-1].in_all, most_entries_))
      return costs_.bound;
    result_.work += static_cast<std::int64_t>((1 + plan.rounds) * plan.entries / kEntriesPerVisit);
    const MiniBuckets buckets = fill_tables(costs_, std::move(plan), poll_);
    if (!search(buckets, kBeam, TooWide::keep_best)) search(buckets, widest, TooWide::give_up);
    return buckets.bound;
  }

  // Of so many states of a layer those that there is memory for.
  std::size_t within_memory(std::size_t widest) const {
    const auto places = static_cast<std::int64_t>(costs_.left.size());
    const std::int64_t fit =
        limits_.bytes / kShares / (kBytesPerState + kBytesPerStateAndPlace * places);
    return std::min(widest, static_cast<std::size_t>(std::max<std::int64_t>(1, fit)));
  }

  // False where it did not come to its end.
  bool search(const MiniBuckets& buckets, std::size_t widest, TooWide too_wide) {
    LayeredResult found =
        search_layers(costs_, buckets, cut_, within_memory(widest), too_wide, poll_);
    result_.work += found.states;
    if (found.labels) {
      result_.value = found.value;
      result_.labels = std::move(found.labels);
      cut_ = found.value - margin_;
    }
    result_.is_closed = found.is_complete || buckets.bound >= cut_;
    const std::int64_t bound =
        found.is_complete ? std::max(buckets.bound, found.bound) : buckets.bound;
    if (bound > result_.bound || result_.is_closed) {
      result_.bound = bound;
      write(buckets.plan);
    }
    return result_.is_closed;
  }

  void write(const TablePlan& plan) {
    result_.rounds = plan.rounds;
    result_.tables.clear();
    for (std::size_t p = plan.order.size(); p-- > 0;)
      for (const std::vector<std::int32_t>& scope : plan.scopes[p]) {
        result_.tables.push_back(static_cast<std::int32_t>(scope.size()));
        result_.tables.insert(result_.tables.end(), scope.begin(), scope.end());
      }
  }
};

}  // namespace

TableResult search_by_tables(const LazyMessages<std::int64_t>& problem, std::int64_t cut,
                             std::int64_t margin, const TableLimits& limits,
                             const std::function<void()>& poll) {
  constexpr auto cost_bytes = static_cast<std::int64_t>(sizeof(std::int64_t));
  std::optional<ReducedCosts> costs;
  if (count_costs(problem) <= std::min(kMostCosts, limits.bytes / kShares / cost_bytes))
    costs = reduced_costs(problem, cut);
  if (!costs) {
    TableResult nothing;
    nothing.bound = problem.bound();
    return nothing;
  }
  return TableSearch(*costs, cut, margin, limits, poll).run();
}

}  // namespace rangemoves
