#include "rangemoves/engine/reference.hpp"

#include <algorithm>

#include "rangemoves/flow/ishikawa_graph.hpp"
#include "rangemoves/flow/pseudoflow.hpp"

namespace rangemoves {

namespace {

using Value = std::int64_t;

// No messages, made tight once per table: they scale with the weight.
void walk_without_messages(const ConvexProblem& problem,
                           const std::function<void(const EdgeMessages<Value>&)>& visit) {
  const std::size_t labels = static_cast<std::size_t>(problem.labels);
  std::vector<std::vector<Value>> p(problem.tables.size(), std::vector<Value>(labels, 0)), q(p);
  for (std::size_t t = 0; t < problem.tables.size(); ++t)
    if (!problem.tables[t].rests_at_zero)
      tighten<Value>(problem.tables[t], 1, {p[t].data(), 1}, {q[t].data(), 1});
  std::vector<Value> scaled_p(labels), scaled_q(labels);
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    if (problem.weight[e] == 0) continue;
    const std::size_t t =
        problem.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem.table_of_edge[e]);
    for (std::size_t l = 0; l < labels; ++l) {
      scaled_p[l] = problem.weight[e] * p[t][l];
      scaled_q[l] = problem.weight[e] * q[t][l];
    }
    visit({e, {scaled_p.data(), 1}, {scaled_q.data(), 1}});
  }
}

template <class Cell>
Labelling cut(const ConvexProblem& problem, const Band& band, Ties ties, Control& control) {
  using Graph = IshikawaGraph<Cell, Value>;
  Graph graph(
      problem, 1, band,
      [&](const auto& visit) {
        const auto alone = [&](const EdgeMessages<Value>& edge) { visit(edge, 0); };
        walk_without_messages(problem, polling(alone, control));
      },
      1, control);
  Pseudoflow<Graph> flow(graph, control);
  flow.run();
  if (ties == Ties::highest) flow.widen_source_side();
  return graph.labelling([&](std::int32_t v) { return flow.on_source_side(v); });
}

// Calls work(cell) with a cell just wide enough for the capacities.
template <class Work>
auto with_cells(const ConvexProblem& problem, Work&& work) {
  const std::int64_t largest = largest_cell(problem);
  if (largest <= INT16_MAX) return work(std::int16_t{});
  if (largest <= INT32_MAX) return work(std::int32_t{});
  return work(std::int64_t{});
}

// The variables of a problem that have more than one label in a band, as a problem of their own:
// edges to others, whose labels are known, become costs.
class FreePart {
 public:
  FreePart(const ConvexProblem& whole, const Band& band, std::vector<std::int32_t> nodes,
           Control& control)
      : nodes_(std::move(nodes)),
        place_(band.low.size(), -1),
        graph_(join(whole)),
        problem_{graph_,
                 whole.labels,
                 costs(whole, band, control),
                 std::move(weight_),
                 whole.tables,
                 std::move(table_of_edge_),
                 {},
                 {}} {
    for (const std::int32_t i : nodes_) {
      problem_.low.push_back(band.low[i]);
      problem_.high.push_back(band.high[i]);
    }
  }
  FreePart(const FreePart&) = delete;

  const ConvexProblem& problem() const { return problem_; }

  // Whether this takes no more memory than the columns and edges of all other variables would.
  static bool is_lean(const ConvexProblem& whole, std::size_t nodes) {
    constexpr std::size_t kCost = sizeof(std::int64_t), kOfOther = 40;
    return nodes * static_cast<std::size_t>(whole.labels) * kCost <= whole.low.size() * kOfOther;
  }

 private:
  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> place_;  // of a variable of the whole, or -1
  std::vector<std::int32_t> weight_, table_of_edge_;
  const Neighbourhood graph_;
  ConvexProblem problem_;

  Neighbourhood join(const ConvexProblem& whole) {
    const auto count = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t v = 0; v < count; ++v) place_[nodes_[v]] = v;
    std::vector<std::int32_t> tail, head;
    for (std::int32_t v = 0; v < count; ++v)
      for (const Incidence* n = whole.graph.begin(nodes_[v]); n != whole.graph.end(nodes_[v]);
           ++n) {
        if (!n->is_tail || whole.weight[n->edge] == 0 || place_[n->other] < 0) continue;
        tail.push_back(v);
        head.push_back(place_[n->other]);
        weight_.push_back(whole.weight[n->edge]);
        if (!whole.table_of_edge.empty()) table_of_edge_.push_back(whole.table_of_edge[n->edge]);
      }
    return Neighbourhood(count, std::move(tail), std::move(head), 0);
  }

  UnaryTerms costs(const ConvexProblem& whole, const Band& band, Control& control) const {
    CostVolume costs(static_cast<std::int64_t>(nodes_.size()), whole.labels, true, control);
    std::vector<std::int64_t> row(static_cast<std::size_t>(whole.labels), 0);
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      if ((v & 0xff) == 0) control.poll();
      const std::int32_t i = nodes_[v], low = band.low[i], high = band.high[i];
      whole.unary.row(i).visit(
          [&](auto* theta) { std::copy(theta + low, theta + high + 1, &row[low]); });
      for (const Incidence* n = whole.graph.begin(i); n != whole.graph.end(i); ++n) {
        if (whole.weight[n->edge] == 0 || place_[n->other] >= 0) continue;
        const Table& h = whole.table(n->edge).h;
        const std::int32_t other = band.low[n->other];
        for (std::int32_t l = low; l <= high; ++l)
          row[l] += whole.weight[n->edge] * h(n->is_tail ? l - other : other - l);
      }
      costs.add_row(static_cast<std::int32_t>(v), CostRow(row.data()));
    }
    return costs;
  }
};

Labelling highest_of(const ConvexProblem& problem, const Band& band, Control& control) {
  return with_cells(problem, [&](auto cell) {
    return cut<decltype(cell)>(problem, band, Ties::highest, control);
  });
}

}  // namespace

std::int64_t largest_cell(const ConvexProblem& problem) {
  std::vector<std::int64_t> largest_bend;
  for (const ConvexTable& table : problem.tables)
    largest_bend.push_back(
        table.bend.empty() ? 0 : *std::max_element(table.bend.begin(), table.bend.end()));
  std::int64_t largest = 0;
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    const std::size_t t =
        problem.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem.table_of_edge[e]);
    largest = std::max(largest, problem.weight[e] * largest_bend[t]);
  }
  return largest;
}

std::int64_t reference_bytes(const ConvexProblem& problem, const Band& band) {
  return with_cells(problem, [&](auto cell) {
    using Graph = IshikawaGraph<decltype(cell), Value>;
    std::int64_t nodes = 0;
    for (std::size_t i = 0; i < band.low.size(); ++i) nodes += band.high[i] - band.low[i];
    return Graph::bytes(problem, band) +
           nodes * static_cast<std::int64_t>(Pseudoflow<Graph>::bytes_per_node());
  });
}

// Mostly few variables have a choice. A cut of those alone costs nothing for all the others.
Labelling highest_optimum(const ConvexProblem& problem, const Band& band, Control& control) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (band.low[i] < band.high[i]) nodes.push_back(i);
  if (nodes.empty()) return band.low;
  if (!FreePart::is_lean(problem, nodes.size())) return highest_of(problem, band, control);
  const FreePart part(problem, band, nodes, control);
  const Labelling found =
      highest_of(part.problem(), {part.problem().low, part.problem().high}, control);
  Labelling x(band.low.begin(), band.low.end());
  for (std::size_t v = 0; v < nodes.size(); ++v) x[nodes[v]] = found[v];
  return x;
}

MoveSolution ReferenceEngine::solve(ConvexProblem problem, const Labelling& current,
                                    Control& control, const Recall*) {
  const double start = control.seconds();
  require_memory(reference_bytes(problem), options_, "the cut of the whole graph");
  MoveSolution solution;
  solution.labels = with_cells(problem, [&](auto cell) {
    return cut<decltype(cell)>(problem, {problem.low, problem.high}, options_.ties, control);
  });
  statistics_["cut_seconds"] += control.seconds() - start;
  solution.energy = problem.energy(solution.labels);
  solution.start = problem.energy(current);
  // Of two optimal labellings the current one is kept: a move without a gain changes nothing.
  if (options_.ties == Ties::keep && solution.start == solution.energy) solution.labels = current;
  solution.lower_bound = solution.energy;
  solution.proven = true;
  return solution;
}

}  // namespace rangemoves
