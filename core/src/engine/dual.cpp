#include "rangemoves/engine/dual.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "rangemoves/engine/band_search.hpp"
#include "rangemoves/engine/parts.hpp"
#include "rangemoves/messages/coarse_start.hpp"
#include "rangemoves/messages/node_slack.hpp"

namespace rangemoves {

namespace {

// A move mostly changes labels near what differs from the move before, so parts within so many
// edges of it are solved first; they grow by more where that is too few.
constexpr int kReach = 4;
// The same after a cut that proved nothing: then labels further away must change as well.
constexpr int kReachOfFirst = 8;
// The same where a caller has changed costs since the last run, often much in one place: labels
// around it follow from further away. Less where so much would be too many variables.
constexpr int kReachOfNewCosts = 20;
// Around a cut of a region labels were frozen, so that its labelling pays near the border.
// Variables within so many edges of those that were cut are looked at too.
constexpr int kRim = 2;
constexpr int kMostGrowths = 6;
// Where memory keeps cuts narrow, what is near the variables that pay is solved in rounds, within
// so many edges of them in turn: where parts end, some pay again, and the next ones end elsewhere.
constexpr int kReachesOfRounds[] = {16, 12, 8, 4};
// At most so many variables at once that a cut of all their labels fits into the memory there is;
// where that is fewer than this, parts would be too small to be of use.
constexpr std::int64_t kFewestAtOnce = 100;
// Rounds go on as long as going once through all reaches leaves no more than this part of the gap.
constexpr double kMostLeft = 0.9;
// Where labels are so many that memory does not suffice to look at all variables at once, it is
// done in stretches, of which there are at most so many.
constexpr std::int32_t kMostStretches = 16;
// Parts that make up more than one in so many of those that take part are given up.
constexpr std::int64_t kSmallestShare = 3;

}  // namespace

// Whether every variable that takes part may have all labels, and every edge that is switched on
// joins two of them. Messages need both.
bool is_normal(const ConvexProblem& problem) {
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (problem.takes_part(i) && (problem.low[i] > 0 || problem.high[i] + 1 < problem.labels))
      return false;
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e)
    if (problem.weight[e] > 0 &&
        !(problem.takes_part(problem.graph.tail(e)) && problem.takes_part(problem.graph.head(e))))
      return false;
  return true;
}

// An edge to a variable that does not take part becomes a unary term of its other end. A label
// outside a variable's interval becomes allowed, at more than any labelling could save by it. Works
// in place: what is read of a variable or an edge is read before it is changed.
ConvexProblem normal_form(ConvexProblem problem) {
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    const std::int32_t i = problem.graph.tail(e), j = problem.graph.head(e);
    if (problem.weight[e] == 0 || (problem.takes_part(i) && problem.takes_part(j))) continue;
    const Table& h = problem.table(e).h;
    if (problem.takes_part(i))
      for (int l = 0; l < problem.labels; ++l)
        problem.unary.add(i, l, problem.weight[e] * h(l - problem.low[j]));
    if (problem.takes_part(j))
      for (int l = 0; l < problem.labels; ++l)
        problem.unary.add(j, l, problem.weight[e] * h(problem.low[i] - l));
    problem.weight[e] = 0;
  }
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    if (!problem.takes_part(i)) continue;
    std::int64_t forbidden = problem.unary(i, problem.low[i]);
    for (int l = problem.low[i]; l <= problem.high[i]; ++l)
      forbidden = std::max(forbidden, problem.unary(i, l));
    ++forbidden;
    for (const Incidence* n = problem.graph.begin(i); n != problem.graph.end(i); ++n)
      forbidden += problem.weight[n->edge] * problem.table(n->edge).steepest * (problem.labels - 1);
    for (int l = 0; l < problem.labels; ++l)
      if (l < problem.low[i] || l > problem.high[i]) problem.unary.set(i, l, forbidden);
    problem.low[i] = 0;
    problem.high[i] = problem.labels - 1;
  }
  return problem;
}

template <class Value>
class DualSolver {
 public:
  static constexpr bool is_wide = sizeof(Value) == 8;

  DualSolver(const EngineOptions& options, std::map<std::string, double>& statistics)
      : options_(options), backend_(find_backend(options.backend)), statistics_(statistics) {}

  // Improves a solution until it is proven optimal. Its energy must be set.
  void solve(const ConvexProblem& problem, std::int64_t scale, bool is_first_move,
             const Engine::Recall* recall, MoveSolution& solution, Control& control);
  Engine::Dual dual() const { return {messages_.get(), scale_}; }

 private:
  const EngineOptions& options_;
  const Backend& backend_;
  std::map<std::string, double>& statistics_;
  // Kept from move to move: messages are feasible whatever the unary terms, and load() resets
  // those of edges that were switched on or off.
  std::unique_ptr<MessagesOf<Value>> messages_;
  const Neighbourhood* graph_ = nullptr;
  int labels_ = 0, first_label_ = 0;
  std::int64_t scale_ = 0;
  std::vector<std::int32_t> last_weight_;  // weights of the move before; empty: there was none
  std::int64_t held_ = 0;                  // bytes of messages
  std::int64_t taking_part_ = 0;           // variables of this move

  void prepare(const ConvexProblem& problem, std::int64_t scale, const Engine::Recall* recall,
               Control& control);
  void make_messages(const ConvexProblem& problem, std::int64_t scale, bool starts_coarse,
                     Control& control);
  // Moves the messages of the move before to where its labels are now; labels that it did not have
  // get those of the nearest one that it had.
  void align(const ConvexProblem& problem, Control& control);
  // The variables that differ from the move before.
  std::vector<std::int32_t> changes(const ConvexProblem& problem) const;
  // Goes from a proven labelling to the highest one of the same energy.
  void raise(const ConvexProblem& problem, MoveSolution& solution, Control& control);
  // Solves the problem near these variables, all else being frozen. False where that was not
  // enough, or the parts became too large to be worth it. A proof over all must follow.
  bool solve_near(const ConvexProblem& problem, std::vector<std::int32_t> nodes, int reach,
                  MoveSolution& solution, Control& control);
  // The same near variables whose costs are new since the run before. Where parts are too small,
  // what is near the variables that still pay is solved next, and not the grown parts: less to do
  // where parts are large.
  bool solve_near_new_costs(const ConvexProblem& problem, std::vector<std::int32_t> nodes,
                            MoveSolution& solution, Control& control);
  // Takes the labelling if it is better.
  static void offer(const ConvexProblem& problem, Labelling x, MoveSolution& solution);
  // Cuts only what a few sweeps leave undecided, then solves the problem near where that labelling
  // still pays. False where that does not prove it.
  bool solve_by_region(const ConvexProblem& problem, BandSearch<Value>& search,
                       MoveSolution& solution, Control& control);
  // In rounds, near where the labelling still pays, with so many bytes of memory. Returns whether
  // it is proven.
  bool solve_in_rounds(const ConvexProblem& problem, BandSearch<Value>& search, std::int64_t room,
                       MoveSolution& solution, Control& control);
  // The variables at which a labelling pays, those first that pay most.
  std::vector<std::int32_t> paying_most(const ConvexProblem& problem, const Labelling& x,
                                        std::int64_t room, Control& control);
  // The variables at which a labelling pays, among those that were cut and those around them.
  std::vector<std::int32_t> paying_near(const ConvexProblem& problem,
                                        const std::vector<std::uint8_t>& cut, const Labelling& x,
                                        Control& control);
};

template <class Value>
void DualSolver<Value>::prepare(const ConvexProblem& problem, std::int64_t scale,
                                const Engine::Recall* recall, Control& control) {
  const bool same = messages_ && graph_ == &problem.graph && labels_ == problem.labels &&
                    scale_ == scale && messages_->accepts(problem);
  if (!same) {
    require_memory(backend_.bytes(problem.graph, problem.labels, is_wide) +
                       coarse_start_bytes(problem.graph.nodes(), problem.labels, is_wide),
                   options_, "message passing");
    messages_.reset();
    make_messages(problem, scale, !recall, control);
    graph_ = &problem.graph;
    labels_ = problem.labels;
    scale_ = scale;
    last_weight_.clear();
  } else if (!recall) {
    align(problem, control);
  }
  first_label_ = problem.first_label;
  {
    const Lap lap(statistics_["load_seconds"], control);
    messages_->load(problem, control);
  }
  if (recall) {
    const Lap lap(statistics_["align_seconds"], control);
    recall->write(dual());
  }
}

template <class Value>
void DualSolver<Value>::make_messages(const ConvexProblem& problem, std::int64_t scale,
                                      bool starts_coarse, Control& control) {
  const auto make = [&] {
    messages_ = backend_.make<Value>(problem, scale, options_.threads, control);
  };
  if (!starts_coarse) return make();
  const Lap lap(statistics_["coarse_seconds"], control);
  CoarseStart<Value> coarse(problem, scale, options_, control);
  make();
  coarse.add_to(problem, *messages_, control);
}

template <class Value>
void DualSolver<Value>::align(const ConvexProblem& problem, Control& control) {
  const int by = problem.first_label - first_label_;
  if (by == 0 || last_weight_.empty()) return;
  const Lap lap(statistics_["align_seconds"], control);
  std::vector<Value> old(static_cast<std::size_t>(labels_));
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    if ((e & 0xfff) == 0) control.poll();
    if (last_weight_[e] == 0) continue;
    const MessageVector<Value> message = messages_->edges().to_later(e);
    for (int l = 0; l < labels_; ++l) old[l] = message[l];
    for (int l = 0; l < labels_; ++l) message[l] = old[std::clamp(l + by, 0, labels_ - 1)];
  }
}

template <class Value>
std::vector<std::int32_t> DualSolver<Value>::changes(const ConvexProblem& problem) const {
  const Neighbourhood& graph = problem.graph;
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    bool changed = messages_->was_changed(i);
    for (const Incidence* n = graph.begin(i); !changed && n != graph.end(i); ++n)
      changed = problem.weight[n->edge] != last_weight_[n->edge];
    if (changed) nodes.push_back(i);
  }
  return nodes;
}

template <class Value>
void DualSolver<Value>::offer(const ConvexProblem& problem, Labelling x, MoveSolution& solution) {
  const std::int64_t energy = problem.energy(x);
  if (energy >= solution.energy) return;
  solution.labels = std::move(x);
  solution.energy = energy;
}

template <class Value>
bool DualSolver<Value>::solve_near(const ConvexProblem& problem, std::vector<std::int32_t> nodes,
                                   int reach, MoveSolution& solution, Control& control) {
  const Lap lap(statistics_["part_seconds"], control);
  Labelling x = solution.labels;
  Parts<Value> parts(problem, scale_, *messages_, options_, held_, statistics_);
  for (int growth = 0; !nodes.empty(); ++growth, reach *= 2) {
    parts.add_around(nodes, reach);
    if (growth == kMostGrowths || parts.size() > taking_part_ / kSmallestShare ||
        !parts.fit_memory())
      return false;
    // What stays open in all parts together is to be less than one unit of the energy.
    nodes = parts.solve(x, scale_ / 2, false, control);
  }
  offer(problem, std::move(x), solution);
  return true;
}

template <class Value>
bool DualSolver<Value>::solve_near_new_costs(const ConvexProblem& problem,
                                             std::vector<std::int32_t> nodes,
                                             MoveSolution& solution, Control& control) {
  const Lap lap(statistics_["part_seconds"], control);
  Labelling x = solution.labels;
  // Each round may leave half as much open as the one before, and all of them less than one unit of
  // the energy.
  std::int64_t tolerance = scale_ / 2;
  const auto new_costs = static_cast<std::int64_t>(nodes.size());
  int reach = kReachOfNewCosts;
  for (int round = 0; !nodes.empty(); ++round, tolerance /= 2) {
    std::optional<Parts<Value>> parts;
    for (;; reach = std::max(kReach, reach / 2)) {
      parts.emplace(problem, scale_, *messages_, options_, held_, statistics_);
      parts->add_around(nodes, reach);
      const bool fits = parts->size() <= taking_part_ / kSmallestShare && parts->fit_memory();
      if (reach == kReach && !fits) return false;
      if (reach == kReach ||
          (fits && (round > 0 || is_worth_it(parts->size(), new_costs, taking_part_))))
        break;
    }
    if (round == kMostGrowths) return false;
    nodes = parts->solve(x, tolerance, round == 0, control);
    reach = kReachOfFirst << round;
  }
  offer(problem, std::move(x), solution);
  return true;
}

template <class Value>
bool DualSolver<Value>::solve_by_region(const ConvexProblem& problem, BandSearch<Value>& search,
                                        MoveSolution& solution, Control& control) {
  std::vector<std::uint8_t> cut;
  if (!search.cut_undecided(solution, cut)) return false;
  if (solution.proven) return true;
  return solve_near(problem, paying_near(problem, cut, solution.labels, control), kReachOfFirst,
                    solution, control) &&
         search.prove(solution.energy);
}

template <class Value>
bool DualSolver<Value>::solve_in_rounds(const ConvexProblem& problem, BandSearch<Value>& search,
                                        std::int64_t room, MoveSolution& solution,
                                        Control& control) {
  const Lap lap(statistics_["part_seconds"], control);
  if (options_.max_memory > 0) room = std::min(room, options_.max_memory - held_);
  const std::int64_t each =
      std::max<std::int64_t>(1, Parts<Value>::bytes_of(1, problem.labels) +
                                    full_cut_bytes(problem, is_wide) / problem.graph.nodes());
  const std::int64_t most = room / each;
  if (most < kFewestAtOnce) return false;
  Labelling x = solution.labels;
  for (std::int64_t gap = INT64_MAX, last_gap = gap;; last_gap = gap) {
    for (const int reach : kReachesOfRounds) {
      const std::vector<std::int32_t> paying = paying_most(problem, x, room, control);
      // What is near them and not yet solved in this round.
      std::vector<std::uint8_t> left(x.size(), 0);
      for (const std::int32_t i : reach_from(problem, paying, reach)) left[i] = 1;
      std::vector<std::int32_t> block;
      const auto solve = [&] {
        Parts<Value> parts(problem, scale_, *messages_, options_, held_, statistics_);
        parts.add_around(block, 0);
        // What stays open in all parts together is to be less than one unit of the energy.
        parts.solve(x, scale_ / 2, false, control, room);
        block.clear();
      };
      for (const std::int32_t seed : paying) {
        if (!left[seed]) continue;
        left[seed] = 0;
        block.push_back(seed);
        for (std::size_t k = block.size() - 1; k < block.size(); ++k)
          for (const Incidence* n = problem.graph.begin(block[k]); n != problem.graph.end(block[k]);
               ++n) {
            if (static_cast<std::int64_t>(block.size()) >= most) break;
            if (problem.weight[n->edge] > 0 && std::exchange(left[n->other], 0))
              block.push_back(n->other);
          }
        if (static_cast<std::int64_t>(block.size()) >= most) solve();
      }
      if (!block.empty()) solve();
      offer(problem, x, solution);
      gap = search.sweep_gap(solution.energy);
      if (gap < scale_) return true;
    }
    if (static_cast<double>(gap) > kMostLeft * static_cast<double>(last_gap)) return false;
  }
}

template <class Value>
std::vector<std::int32_t> DualSolver<Value>::paying_most(const ConvexProblem& problem,
                                                         const Labelling& x, std::int64_t room,
                                                         Control& control) {
  const std::int32_t n = problem.graph.nodes();
  // As many at a time as there is memory for.
  const std::int64_t each = node_slack_bytes(0, 1, problem.labels, is_wide);
  const auto step = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(room / 2 / each, 1 + n / kMostStretches, n));
  std::vector<std::int64_t> slack(static_cast<std::size_t>(n), 0);
  std::vector<std::uint8_t> chosen(slack.size());
  std::vector<std::int32_t> nodes;
  for (std::int32_t first = 0; first < n; first += step) {
    const std::int32_t last = std::min(n, first + step);
    std::fill(chosen.begin(), chosen.end(), 0);
    std::fill(chosen.begin() + first, chosen.begin() + last, 1);
    const std::vector<std::int64_t> found =
        node_slack(problem, scale_, messages_->edges(), x, chosen.data(), control);
    for (std::int32_t i = first; i < last; ++i)
      if ((slack[i] = found[i]) > 0) nodes.push_back(i);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](std::int32_t i, std::int32_t j) { return slack[i] > slack[j]; });
  return nodes;
}

template <class Value>
std::vector<std::int32_t> DualSolver<Value>::paying_near(const ConvexProblem& problem,
                                                         const std::vector<std::uint8_t>& cut,
                                                         const Labelling& x, Control& control) {
  const Lap lap(statistics_["slack_seconds"], control);
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (cut[i]) nodes.push_back(i);
  std::vector<std::uint8_t> near(cut.size(), 0);
  std::int64_t count = 0;
  for (const std::int32_t i : reach_from(problem, nodes, kRim)) near[i] = 1, ++count;
  require_memory(held_ + node_slack_bytes(problem.graph.nodes(), count, problem.labels, is_wide),
                 options_, "looking where a labelling pays");
  const std::vector<std::int64_t> slack =
      node_slack(problem, scale_, messages_->edges(), x, near.data(), control);
  nodes.clear();
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (slack[i] > 0) nodes.push_back(i);
  return nodes;
}

template <class Value>
void DualSolver<Value>::raise(const ConvexProblem& problem, MoveSolution& solution,
                              Control& control) {
  const std::int64_t bound = messages_->sweep(false, nullptr, control);
  Band noted{problem.low, problem.high};
  // Every labelling with a certain label costs at least the bound plus what the belief of that
  // label is above the least belief of its variable. So no label beyond this slack is in an
  // optimum.
  const BandNote note{problem.graph.nodes(), solution.energy * scale_ - bound, noted.low.data(),
                      noted.high.data(), 0};
  messages_->sweep(true, &note, control);
  Band band{solution.labels, solution.labels};
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (problem.takes_part(i)) band.high[i] = std::max(band.high[i], noted.high[i]);
  require_memory(held_ + reference_bytes(problem, band), options_, "the cut of a band");
  const Lap lap(statistics_["ties_seconds"], control);
  solution.labels = highest_optimum(problem, band, control);
}

template <class Value>
void DualSolver<Value>::solve(const ConvexProblem& problem, std::int64_t scale, bool is_first_move,
                              const Engine::Recall* recall, MoveSolution& solution,
                              Control& control) {
  prepare(problem, scale, recall, control);
  held_ = backend_.bytes(problem.graph, problem.labels, is_wide);
  taking_part_ = 0;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) taking_part_ += problem.takes_part(i);
  const std::int64_t edges = std::count_if(problem.weight.begin(), problem.weight.end(),
                                           [](std::int32_t w) { return w > 0; });
  const std::int64_t for_cuts = cut_budget(taking_part_, edges, problem.labels, held_, is_wide);
  BandSearch<Value> search({problem, *messages_, scale, scale, held_, for_cuts, options_},
                           statistics_, control);
  // Where nothing has changed the messages of the move before are still good enough for a proof, so
  // try first to solve only what is near the changes. In the first move of a run they are what the
  // caller has changed since the run before.
  const auto solve_near_changes = [&] {
    const std::vector<std::int32_t> changed = recall ? recall->changed : changes(problem);
    return is_first_move && !recall ? solve_near_new_costs(problem, changed, solution, control)
                                    : solve_near(problem, changed, kReach, solution, control);
  };
  const bool knows_changes = recall || !last_weight_.empty();
  solution.proven = knows_changes && solve_near_changes() && search.prove(solution.energy);
  solution.near_changes = solution.proven;
  if (!solution.proven) solution.proven = solve_by_region(problem, search, solution, control);
  if (!solution.proven) solution.proven = search.prepare_cut(solution.energy);
  if (!solution.proven)
    search.cut_until_proven(solution, [&](MoveSolution& found, std::int64_t room) {
      return solve_in_rounds(problem, search, room, found, control);
    });
  if (options_.ties == Ties::highest) raise(problem, solution, control);
  last_weight_ = problem.weight;
  solution.lower_bound = solution.energy;
}

DualEngine::DualEngine(EngineOptions options) : options_(std::move(options)) {}
DualEngine::~DualEngine() = default;

Engine::Dual DualEngine::dual() const {
  if (narrow_) return narrow_->dual();
  return wide_ ? wide_->dual() : Dual{};
}

MoveSolution DualEngine::solve(ConvexProblem given, const Labelling& current, Control& control,
                               const Recall* recall) {
  MoveSolution solution;
  solution.labels = current;
  solution.energy = solution.start = given.energy(current);
  solution.proven = true;
  solution.lower_bound = solution.energy;
  bool anyone = false;
  for (std::int32_t i = 0; i < given.graph.nodes() && !anyone; ++i) anyone = given.takes_part(i);
  if (!anyone) return solution;

  if (!is_normal(given)) {
    // The normal form has the same solutions; its energies differ by a constant.
    ConvexProblem normal = normal_form(std::move(given));
    const std::int64_t constant = solution.energy - normal.energy(current);
    MoveSolution inner = solve(std::move(normal), current, control, recall);
    inner.energy += constant;
    inner.start += constant;
    inner.lower_bound += constant;
    return inner;
  }

  control.poll();
  const MessagePlan plan = plan_messages(kernel_load(given, true), kFinestScale);
  const auto solve_with = [&](auto& solver, auto& other) {
    using Solver = typename std::decay_t<decltype(solver)>::element_type;
    other.reset();
    if (!solver) solver = std::make_unique<Solver>(options_, statistics_);
    solver->solve(given, plan.scale, std::exchange(is_first_move_, false), recall, solution,
                  control);
  };
  if (plan.wide)
    solve_with(wide_, narrow_);
  else
    solve_with(narrow_, wide_);
  return solution;
}

}  // namespace rangemoves
