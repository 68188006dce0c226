#include "rangemoves/optimum/better_labels.hpp"

#include <algorithm>
#include <vector>

namespace rangemoves {

namespace {

using Problem = LazyMessages<std::int64_t>;

// What node i costs with this label, and its edges with the labels that its neighbours have.
// counts(j): whether the edge to neighbour j is counted.
template <class Counts>
std::int64_t cost_at(const Problem& problem, std::int32_t i, int label, const Labelling& x,
                     Counts&& counts) {
  std::int64_t sum = problem.unary(i)[label];
  for (std::int32_t k = 0; k < problem.node(i).before + problem.node(i).after; ++k) {
    const LazyArc& arc = problem.arcs(i)[k];
    if (!counts(arc.other)) continue;
    const OrderedEdge& edge = problem.graph().edges[static_cast<std::size_t>(arc.edge)];
    const int other = x[static_cast<std::size_t>(arc.other)];
    sum += k < problem.node(i).before ? problem.cost(edge, other, label)
                                      : problem.cost(edge, label, other);
  }
  return sum;
}

void take_parts(const Problem& problem, Labelling& x, const Labelling& y) {
  std::vector<std::uint8_t> seen(x.size(), 0);
  const auto differ = [&](std::int32_t i) {
    return x[static_cast<std::size_t>(i)] != y[static_cast<std::size_t>(i)];
  };
  for (std::int32_t start = 0; start < problem.nodes(); ++start) {
    if (seen[static_cast<std::size_t>(start)] || !differ(start)) continue;
    std::vector<std::int32_t> part{start};
    seen[static_cast<std::size_t>(start)] = 1;
    std::int64_t change = 0;
    for (std::size_t n = 0; n < part.size(); ++n) {
      const std::int32_t i = part[n];
      // An edge between two that both change is counted where the other one comes later.
      const auto counts = [&](std::int32_t j) { return !differ(j) || j > i; };
      change += cost_at(problem, i, y[static_cast<std::size_t>(i)], y, counts) -
                cost_at(problem, i, x[static_cast<std::size_t>(i)], x, counts);
      for (std::int32_t k = 0; k < problem.node(i).before + problem.node(i).after; ++k) {
        const std::int32_t j = problem.arcs(i)[k].other;
        if (seen[static_cast<std::size_t>(j)] || !differ(j)) continue;
        seen[static_cast<std::size_t>(j)] = 1;
        part.push_back(j);
      }
    }
    if (change >= 0) continue;
    for (const std::int32_t i : part)
      x[static_cast<std::size_t>(i)] = y[static_cast<std::size_t>(i)];
  }
}

void change_singly(const Problem& problem, Labelling& x) {
  const auto all = [](std::int32_t) { return true; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t i = 0; i < problem.nodes(); ++i) {
      int& mine = x[static_cast<std::size_t>(i)];
      std::int64_t least = cost_at(problem, i, mine, x, all);
      for (int l = 0; l < problem.labels(); ++l) {
        if (l == mine || !problem.has(i, l)) continue;
        const std::int64_t cost = cost_at(problem, i, l, x, all);
        if (cost >= least) continue;
        least = cost;
        mine = l;
        changed = true;
      }
    }
  }
}

}  // namespace

void take_better(const Problem& problem, Labelling& x, const Labelling& y) {
  take_parts(problem, x, y);
  change_singly(problem, x);
}

}  // namespace rangemoves
