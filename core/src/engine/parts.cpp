#include "rangemoves/engine/parts.hpp"

#include <algorithm>
#include <atomic>

#include "rangemoves/engine/band_search.hpp"
#include "rangemoves/messages/node_slack.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace {

// Sweeps over a part end when one closes less of the gap than this, or after so many: cuts of small
// parts take little time.
constexpr double kSlowClosing = 0.02;
constexpr int kMostPartSweeps = 40;
// Cuts before a part is said to be too small.
constexpr int kMostPartCuts = 1;

}  // namespace

std::vector<std::int32_t> reach_from(const ConvexProblem& problem,
                                     const std::vector<std::int32_t>& nodes, int reach) {
  const Neighbourhood& graph = problem.graph;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<std::int32_t> reached;
  const auto visit = [&](std::int32_t i) {
    if (seen[i] || !problem.takes_part(i)) return;
    seen[i] = 1;
    reached.push_back(i);
  };
  for (const std::int32_t i : nodes) visit(i);
  std::size_t begin = 0;
  for (int step = 0; step < reach; ++step)
    for (const std::size_t end = reached.size(); begin < end; ++begin)
      for (const Incidence* n = graph.begin(reached[begin]); n != graph.end(reached[begin]); ++n)
        if (problem.weight[n->edge] > 0) visit(n->other);
  return reached;
}

// The problem of one part, in units of the messages: unary terms and tables are scaled.
template <class Value>
struct Parts<Value>::Part {
  Neighbourhood graph;
  std::vector<std::int64_t> edges;  // of the whole
  ConvexProblem problem;
  std::unique_ptr<MessagesOf<Value>> messages;
  // The tables in use: where they are here, and, not scaled, in the form that kernels read.
  std::map<std::int32_t, std::int32_t> place_of_table;
  std::vector<ShapePair<Value>> shapes;

  Part(std::int32_t nodes, std::vector<std::int32_t> tail, std::vector<std::int32_t> head,
       std::vector<std::int64_t> edges_of_whole, int labels)
      // A row of all nodes: the order of the whole is kept.
      : graph(nodes, std::move(tail), std::move(head), nodes),
        edges(std::move(edges_of_whole)),
        problem{graph,
                labels,
                {},
                std::vector<std::int32_t>(edges.size()),
                {},
                {},
                std::vector<std::int32_t>(static_cast<std::size_t>(nodes), 0),
                std::vector<std::int32_t>(static_cast<std::size_t>(nodes), labels - 1)} {}

  // The table of an edge of the whole, taken over when first asked for.
  std::size_t table_of(const ConvexProblem& whole, std::int64_t e, std::int64_t scale) {
    const std::int32_t there = whole.table_of_edge.empty() ? 0 : whole.table_of_edge[e];
    const auto [at, is_new] =
        place_of_table.try_emplace(there, static_cast<std::int32_t>(shapes.size()));
    if (is_new) {
      Table h = whole.table(e).h;
      for (int d = 1 - whole.labels; d < whole.labels; ++d) h.at(d) *= scale;
      problem.tables.emplace_back(std::move(h));
      shapes.emplace_back(whole.table(e));
    }
    return static_cast<std::size_t>(at->second);
  }
};

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

// Counts all parts, though threads solve only a few at a time: per label a unary term, the same
// scaled, and two messages; 256 bytes per variable for all else.
template <class Value>
bool Parts<Value>::fit_memory() const {
  const std::int64_t bytes =
      size_ * (4 * static_cast<std::int64_t>(sizeof(Value)) * problem_.labels + 256);
  return options_.max_memory == 0 || held_ + bytes <= options_.max_memory;
}

template <class Value>
std::vector<PartNodes> Parts<Value>::grown_parts() {
  const Neighbourhood& graph = problem_.graph;
  std::vector<PartNodes> parts;
  std::vector<std::uint8_t> seen(state_.size(), 0);
  for (std::int32_t start = 0; start < graph.nodes(); ++start) {
    if (state_[start] != fresh || seen[start]) continue;
    PartNodes nodes{start};
    seen[start] = 1;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      for (const Incidence* n = graph.begin(nodes[k]); n != graph.end(nodes[k]); ++n) {
        if (!is_on(*n) || state_[n->other] == outside || seen[n->other]) continue;
        seen[n->other] = 1;
        nodes.push_back(n->other);
      }
    std::sort(nodes.begin(), nodes.end(),
              [&](std::int32_t i, std::int32_t j) { return graph.rank(i) < graph.rank(j); });
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      place_[nodes[k]] = static_cast<std::int32_t>(k);
      state_[nodes[k]] = inside;
    }
    parts.push_back(std::move(nodes));
  }
  return parts;
}

template <class Value>
auto Parts<Value>::extract(const PartNodes& nodes, Control& control) -> std::unique_ptr<Part> {
  const Neighbourhood& graph = problem_.graph;
  std::vector<std::int32_t> tail, head;
  std::vector<std::int64_t> edges;
  for (const std::int32_t i : nodes)
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
      if (!is_on(*n) || !n->is_tail || state_[n->other] == outside) continue;
      tail.push_back(place_[i]);
      head.push_back(place_[n->other]);
      edges.push_back(n->edge);
    }
  auto part = std::make_unique<Part>(static_cast<std::int32_t>(nodes.size()), std::move(tail),
                                     std::move(head), std::move(edges), problem_.labels);
  std::vector<std::int32_t> table_of_edge;
  for (std::size_t k = 0; k < part->edges.size(); ++k) {
    part->problem.weight[k] = problem_.weight[part->edges[k]];
    table_of_edge.push_back(
        static_cast<std::int32_t>(part->table_of(problem_, part->edges[k], scale_)));
  }
  freeze_border(*part, nodes, control);
  if (part->problem.tables.size() > 1) part->problem.table_of_edge = std::move(table_of_edge);
  if (part->edges.empty()) return part;
  part->messages = make_label_messages<Value>(part->problem, 1, 1, control);
  part->messages->load(part->problem, control);
  for (std::size_t k = 0; k < part->edges.size(); ++k) {
    // Messages start as they are in the whole. A part that is a forest is swept in an order of its
    // own, in which an edge may point the other way: its message starts at zero, and one sweep
    // solves a forest in any case.
    const auto e = static_cast<std::int64_t>(k);
    if (part->graph.tail_first(e) != graph.tail_first(part->edges[k])) continue;
    const MessageVector<Value> from = messages_.edges().to_later(part->edges[k]),
                               to = part->messages->edges().to_later(e);
    for (int l = 0; l < problem_.labels; ++l) to[l] = from[l];
  }
  return part;
}

template <class Value>
void Parts<Value>::freeze_border(Part& part, const PartNodes& nodes, Control& control) {
  const Neighbourhood& graph = problem_.graph;
  const int labels = problem_.labels;
  const Kernels<Value>& kernels = chosen_level().of<Value>();
  const std::int32_t stride = stride_for(labels, kernels.lanes);
  AlignedArray<Value> given(static_cast<std::size_t>(stride)), implied(given.size()),
      scratch(static_cast<std::size_t>(scratch_size(stride)));
  std::vector<std::int64_t> row(static_cast<std::size_t>(labels));
  CostVolume unary(static_cast<std::int64_t>(nodes.size()), labels, sizeof(Value) == 8, control);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if ((k & 0xff) == 0) control.poll();
    const std::int32_t i = nodes[k];
    problem_.unary.row(i).visit([&](auto* theta) {
      for (int l = 0; l < labels; ++l) row[l] = theta[l] * scale_;
    });
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
      if (!is_on(*n) || state_[n->other] != outside) continue;
      const MessageVector<Value> to_later = messages_.edges().to_later(n->edge);
      if (n->is_tail != graph.tail_first(n->edge)) {
        for (int l = 0; l < labels; ++l) row[l] += to_later[l];
        continue;
      }
      // Only messages to the later end are stored. This is the earlier end: its message is the
      // largest that is feasible with the stored one.
      for (int l = 0; l < labels; ++l) given[l] = -to_later[l];
      const ShapePair<Value>& pair = part.shapes[part.table_of(problem_, n->edge, scale_)];
      kernels.convolve(n->is_tail ? pair.from_head() : pair.from_tail(),
                       static_cast<Value>(problem_.weight[n->edge] * scale_), given.data(),
                       implied.data(), labels, stride, scratch.data());
      for (int l = 0; l < labels; ++l) row[l] += implied[l];
    }
    unary.add_row(static_cast<std::int32_t>(k), CostRow(nullptr, row.data()));
  }
  part.problem.unary = UnaryTerms(std::move(unary));
}

template <class Value>
std::vector<std::int32_t> Parts<Value>::solve_part(const PartNodes& nodes, Labelling& x,
                                                   std::int64_t tolerance,
                                                   std::map<std::string, double>& statistics,
                                                   Control& control) {
  const std::unique_ptr<Part> part = extract(nodes, control);
  std::vector<std::int32_t> outermost, grow;  // in the part, in the whole
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const Incidence* n = problem_.graph.begin(nodes[k]); n != problem_.graph.end(nodes[k]);
         ++n)
      if (is_on(*n) && state_[n->other] == outside) {
        outermost.push_back(static_cast<std::int32_t>(k));
        break;
      }
  if (part->edges.empty()) {
    const CostRow costs = part->problem.unary.row(0);
    const std::int64_t least = costs.least(problem_.labels);
    std::int32_t& label = x[nodes.front()];
    if (costs[label] == least) return {};
    if (!outermost.empty()) return nodes;
    label = 0;
    while (costs[label] != least) ++label;
    return {};
  }
  MoveSolution solution;
  for (const std::int32_t i : nodes) solution.labels.push_back(x[i]);
  solution.energy = part->problem.energy(solution.labels);
  // Parts are small: their cuts need no budget.
  BandSearch<Value> search(
      {part->problem, *part->messages, 1, tolerance, held_, INT64_MAX, options_}, statistics,
      control);
  if (!search.close_gap(solution.energy, kSlowClosing, kMostPartSweeps)) {
    if (outermost.empty())
      search.cut_until_proven(solution);
    else if (!search.cut_within(outermost, kMostPartCuts, solution)) {
      const std::vector<std::int64_t> slack =
          node_slack(part->problem, 1, part->messages->edges(), solution.labels, nullptr, control);
      for (std::size_t k = 0; k < nodes.size(); ++k)
        if (slack[k] > 0) grow.push_back(nodes[k]);
    }
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) x[nodes[k]] = solution.labels[k];
  const auto write = [&](const EdgeMessages<Value>& edge) {
    const std::int64_t e = part->edges[static_cast<std::size_t>(edge.edge)];
    const MessageVector<Value> to = messages_.edges().to_later(e);
    const MessageVector<Value>& from = problem_.graph.tail_first(e) ? edge.q : edge.p;
    for (int l = 0; l < problem_.labels; ++l) to[l] = from[l];
  };
  part->messages->edges().for_each_tight(part->problem, write);
  return grow;
}

template <class Value>
std::vector<std::int32_t> Parts<Value>::solve(Labelling& x, std::int64_t tolerance,
                                              Control& control) {
  const std::vector<PartNodes> parts = grown_parts();
  std::vector<std::int32_t> grow;
  if (parts.empty()) return grow;
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t each = std::max<std::int64_t>(1, tolerance / count);
  // Large parts first: whoever is done takes the next one. No part depends on another.
  std::vector<std::size_t> order(parts.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].size() > parts[b].size(); });
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
          solve_part(parts[order[k]], x, each, statistics[static_cast<std::size_t>(thread)], mine);
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
