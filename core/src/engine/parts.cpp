#include "rangemoves/engine/parts.hpp"

#include <algorithm>
#include <atomic>

#include "rangemoves/engine/band_search.hpp"
#include "rangemoves/messages/node_slack.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace {

// Sweeps over a part end when one closes less of the gap than this, or after so many: cuts of small
// parts take little time.
constexpr double kSlowClosing = 0.02;
constexpr int kMostPartSweeps = 40;
// Cuts before a part is said to be too small.
constexpr int kMostPartCuts = 1;

// Not the places of a rectangle that stay empty.
std::int64_t variables_in(const PartNodes& part) {
  return std::count_if(part.nodes.begin(), part.nodes.end(), [](std::int32_t i) { return i >= 0; });
}

}  // namespace

template <class Value>
Parts<Value>::Parts(const ConvexProblem& problem, std::int64_t scale, MessagesOf<Value>& messages,
                    const EngineOptions& options, std::int64_t held,
                    std::map<std::string, double>& statistics)
    : problem_(problem),
      scale_(scale),
      messages_(messages),
      options_(options),
      held_(held),
      statistics_(statistics),
      has_rows_(fits_wavefront(problem)),
      unary_([&problem](std::int32_t i) { return problem.unary.row(i); }),
      state_(static_cast<std::size_t>(problem.graph.nodes()), outside),
      place_(state_.size()) {}

template <class Value>
void Parts<Value>::add_around(const std::vector<std::int32_t>& nodes, int reach) {
  for (const std::int32_t i : reach_from(problem_, nodes, reach)) {
    if (state_[i] != outside) continue;
    state_[i] = fresh;
    ++size_;
  }
}

// Per label a unary term, the same scaled, and two messages; 256 bytes per variable for all else.
// Rectangles may have more places.
template <class Value>
std::int64_t Parts<Value>::bytes_of(std::int64_t variables, int labels) {
  return PartNodes::kMostPlaces * variables *
         (4 * static_cast<std::int64_t>(sizeof(Value)) * labels + 256);
}

// Counts all parts, though threads solve only a few at a time.
template <class Value>
bool Parts<Value>::fit_memory() const {
  const std::int64_t bytes = bytes_of(size_, problem_.labels);
  return options_.max_memory == 0 ||
         held_ + (has_rows_ ? bytes : bytes / PartNodes::kMostPlaces) <= options_.max_memory;
}

template <class Value>
std::vector<PartNodes> Parts<Value>::grown_parts() {
  const Neighbourhood& graph = problem_.graph;
  std::vector<PartNodes> parts;
  std::vector<std::uint8_t> seen(state_.size(), 0);
  for (std::int32_t start = 0; start < graph.nodes(); ++start) {
    if (state_[start] != fresh || seen[start]) continue;
    PartNodes part{{start}};
    std::vector<std::int32_t>& nodes = part.nodes;
    seen[start] = 1;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      for (const Incidence* n = graph.begin(nodes[k]); n != graph.end(nodes[k]); ++n) {
        if (!is_on(*n) || state_[n->other] == outside || seen[n->other]) continue;
        seen[n->other] = 1;
        nodes.push_back(n->other);
      }
    std::sort(nodes.begin(), nodes.end(),
              [&](std::int32_t i, std::int32_t j) { return graph.rank(i) < graph.rank(j); });
    for (const std::int32_t i : nodes) state_[i] = inside;
    if (has_rows_) part.lay_out_by_rows<Value>(problem_);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (nodes[k] >= 0) place_[nodes[k]] = static_cast<std::int32_t>(k);
    parts.push_back(std::move(part));
  }
  return parts;
}

template <class Value>
std::vector<std::int32_t> Parts<Value>::solve_part(const PartNodes& of, Labelling& x,
                                                   std::int64_t tolerance, bool labels_are_old,
                                                   std::int64_t for_cuts,
                                                   std::map<std::string, double>& statistics,
                                                   Control& control) {
  const std::vector<std::int32_t>& nodes = of.nodes;
  MessagePart<Value> part({problem_, unary_, scale_, messages_, state_.data(), place_.data()}, of,
                          control);
  std::vector<std::int32_t> outermost, grow;  // in the part, in the whole
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k] < 0) continue;
    for (const Incidence* n = problem_.graph.begin(nodes[k]); n != problem_.graph.end(nodes[k]);
         ++n)
      if (is_on(*n) && state_[n->other] == outside) {
        outermost.push_back(static_cast<std::int32_t>(k));
        break;
      }
  }
  if (!part.messages()) {
    const CostRow costs = part.problem().unary.row(0);
    const std::int64_t least = costs.least(problem_.labels);
    std::int32_t& label = x[nodes.front()];
    if (costs[label] == least) return {};
    if (!outermost.empty()) return nodes;
    label = 0;
    while (costs[label] != least) ++label;
    return {};
  }
  MoveSolution solution;
  for (const std::int32_t i : nodes) solution.labels.push_back(i < 0 ? 0 : x[i]);
  solution.energy = part.problem().energy(solution.labels);
  BandSearch<Value> search(
      {part.problem(), *part.messages(), 1, tolerance, held_, for_cuts, options_}, statistics,
      control);
  if (!(labels_are_old ? search.settle(solution.energy, kMostPartSweeps)
                       : search.close_gap(solution.energy, kSlowClosing, kMostPartSweeps))) {
    if (outermost.empty())
      search.cut_until_proven(solution);
    else if (!search.cut_within(outermost, kMostPartCuts, solution)) {
      const std::vector<std::int64_t> slack = node_slack(
          part.problem(), 1, part.messages()->edges(), solution.labels, nullptr, control);
      for (std::size_t k = 0; k < nodes.size(); ++k)
        if (slack[k] > 0) grow.push_back(nodes[k]);
    }
  }
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k] >= 0) x[nodes[k]] = solution.labels[k];
  part.write_back();
  return grow;
}

template <class Value>
std::vector<std::int32_t> Parts<Value>::solve(Labelling& x, std::int64_t tolerance,
                                              bool labels_are_old, Control& control,
                                              std::int64_t room) {
  const std::vector<PartNodes> parts = grown_parts();
  std::vector<std::int32_t> grow;
  if (parts.empty()) return grow;
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t each = std::max<std::int64_t>(1, tolerance / count);
  // Every part has its share of the room, whoever else is solved at the same time: bands, and with
  // them labels, must not depend on the number of threads.
  std::int64_t variables = 0;
  for (const PartNodes& part : parts) variables += variables_in(part);
  const auto for_cuts = [&](const PartNodes& part) {
    if (room == INT64_MAX) return room;
    const std::int64_t size = variables_in(part);
    const double share = static_cast<double>(size) / static_cast<double>(variables);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(room)) -
                                         bytes_of(size, problem_.labels));
  };
  // Large parts first: whoever is done takes the next one. No part depends on another.
  std::vector<std::size_t> order(parts.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a].nodes.size() > parts[b].nodes.size();
  });
  const int threads = static_cast<int>(std::min<std::int64_t>(options_.threads, count));
  std::vector<std::map<std::string, double>> statistics(static_cast<std::size_t>(threads));
  std::vector<std::vector<std::int32_t>> grow_of(parts.size());
  std::atomic<std::size_t> next{0};
  in_parallel(threads, control, [&](int thread, Watch& watch) {
    // The caller's Control belongs to its thread; the others ask the watch.
    Control own([&watch] {
      watch.poll();
      return false;
    });
    Control& mine = thread == 0 ? control : own;
    for (std::size_t k; (k = next++) < order.size();)
      grow_of[order[k]] =
          solve_part(parts[order[k]], x, each, labels_are_old, for_cuts(parts[order[k]]),
                     statistics[static_cast<std::size_t>(thread)], mine);
  });
  for (const auto& of_thread : statistics)
    for (const auto& [name, value] : of_thread) {
      double& sum = statistics_["part_" + name];
      sum = name.rfind("most_", 0) == 0 ? std::max(sum, value) : sum + value;
    }
  statistics_["parts"] += static_cast<double>(count);
  for (const std::vector<std::int32_t>& nodes : grow_of)
    grow.insert(grow.end(), nodes.begin(), nodes.end());
  return grow;
}

template class Parts<std::int32_t>;
template class Parts<std::int64_t>;

}  // namespace rangemoves
