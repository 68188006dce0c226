#include "rangemoves/engine_reference.hpp"

#include <algorithm>

#include "rangemoves/ishikawa.hpp"
#include "rangemoves/maxflow.hpp"

namespace rangemoves {

namespace {

// No messages, made tight once per table: they scale with the weight.
class NoMessages : public MessageSource {
 public:
  explicit NoMessages(const ConvexProblem& problem)
      : problem_(problem), labels_(static_cast<std::size_t>(problem.labels)) {
    for (const ConvexTable& table : problem.tables) {
      p_.emplace_back(labels_, 0);
      q_.emplace_back(labels_, 0);
      if (!table.rests_at_zero) tighten(table, 1, p_.back().data(), q_.back().data());
    }
  }

  void read(std::int64_t edge, std::int64_t* p, std::int64_t* q) override {
    const std::size_t t =
        problem_.table_of_edge.empty() ? 0 : static_cast<std::size_t>(problem_.table_of_edge[edge]);
    const std::int64_t w = problem_.weight[edge];
    for (std::size_t l = 0; l < labels_; ++l) {
      p[l] = w * p_[t][l];
      q[l] = w * q_[t][l];
    }
  }

 private:
  const ConvexProblem& problem_;
  std::size_t labels_;
  std::vector<std::vector<std::int64_t>> p_, q_;
};

template <class Cell>
Labelling cut(const ConvexProblem& problem, const Band& band, const EngineOptions& options,
              Control& control) {
  std::int64_t nodes = 0;
  for (std::size_t i = 0; i < band.low.size(); ++i) nodes += band.high[i] - band.low[i];
  require_memory(
      IshikawaGraph<Cell>::bytes(problem, band) +
          nodes * static_cast<std::int64_t>(Pseudoflow<IshikawaGraph<Cell>>::bytes_per_node()),
      options, "the cut of the whole graph");
  NoMessages messages(problem);
  IshikawaGraph<Cell> graph(problem, 1, band, messages);
  Pseudoflow<IshikawaGraph<Cell>> flow(graph, control);
  flow.run();
  return graph.labelling([&](std::int32_t v) { return flow.on_source_side(v); });
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

MoveSolution ReferenceEngine::solve(const ConvexProblem& problem, const Labelling& current,
                                    Control& control) {
  const double start = control.seconds();
  const Band band{problem.low, problem.high};
  const std::int64_t cell = largest_cell(problem);
  MoveSolution solution;
  solution.labels = cell <= INT16_MAX   ? cut<std::int16_t>(problem, band, options_, control)
                    : cell <= INT32_MAX ? cut<std::int32_t>(problem, band, options_, control)
                                        : cut<std::int64_t>(problem, band, options_, control);
  statistics_["cut_seconds"] += control.seconds() - start;
  solution.energy = problem.energy(solution.labels);
  // Of two optimal labellings the current one is kept: a move that brings nothing changes nothing.
  if (problem.energy(current) == solution.energy) solution.labels = current;
  solution.lower_bound = solution.energy;
  solution.proven = true;
  return solution;
}

}  // namespace rangemoves
