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
      [&](const auto& visit) { walk_without_messages(problem, polling(visit, control)); }, control);
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

Labelling highest_optimum(const ConvexProblem& problem, const Band& band, Control& control) {
  return with_cells(problem, [&](auto cell) {
    return cut<decltype(cell)>(problem, band, Ties::highest, control);
  });
}

MoveSolution ReferenceEngine::solve(ConvexProblem problem, const Labelling& current,
                                    Control& control) {
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
