#include "rangemoves/engine/dual.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/messages/coarse_start.hpp"

namespace rangemoves {

namespace {

// Sweeps end when one raises the bound by less than this part of what all of them have raised it.
constexpr double kSlowGain = 1e-4;
// The same where variables have `contested` labels left to choose from: an edge of the cut grows
// with the square of them, so that more sweeps are worth their time.
double worthwhile_gain(double contested) {
  return std::min(kSlowGain, 2e-5 / (contested * contested));
}
// Bounds can creep up for very long. The cut is exact whenever sweeps end.
constexpr int kMostSweeps = 400;
// A move mostly changes labels near what differs from the move before, so a first cut is made
// within so many edges of it. Where that is too few the proof fails, and a cut of all follows.
constexpr int kReach = 16;
// For a problem that the caller has changed: cuts go up to so many edges away before sweeps over
// all of it begin anew.
constexpr int kFurthestReach = 64;
// Flow of a cut can lower the bound of labels outside the band. Few sweeps repair that; where they
// do not, the band was too narrow.
constexpr int kRepairSweeps = 3;
// Each failed proof doubles the slack of the band. After so many the band is all labels, whose cut
// is exact.
constexpr int kMostCuts = 12;

std::int64_t bound_without_messages(const ConvexProblem& problem) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    if (problem.takes_part(i)) sum += problem.unary.row(i).least(problem.labels);
  }
  return sum;
}

// The average cost of a step of one label on an edge, in which the slack of a band is measured.
double step_cost(const ConvexProblem& problem) {
  double sum = 0;
  std::int64_t edges = 0;
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    if (problem.weight[e] == 0) continue;
    sum += static_cast<double>(problem.weight[e] *
                               std::max<std::int64_t>(1, problem.table(e).bend_at(0)) / 2);
    ++edges;
  }
  return edges == 0 ? 1 : std::max(1.0, sum / static_cast<double>(edges));
}

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
  void solve(const ConvexProblem& problem, std::int64_t scale, MoveSolution& solution,
             Control& control);
  Engine::Dual dual() const { return {messages_.get(), scale_}; }
  // Says that the next problem is the last one with other costs.
  void resume() { resumed_ = !last_weight_.empty(); }

 private:
  const EngineOptions& options_;
  const Backend& backend_;
  std::map<std::string, double>& statistics_;
  // Kept from move to move: messages are feasible whatever the unary terms, and load() resets
  // those of edges that were switched on or off.
  std::unique_ptr<MessagesOf<Value>> messages_;
  const Neighbourhood* graph_ = nullptr;
  int labels_ = 0;
  std::int64_t scale_ = 0;
  std::vector<std::int32_t> last_weight_;  // weights of the move before; empty: there was none
  bool resumed_ = false;

  void prepare(const ConvexProblem& problem, std::int64_t scale, Control& control);
  // The variables within `reach_of` edges of what differs from the move before, for a first cut;
  // empty where that is most of them. Sweeps go over all variables all the same: sweeps over these
  // alone leave messages at their border that disagree with the rest, and cost more cuts than they
  // save.
  std::vector<std::uint8_t> near_changes(const ConvexProblem& problem, int reach_of) const;
  // Sweeps until the bound proves the energy or rises too slowly. Returns the bound; where it
  // proves nothing, `note` has the band for the cut.
  std::int64_t sweep(const ConvexProblem& problem, std::int64_t energy, const BandNote& note,
                     Control& control);
  // Cuts the band, and adds the flow to the messages: the next cut starts from there.
  Labelling cut(const ConvexProblem& problem, Band& band, Control& control);
  // Goes from a proven labelling to the highest one of the same energy.
  void raise(const ConvexProblem& problem, MoveSolution& solution, BandNote note, Control& control);
  // Whether a few sweeps raise the bound to the energy. If not, `note` has the next band.
  bool prove(std::int64_t energy, const BandNote& note, Control& control);
};

template <class Value>
void DualSolver<Value>::prepare(const ConvexProblem& problem, std::int64_t scale,
                                Control& control) {
  const bool same = messages_ && graph_ == &problem.graph && labels_ == problem.labels &&
                    scale_ == scale && messages_->accepts(problem);
  if (!same) {
    require_memory(backend_.bytes(problem.graph, problem.labels, is_wide), options_,
                   "message passing");
    messages_.reset();
    messages_ = backend_.make<Value>(problem, scale, options_.threads, control);
    graph_ = &problem.graph;
    labels_ = problem.labels;
    scale_ = scale;
    last_weight_.clear();
  }
  {
    const Lap lap(statistics_["load_seconds"], control);
    messages_->load(problem, control);
  }
  if (same || !starts_coarse(problem)) return;
  require_memory(backend_.bytes(problem.graph, problem.labels, is_wide) +
                     coarse_start_bytes(problem.graph.nodes(), problem.labels, is_wide),
                 options_, "message passing");
  const Lap lap(statistics_["coarse_seconds"], control);
  start_coarse<Value>(problem, scale, options_, *messages_, control);
}

template <class Value>
std::vector<std::uint8_t> DualSolver<Value>::near_changes(const ConvexProblem& problem,
                                                          int reach_of) const {
  const Neighbourhood& graph = problem.graph;
  std::vector<std::uint8_t> near(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<std::int32_t> reached;
  const auto reach = [&](std::int32_t i) {
    if (near[i] || !problem.takes_part(i)) return;
    near[i] = 1;
    reached.push_back(i);
  };
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (messages_->was_changed(i)) reach(i);
  // Edges that were switched on or off, and edges to a variable that does not take part: its label
  // may have changed, and with it what the edge costs the other end.
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    const std::int32_t i = graph.tail(e), j = graph.head(e);
    if (problem.weight[e] == last_weight_[e] && problem.takes_part(i) == problem.takes_part(j))
      continue;
    reach(i);
    reach(j);
  }
  std::size_t begin = 0;
  for (int step = 0; step < reach_of; ++step)
    for (const std::size_t end = reached.size(); begin < end; ++begin)
      for (const Incidence* n = graph.begin(reached[begin]); n != graph.end(reached[begin]); ++n)
        reach(n->other);
  if (reached.size() > near.size() / 2) near.clear();
  return near;
}

template <class Value>
std::int64_t DualSolver<Value>::sweep(const ConvexProblem& problem, std::int64_t energy,
                                      const BandNote& note, Control& control) {
  const Lap lap(statistics_["sweep_seconds"], control);
  // The average number of labels in the band besides the best one and its two neighbours, which
  // are always in.
  const auto contested = [&] {
    std::int64_t labels = 0, variables = 0;
    for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
      if (!problem.takes_part(i)) continue;
      labels += std::max(0, note.high[i] - note.low[i] - 2);
      ++variables;
    }
    return static_cast<double>(labels) / static_cast<double>(variables);
  };
  const std::int64_t start = scale_ * bound_without_messages(problem);
  std::int64_t bound = 0;
  double wanted = kSlowGain;
  for (int k = 0; k < kMostSweeps; ++k) {
    const std::int64_t last = bound;
    messages_->sweep(false, nullptr, control);
    bound = messages_->sweep(true, nullptr, control);
    statistics_["sweeps"] += 1;
    if (energy * scale_ - bound < scale_) return bound;  // proves the energy
    const auto slow = [&] {
      return static_cast<double>(bound - last) <= wanted * static_cast<double>(bound - start);
    };
    if (k < 2 || !slow()) continue;
    // Only now: a sweep that notes the band takes twice as long.
    messages_->sweep(false, nullptr, control);
    bound = messages_->sweep(true, &note, control);
    wanted = worthwhile_gain(contested());
    if (slow()) return bound;
  }
  messages_->sweep(false, nullptr, control);
  return messages_->sweep(true, &note, control);
}

template <class Value>
Labelling DualSolver<Value>::cut(const ConvexProblem& problem, Band& band, Control& control) {
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (!problem.takes_part(i)) band.low[i] = band.high[i] = problem.low[i];
  using Graph = IshikawaGraph<Value, Value>;
  const auto build = [&] {
    const Lap lap(statistics_["graph_seconds"], control);
    require_memory(
        backend_.bytes(problem.graph, problem.labels, is_wide) + Graph::bytes(problem, band),
        options_, "the cut of a band");
    return Graph(
        problem, scale_, band,
        [&](const auto& visit) {
          messages_->edges().for_each_tight(problem, polling(visit, control));
        },
        control);
  };
  Graph graph = build();
  statistics_["cuts"] += 1;
  statistics_["cut_nodes"] += graph.nodes();
  const auto note_most = [&](const char* name, std::int64_t count) {
    statistics_[name] = std::max(statistics_[name], static_cast<double>(count));
  };
  note_most("most_cut_nodes", graph.nodes());
  note_most("most_cut_cells", graph.cells());
  IncrementalBfs<Graph> flow(graph, control);
  {
    const Lap lap(statistics_["cut_seconds"], control);
    flow.run();
  }
  const Lap lap(statistics_["flow_back_seconds"], control);
  graph.give_back([&](std::int32_t v) { return flow.excess(v); });
  messages_->edges().for_each_tight(
      problem, polling([&](const EdgeMessages<Value>& edge) { graph.add_flow(edge); }, control));
  return graph.labelling([&](std::int32_t v) { return flow.on_source_side(v); });
}

// Energies are integers: a bound less than one unit below an energy proves it optimal.
template <class Value>
bool DualSolver<Value>::prove(std::int64_t energy, const BandNote& note, Control& control) {
  const Lap lap(statistics_["proof_seconds"], control);
  for (int k = 0; k < kRepairSweeps; ++k) {
    const std::int64_t backward = messages_->sweep(false, nullptr, control);
    // Forward in any case: the next cut and the next move begin where a forward sweep ends.
    const bool last = k + 1 == kRepairSweeps;
    const std::int64_t forward = messages_->sweep(true, last ? &note : nullptr, control);
    if (energy * scale_ - std::max(backward, forward) < scale_) return true;
  }
  return false;
}

template <class Value>
void DualSolver<Value>::raise(const ConvexProblem& problem, MoveSolution& solution, BandNote note,
                              Control& control) {
  const std::int64_t bound = messages_->sweep(false, nullptr, control);
  // A labelling costs at least the bound, and besides what its belief at any one variable is above
  // the least one there: of more than this none is optimal.
  note.slack = solution.energy * scale_ - bound + scale_;
  messages_->sweep(true, &note, control);
  Band band{solution.labels, solution.labels};
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (problem.takes_part(i)) band.high[i] = std::max(band.high[i], note.high[i]);
  require_memory(
      backend_.bytes(problem.graph, problem.labels, is_wide) + reference_bytes(problem, band),
      options_, "the cut of a band");
  const Lap lap(statistics_["ties_seconds"], control);
  solution.labels = highest_optimum(problem, band, control);
}

template <class Value>
void DualSolver<Value>::solve(const ConvexProblem& problem, std::int64_t scale,
                              MoveSolution& solution, Control& control) {
  prepare(problem, scale, control);
  Band band{problem.low, problem.high};
  BandNote note{problem.graph.nodes(), 0, band.low.data(), band.high.data()};
  // Beliefs are compared with the least one plus the slack: that sum must fit their type.
  constexpr std::int64_t most_slack = unreachable<Value> / 4;
  const double slack = step_cost(problem) * static_cast<double>(scale);
  note.slack = static_cast<std::int64_t>(std::min(slack, static_cast<double>(most_slack / 2)));
  const auto cut_and_prove = [&](Band& within) {
    const Labelling x = cut(problem, within, control);
    const std::int64_t energy = problem.energy(x);
    if (energy < solution.energy) {
      solution.labels = x;
      solution.energy = energy;
    }
    solution.proven = prove(solution.energy, note, control);
  };
  // Far from what has changed the messages that proved the move before still do, so those labels
  // are kept. Returns false where most variables are near.
  const auto cut_near_changes = [&](int reach) {
    const std::vector<std::uint8_t> near = near_changes(problem, reach);
    if (near.empty()) return false;
    Band local = band;
    for (std::size_t i = 0; i < near.size(); ++i)
      if (!near[i]) local.low[i] = local.high[i] = solution.labels[i];
    cut_and_prove(local);
    return true;
  };
  solution.proven = false;
  if (resumed_ && !last_weight_.empty()) {
    messages_->sweep(false, nullptr, control);
    messages_->sweep(true, &note, control);
    for (int reach = kReach; !solution.proven && reach <= kFurthestReach; reach *= 2)
      if (!cut_near_changes(reach)) break;
  }
  resumed_ = false;
  if (!solution.proven) {
    const std::int64_t bound = sweep(problem, solution.energy, note, control);
    solution.proven = solution.energy * scale - bound < scale;
  }
  if (!solution.proven && !last_weight_.empty()) cut_near_changes(kReach);
  for (int cuts = 0; !solution.proven; ++cuts) {
    if (cuts == kMostCuts) {
      // Copied in place, since `note` points into the band.
      std::copy(problem.low.begin(), problem.low.end(), band.low.begin());
      std::copy(problem.high.begin(), problem.high.end(), band.high.begin());
    }
    if (note.slack < most_slack) note.slack *= 2;
    cut_and_prove(band);
    if (cuts == kMostCuts && !solution.proven)
      throw std::logic_error("a cut over all labels must be its own proof");
  }
  if (options_.ties == Ties::highest) raise(problem, solution, note, control);
  last_weight_ = problem.weight;
  solution.lower_bound = solution.energy;
}

void DualEngine::begin_run() {
  Engine::begin_run();
  if (narrow_) narrow_->resume();
  if (wide_) wide_->resume();
}

DualEngine::DualEngine(EngineOptions options) : options_(std::move(options)) {}
DualEngine::~DualEngine() = default;

Engine::Dual DualEngine::dual() const {
  if (narrow_) return narrow_->dual();
  return wide_ ? wide_->dual() : Dual{};
}

MoveSolution DualEngine::solve(ConvexProblem given, const Labelling& current, Control& control) {
  MoveSolution solution;
  solution.labels = current;
  solution.energy = given.energy(current);
  solution.proven = true;
  solution.lower_bound = solution.energy;
  bool anyone = false;
  for (std::int32_t i = 0; i < given.graph.nodes() && !anyone; ++i) anyone = given.takes_part(i);
  if (!anyone) return solution;

  if (!is_normal(given)) {
    // The normal form has the same solutions; its energies differ by a constant.
    ConvexProblem normal = normal_form(std::move(given));
    const std::int64_t constant = solution.energy - normal.energy(current);
    MoveSolution inner = solve(std::move(normal), current, control);
    inner.energy += constant;
    inner.lower_bound += constant;
    return inner;
  }

  control.poll();
  const MessagePlan plan = plan_messages(kernel_load(given, true), kFinestScale);
  const auto solve_with = [&](auto& solver, auto& other) {
    using Solver = typename std::decay_t<decltype(solver)>::element_type;
    other.reset();
    if (!solver) solver = std::make_unique<Solver>(options_, statistics_);
    solver->solve(given, plan.scale, solution, control);
  };
  if (plan.wide)
    solve_with(wide_, narrow_);
  else
    solve_with(narrow_, wide_);
  return solution;
}

}  // namespace rangemoves
