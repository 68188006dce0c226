#include "rangemoves/engine/band_search.hpp"

#include <algorithm>
#include <stdexcept>

#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/flow/ishikawa_graph.hpp"

namespace rangemoves {

namespace {

// Sweeps before a cut end when one raises the bound by less than this part of what all of them have
// raised it.
constexpr double kSlowGain = 1e-4;
// The same where variables have `contested` labels left to choose from: an edge of the cut grows
// with the square of them, so that more sweeps are worth their time.
double worthwhile_gain(double contested) {
  return std::min(kSlowGain, 2e-5 / (contested * contested));
}
// Sweeps before a cut of what is undecided end sooner: when one raises the bound by less than this
// part. A variable is undecided where another label is within this part of the usual slack.
constexpr double kRoughGain = 2.5e-4;
constexpr double kUndecidedSlack = 0.3;
// Sweeps over a part whose labels are old end when one raises the bound by less than this part of
// what all of them have. Labels around the part are fixed, so that more of those inside may have to
// give way than sweeps alone would say: they count as undecided within twice that slack.
constexpr double kSettledGain = 3e-3;
constexpr double kUndecidedSlackInParts = 0.6;
// If more than one in so many are cut, the whole band is the better way.
constexpr std::int64_t kFewestCut = 2;
// After sweeps that go on until the bound hardly rises, the best labels are mostly within this part
// of the usual slack, and the cut is smaller. Where they are not, a second cut has twice of it.
constexpr std::int64_t kAfterManySweeps = 4;
// Bounds can creep up for very long. The cut is exact whenever sweeps end.
constexpr int kMostSweeps = 400;
// Flow of a cut can lower the bound of labels outside the band. Few sweeps repair that; where they
// do not, the band was too narrow.
constexpr int kRepairSweeps = 3;
// Where memory keeps a band narrow, it has the largest slack that fits, to one part in so many.
constexpr int kSlackSteps = 4;
// Sweeps between cuts of bands that memory keeps narrow. A narrow cut lowers the bound of the
// labels outside; without enough sweeps after it the next cut begins no better.
constexpr int kSweepsBetweenCuts = 30;
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

// Beliefs are compared with the least one plus the slack: that sum must fit their type.
template <class Value>
constexpr std::int64_t most_slack = unreachable<Value> / 4;

// Of the graph and the flow on it.
template <class Value>
std::int64_t bytes_of_cut(std::int64_t graph_bytes, std::int64_t nodes) {
  using Flow = IncrementalBfs<IshikawaGraph<Value, Value>>;
  return graph_bytes + nodes * static_cast<std::int64_t>(Flow::bytes_per_node());
}

template <class Value>
std::int64_t least_whole_cut(std::int64_t variables, std::int64_t edges, int labels) {
  const std::int64_t each = std::min(2, labels - 1), nodes = each * variables;
  return bytes_of_cut<Value>(
      IshikawaGraph<Value, Value>::bytes(variables, edges, edges, nodes, each * each * edges, true),
      nodes);
}

}  // namespace

std::int64_t cut_budget(std::int64_t variables, std::int64_t edges, int labels, std::int64_t held,
                        bool wide) {
  const std::int64_t least = wide ? least_whole_cut<std::int64_t>(variables, edges, labels)
                                  : least_whole_cut<std::int32_t>(variables, edges, labels);
  return least + (least + held) / 5;
}

std::int64_t full_cut_bytes(const ConvexProblem& problem, bool wide) {
  std::int64_t diagonals = 1;
  for (const ConvexTable& table : problem.tables)
    diagonals = std::max<std::int64_t>(diagonals, table.left + table.right + 1);
  const std::int64_t levels = problem.labels - 1, nodes = levels * problem.graph.nodes(),
                     edges = problem.graph.edges(),
                     cells = edges * levels * std::min(levels, diagonals);
  const auto bytes = [&](auto value) {
    using Value = decltype(value);
    return bytes_of_cut<Value>(
        IshikawaGraph<Value, Value>::bytes(problem.graph.nodes(), edges, edges, nodes, cells, true),
        nodes);
  };
  return wide ? bytes(std::int64_t{}) : bytes(std::int32_t{});
}

template <class Value>
BandSearch<Value>::BandSearch(const BandTask<Value>& task,
                              std::map<std::string, double>& statistics, Control& control)
    : task_(task),
      statistics_(statistics),
      control_(control),
      band_{task.problem.low, task.problem.high},
      note_{task.problem.graph.nodes(), 0, band_.low.data(), band_.high.data()} {
  const double slack = step_cost(task.problem) * static_cast<double>(task.scale);
  note_.slack =
      static_cast<std::int64_t>(std::min(slack, static_cast<double>(most_slack<Value> / 2)));
}

template <class Value>
std::int64_t BandSearch<Value>::sweep(const BandNote* note) {
  task_.messages.sweep(false, nullptr, control_);
  statistics_["sweeps"] += 1;
  return task_.messages.sweep(true, note, control_);
}

template <class Value>
bool BandSearch<Value>::close_gap(std::int64_t energy, double least_part_of_gap, int most_sweeps) {
  std::int64_t bound = 0;
  for (int k = 0; k < most_sweeps; ++k) {
    const std::int64_t last = bound;
    bound = sweep();
    if (proves(energy, bound)) return true;
    if (k > 0 && static_cast<double>(bound - last) <=
                     least_part_of_gap * static_cast<double>(energy * task_.scale - bound))
      break;
  }
  note_band();
  return false;
}

template <class Value>
bool BandSearch<Value>::settle(std::int64_t energy, int most_sweeps) {
  std::int64_t bound = 0, first = 0;
  for (int k = 0; k < most_sweeps; ++k) {
    const std::int64_t last = bound;
    bound = sweep();
    if (proves(energy, bound)) return true;
    if (k == 0) first = bound;
    if (k > 0 &&
        static_cast<double>(bound - last) <= kSettledGain * static_cast<double>(bound - first))
      break;
  }
  std::vector<std::uint8_t> cut;
  note_undecided(kUndecidedSlackInParts, cut);
  return false;
}

// The average number of labels in the band besides the best one and its two neighbours, which are
// always in.
template <class Value>
double BandSearch<Value>::contested() const {
  std::int64_t labels = 0, variables = 0;
  for (std::int32_t i = 0; i < task_.problem.graph.nodes(); ++i) {
    if (!task_.problem.takes_part(i)) continue;
    labels += std::max(0, band_.high[i] - band_.low[i] - 2);
    ++variables;
  }
  return static_cast<double>(labels) / static_cast<double>(variables);
}

template <class Value>
bool BandSearch<Value>::prepare_cut(std::int64_t energy) {
  const Lap lap(statistics_["sweep_seconds"], control_);
  const std::int64_t start = task_.scale * bound_without_messages(task_.problem);
  std::int64_t bound = 0;
  double wanted = kSlowGain;
  for (int k = 0; k < kMostSweeps; ++k) {
    const std::int64_t last = bound;
    bound = sweep();
    if (proves(energy, bound)) return true;
    const auto slow = [&] {
      return static_cast<double>(bound - last) <= wanted * static_cast<double>(bound - start);
    };
    if (k < 2 || !slow()) continue;
    bound = note_band();
    wanted = worthwhile_gain(contested());
    if (slow()) break;
  }
  note_.slack = std::max<std::int64_t>(1, note_.slack / kAfterManySweeps);
  note_band();
  return false;
}

template <class Value>
std::int64_t BandSearch<Value>::narrow_band(std::vector<std::uint8_t>& cut) {
  const ConvexProblem& problem = task_.problem;
  // A sweep notes each band one label wider on either side than the labels close to the best; here
  // these labels are taken off again. At label 0 and at the last label it cannot be told whether
  // the band was widened: it stays as it is, and such a variable may count as undecided though it
  // is not.
  const auto first = [&](std::int32_t i) { return band_.low[i] + (band_.low[i] > 0); };
  const auto last = [&](std::int32_t i) {
    return band_.high[i] - (band_.high[i] + 1 < problem.labels);
  };
  cut.assign(band_.low.size(), 0);
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    if (!problem.takes_part(i) || first(i) >= last(i)) continue;
    cut[i] = 1;
    for (const Incidence* n = problem.graph.begin(i); n != problem.graph.end(i); ++n)
      if (problem.weight[n->edge] > 0) cut[n->other] = 1;
  }
  std::int64_t count = 0;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    count += cut[i];
    if (!cut[i] && problem.takes_part(i)) band_.low[i] = band_.high[i] = first(i);
  }
  return count;
}

template <class Value>
std::int64_t BandSearch<Value>::note_undecided(double part_of_slack,
                                               std::vector<std::uint8_t>& cut) {
  BandNote close = note_;
  close.slack = static_cast<std::int64_t>(part_of_slack * static_cast<double>(note_.slack));
  sweep(&close);
  return narrow_band(cut);
}

template <class Value>
bool BandSearch<Value>::cut_undecided(MoveSolution& solution, std::vector<std::uint8_t>& cut) {
  std::int64_t undecided = 0;
  {
    const Lap lap(statistics_["sweep_seconds"], control_);
    const std::int64_t start = task_.scale * bound_without_messages(task_.problem);
    std::int64_t bound = 0;
    for (int k = 0; k < kMostSweeps; ++k) {
      const std::int64_t last = bound;
      bound = sweep();
      if ((solution.proven = proves(solution.energy, bound))) return true;
      if (k > 1 &&
          static_cast<double>(bound - last) <= kRoughGain * static_cast<double>(bound - start))
        break;
    }
    undecided = note_undecided(kUndecidedSlack, cut);
  }
  statistics_["most_undecided"] =
      std::max(statistics_["most_undecided"], static_cast<double>(undecided));
  if (undecided > task_.problem.graph.nodes() / kFewestCut) return false;
  cut_once(solution, false);
  return true;
}

template <class Value>
Labelling BandSearch<Value>::cut() {
  const ConvexProblem& problem = task_.problem;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (!problem.takes_part(i)) band_.low[i] = band_.high[i] = problem.low[i];
  std::vector<std::uint8_t> free(band_.low.size());
  for (std::size_t i = 0; i < free.size(); ++i) free[i] = band_.low[i] < band_.high[i];
  using Graph = IshikawaGraph<Value, Value>;
  EdgeAccess<Value>& edges = task_.messages.edges();
  const auto build = [&] {
    const Lap lap(statistics_["graph_seconds"], control_);
    if (task_.options.max_memory > 0)
      require_memory(task_.held + Graph::bytes(problem, band_), task_.options, "the cut of a band");
    return Graph(
        problem, task_.scale, band_,
        [&](const auto& visit) {
          edges.share_tight(problem, free.data(), EdgeOrder::any, control_, visit);
        },
        edges.tight_threads(), control_);
  };
  Graph graph = build();
  statistics_["cuts"] += 1;
  statistics_["cut_nodes"] += graph.nodes();
  const auto note_most = [&](const char* name, std::int64_t count) {
    statistics_[name] = std::max(statistics_[name], static_cast<double>(count));
  };
  note_most("most_cut_nodes", graph.nodes());
  note_most("most_cut_cells", graph.cells());
  note_most("most_cut_edges", graph.joined());
  IncrementalBfs<Graph> flow(graph, control_);
  {
    const Lap lap(statistics_["cut_seconds"], control_);
    flow.run(graph.regions(), edges.tight_threads());
  }
  const Lap lap(statistics_["flow_back_seconds"], control_);
  graph.give_back([&](std::int32_t v) { return flow.excess(v); });
  // Only edges with flow at an end: the messages of all others are still tight from when the graph
  // was made.
  edges.share_tight(
      problem, graph.ends_of_flow().data(), EdgeOrder::fixed, control_,
      [&](const EdgeMessages<Value>& edge, int thread) { graph.add_flow(edge, thread); });
  return graph.labelling([&](std::int32_t v) { return flow.on_source_side(v); });
}

// Energies are integers: with a tolerance of one unit a bound proves an energy optimal.
template <class Value>
bool BandSearch<Value>::repair(std::int64_t energy, bool goes_on) {
  const Lap lap(statistics_["proof_seconds"], control_);
  const auto gap_to = [&](std::int64_t bound) {
    return static_cast<double>(std::max<std::int64_t>(0, energy * task_.scale - bound));
  };
  for (int k = 0; k < kRepairSweeps; ++k) {
    const std::int64_t backward = task_.messages.sweep(false, nullptr, control_);
    const bool last = k + 1 == kRepairSweeps;
    const std::int64_t forward =
        task_.messages.sweep(true, last && goes_on ? &note_ : nullptr, control_);
    bound_ = std::max({bound_, backward, forward});
    if (proves(energy, std::max(backward, forward))) return true;
    if (goes_on) continue;
    // Sweeps close an ever smaller part of the gap: if each of those left did as well as the last
    // one, would that be enough?
    const double remains = gap_to(forward) / std::max(1.0, gap_to(backward));
    double at_best = gap_to(forward);
    for (int left = 2 * (kRepairSweeps - 1 - k); left > 0; --left) at_best *= remains;
    if (at_best > static_cast<double>(task_.tolerance)) break;
  }
  return false;
}

template <class Value>
void BandSearch<Value>::cut_once(MoveSolution& solution, bool goes_on) {
  if (note_.slack < most_slack<Value>) note_.slack *= 2;
  task_.messages.set_unary_aside();
  Labelling x = cut();
  task_.messages.bring_unary_back(task_.problem, control_);
  const std::int64_t energy = task_.problem.energy(x);
  if (energy < solution.energy) {
    solution.labels = std::move(x);
    solution.energy = energy;
  }
  solution.proven = repair(solution.energy, goes_on);
}

template <class Value>
std::int64_t BandSearch<Value>::cut_bytes() const {
  std::int64_t nodes = 0;
  for (std::size_t i = 0; i < band_.low.size(); ++i) nodes += band_.high[i] - band_.low[i];
  return bytes_of_cut<Value>(IshikawaGraph<Value, Value>::bytes(task_.problem, band_), nodes);
}

template <class Value>
bool BandSearch<Value>::fit_band(std::int64_t most_bytes) {
  const Lap lap(statistics_["sweep_seconds"], control_);
  if (cut_bytes() <= most_bytes) return false;
  const auto fits = [&](std::int64_t slack) {
    note_.slack = slack;
    note_band();
    return cut_bytes() <= most_bytes;
  };
  std::int64_t slack = note_.slack, too_much = slack;
  while (slack > 1) {
    too_much = slack;
    slack /= 2;
    if (fits(slack)) break;
  }
  for (std::int64_t step = (too_much - slack) / 2, least = step / kSlackSteps; step > least;
       step /= 2)
    if (fits(slack + step)) slack += step;
  if (note_.slack != slack) fits(slack);
  return true;
}

template <class Value>
bool BandSearch<Value>::sweep_after_cut(std::int64_t energy) {
  const Lap lap(statistics_["sweep_seconds"], control_);
  for (int k = 0; k < kSweepsBetweenCuts; ++k) {
    bound_ = std::max(bound_, sweep());
    if (proves(energy, bound_)) return true;
  }
  return false;
}

template <class Value>
std::int64_t BandSearch<Value>::sweep_gap(std::int64_t energy) {
  const std::int64_t bound = sweep();
  bound_ = std::max(bound_, bound);
  return energy * task_.scale - bound;
}

template <class Value>
void BandSearch<Value>::cut_until_proven(MoveSolution& solution, const GoOn& go_on) {
  solution.proven = false;
  std::int64_t room = task_.for_cuts, last_gap = INT64_MAX;
  for (int cuts = 0; !solution.proven;) {
    const std::int64_t slack = note_.slack;
    if (cuts == kMostCuts) {
      // Copied element by element, since note_ has pointers to the elements.
      std::copy(task_.problem.low.begin(), task_.problem.low.end(), band_.low.begin());
      std::copy(task_.problem.high.begin(), task_.problem.high.end(), band_.high.begin());
    }
    const bool narrower = cuts < kMostCuts && fit_band(room);
    cut_once(solution, true);
    if (cuts == kMostCuts && !solution.proven)
      throw std::logic_error("a cut over all labels must be its own proof");
    if (narrower && !solution.proven) {
      note_.slack = slack;
      solution.proven = sweep_after_cut(solution.energy);
    }
    const std::int64_t gap = solution.energy * task_.scale - bound_;
    if (narrower && !solution.proven && gap > last_gap / 2) {
      solution.proven = go_on && go_on(solution, room);
      room += room / 4 + 1;
    }
    cuts += !narrower;
    if (narrower && !solution.proven) note_band();
    last_gap = gap;
  }
}

template <class Value>
bool BandSearch<Value>::cut_within(const std::vector<std::int32_t>& fixed, int most_cuts,
                                   MoveSolution& solution) {
  solution.proven = false;
  for (int cuts = 0; !solution.proven && cuts < most_cuts; ++cuts) {
    for (const std::int32_t i : fixed) band_.low[i] = band_.high[i] = solution.labels[i];
    if (task_.for_cuts < INT64_MAX && cut_bytes() > task_.for_cuts) break;
    cut_once(solution, cuts + 1 < most_cuts);
  }
  return solution.proven;
}

template class BandSearch<std::int32_t>;
template class BandSearch<std::int64_t>;

}  // namespace rangemoves
