#include "rangemoves/optimum/variable_elimination.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace rangemoves {

namespace {

using Problem = LazyMessages<std::int64_t>;
using Scope = std::vector<std::int32_t>;  // variables in ascending order

// A variable as it is taken out, with the neighbours it has then.
struct Step {
  std::int32_t variable;
  Scope scope;
};

// Always the one with the fewest neighbours left. Empty where the tables would be too large.
std::vector<Step> elimination_order(const Problem& problem, std::int64_t most) {
  const auto nodes = static_cast<std::size_t>(problem.nodes());
  std::vector<std::set<std::int32_t>> neighbours(nodes);
  for (const OrderedEdge& e : problem.graph().edges) {
    neighbours[static_cast<std::size_t>(e.earlier)].insert(e.later);
    neighbours[static_cast<std::size_t>(e.later)].insert(e.earlier);
  }
  std::set<std::pair<std::size_t, std::int32_t>> by_degree;
  for (std::size_t i = 0; i < nodes; ++i)
    by_degree.emplace(neighbours[i].size(), static_cast<std::int32_t>(i));
  std::vector<Step> steps;
  std::int64_t entries = 0;
  while (!by_degree.empty()) {
    const std::int32_t v = by_degree.begin()->second;
    by_degree.erase(by_degree.begin());
    const std::set<std::int32_t>& around = neighbours[static_cast<std::size_t>(v)];
    std::int64_t size = problem.labels();
    for (std::size_t k = 0; k < around.size() && size <= most; ++k) size *= problem.labels();
    if ((entries += size) > most) return {};
    for (const std::int32_t a : around) {
      std::set<std::int32_t>& theirs = neighbours[static_cast<std::size_t>(a)];
      by_degree.erase({theirs.size(), a});
      theirs.insert(around.begin(), around.end());
      theirs.erase(a);
      theirs.erase(v);
      by_degree.emplace(theirs.size(), a);
    }
    steps.push_back({v, Scope(around.begin(), around.end())});
  }
  return steps;
}

// What is left of a variable: the least cost for each choice of its scope's labels, the first
// variable of the scope running fastest, and the label that has it.
struct TableOver {
  Scope scope;
  std::vector<std::int64_t> least;
  std::vector<std::int32_t> best;
};

class Elimination {
 public:
  Elimination(const Problem& problem, std::vector<Step> steps)
      : problem_(problem), steps_(std::move(steps)), x_(static_cast<std::size_t>(problem.nodes())) {
    std::vector<std::size_t> turn(x_.size());
    for (std::size_t k = 0; k < steps_.size(); ++k)
      turn[static_cast<std::size_t>(steps_[k].variable)] = k;
    // An edge is counted when the first of its ends is taken out.
    edges_.resize(steps_.size());
    tables_at_.resize(steps_.size());
    for (std::size_t e = 0; e < problem.graph().edges.size(); ++e) {
      const OrderedEdge& edge = problem.graph().edges[e];
      edges_[std::min(turn[static_cast<std::size_t>(edge.earlier)],
                      turn[static_cast<std::size_t>(edge.later)])]
          .push_back(e);
    }
    turn_ = std::move(turn);
  }

  std::optional<ExactOptimum> run(const std::function<void()>& poll) {
    std::int64_t value = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      poll();
      tables_.push_back(table_of(k));
      const TableOver& table = tables_.back();
      if (table.scope.empty()) {
        if (table.least.front() >= unreachable<std::int64_t>) return std::nullopt;
        value += table.least.front();
        continue;
      }
      // Counted when the next one of its variables is taken out.
      std::size_t next = steps_.size();
      for (const std::int32_t v : table.scope)
        next = std::min(next, turn_[static_cast<std::size_t>(v)]);
      tables_at_[next].push_back(k);
    }
    for (std::size_t k = steps_.size(); k-- > 0;) {
      const TableOver& table = tables_[k];
      x_[static_cast<std::size_t>(steps_[k].variable)] =
          table.best[place(table.scope, problem_.labels())];
    }
    return ExactOptimum{std::move(x_), value};
  }

 private:
  const Problem& problem_;
  std::vector<Step> steps_;
  std::vector<std::size_t> turn_;
  std::vector<std::vector<std::size_t>> edges_, tables_at_;  // counted in each step
  std::vector<TableOver> tables_;                            // of each step
  Labelling x_;                                              // the choice that is looked at

  std::size_t place(const Scope& scope, int labels) const {
    std::size_t at = 0;
    for (std::size_t k = scope.size(); k-- > 0;)
      at = at * static_cast<std::size_t>(labels) +
           static_cast<std::size_t>(x_[static_cast<std::size_t>(scope[k])]);
    return at;
  }

  // What the variable of a step costs with the labels in x_.
  std::int64_t cost(std::size_t step) const {
    const std::int32_t v = steps_[step].variable;
    const int label = x_[static_cast<std::size_t>(v)];
    if (!problem_.has(v, label)) return unreachable<std::int64_t>;
    std::int64_t sum = problem_.unary(v)[label];
    for (const std::size_t e : edges_[step]) {
      const OrderedEdge& edge = problem_.graph().edges[e];
      sum += problem_.cost(edge, x_[static_cast<std::size_t>(edge.earlier)],
                           x_[static_cast<std::size_t>(edge.later)]);
    }
    for (const std::size_t k : tables_at_[step]) {
      const std::int64_t least = tables_[k].least[place(tables_[k].scope, problem_.labels())];
      if (least >= unreachable<std::int64_t>) return unreachable<std::int64_t>;
      sum += least;
    }
    return sum;
  }

  TableOver table_of(std::size_t step) {
    const Scope& scope = steps_[step].scope;
    int& mine = x_[static_cast<std::size_t>(steps_[step].variable)];
    TableOver table{scope, {}, {}};
    for (const std::int32_t v : scope) x_[static_cast<std::size_t>(v)] = 0;
    for (bool more = true; more;) {
      std::int64_t least = unreachable<std::int64_t>;
      std::int32_t best = 0;
      for (mine = 0; mine < problem_.labels(); ++mine) {
        const std::int64_t sum = cost(step);
        if (sum >= least) continue;
        least = sum;
        best = mine;
      }
      table.least.push_back(least);
      table.best.push_back(best);
      more = false;
      for (std::size_t k = 0; k < scope.size() && !more; ++k) {
        std::int32_t& label = x_[static_cast<std::size_t>(scope[k])];
        more = ++label < problem_.labels();
        if (!more) label = 0;
      }
    }
    return table;
  }
};

}  // namespace

std::optional<ExactOptimum> eliminate_variables(const Problem& problem, std::int64_t most,
                                                const std::function<void()>& poll) {
  std::vector<Step> steps = elimination_order(problem, most);
  if (steps.empty()) return std::nullopt;
  return Elimination(problem, std::move(steps)).run(poll);
}

}  // namespace rangemoves
