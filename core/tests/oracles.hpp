// What the tests believe instead of the code under test: enumeration, augmenting paths, and random
// problems small enough for both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/random.hpp"

namespace oracles {

using rangemoves::ConvexProblem;
using rangemoves::ConvexTable;
using rangemoves::CostVolume;
using rangemoves::Labelling;
using rangemoves::Neighbourhood;
using rangemoves::Random;
using rangemoves::Table;

inline std::int32_t between(Random& random, std::int32_t low, std::int32_t high) {
  return low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

// Steps that never fall. `rests`: h(0) = min h = 0, as with every prior that has its least value at
// zero.
inline Table random_convex(Random& random, int labels, bool rests, bool symmetric = false) {
  std::vector<std::int64_t> steps;  // from -(L-1) up
  for (int k = 0; k < 2 * (labels - 1); ++k) steps.push_back(between(random, -6, 6));
  std::sort(steps.begin(), steps.end());
  Table h(std::vector<std::int64_t>(static_cast<std::size_t>(2 * labels - 1), 0));
  h.at(0) = rests ? 0 : between(random, -5, 5);
  for (int d = 1; d < labels; ++d) {
    std::int64_t up = steps[static_cast<std::size_t>(labels - 2 + d)],
                 down = -steps[static_cast<std::size_t>(labels - 1 - d)];
    if (rests || symmetric)
      up = std::max<std::int64_t>(up, 0), down = std::max<std::int64_t>(down, 0);
    h.at(d) = h(d - 1) + up;
    h.at(-d) = symmetric ? h(d) : h(-d + 1) + down;
  }
  return h;
}

// Truncated functions continued straight on, as moves have them.
inline Table linear_beyond(int labels, int threshold, std::int64_t slope) {
  Table h(std::vector<std::int64_t>(static_cast<std::size_t>(2 * labels - 1), 0));
  for (int d = 1; d < labels; ++d) {
    const std::int64_t near = std::min(d, threshold);
    h.at(d) = h.at(-d) = slope * (near * near + (d - near) * (2 * near - 1));
  }
  return h;
}

inline Neighbourhood grid(int height, int width) {
  std::vector<std::int32_t> tail, head;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int32_t i = y * width + x;
      if (x + 1 < width) tail.push_back(i), head.push_back(i + 1);
      if (y + 1 < height) tail.push_back(i), head.push_back(i + width);
    }
  return Neighbourhood(height * width, tail, head, width);
}

// `reach`: how many coordinates of two neighbours may differ.
inline Neighbourhood volume(int depth, int height, int width, int reach) {
  std::vector<std::int32_t> tail, head;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (const auto& [dz, dy, dx] : rangemoves::kStencil26) {
          if (dz + std::abs(dy) + std::abs(dx) > reach || z + dz >= depth || y + dy < 0 ||
              y + dy >= height || x + dx < 0 || x + dx >= width)
            continue;
          tail.push_back((z * height + y) * width + x);
          head.push_back(((z + dz) * height + y + dy) * width + x + dx);
        }
  return Neighbourhood(depth * height * width, tail, head, width);
}

inline Neighbourhood random_graph(Random& random, int nodes, int edges) {
  std::vector<std::int32_t> tail, head;
  for (int e = 0; e < edges && nodes > 1; ++e) {
    const std::int32_t i = between(random, 0, nodes - 1), j = between(random, 0, nodes - 2);
    tail.push_back(i);
    head.push_back(j + (j >= i));
  }
  return Neighbourhood(nodes, tail, head, 0);
}

struct ProblemKind {
  bool several_tables = false;
  bool rests = false;      // see random_convex
  bool intervals = false;  // not all labels allowed, some variables fixed
  bool symmetric = false;
};

inline CostVolume no_costs(const Neighbourhood& graph, int labels) {
  rangemoves::Control control;
  return {graph.nodes(), labels, false, control};
}

inline ConvexProblem random_problem(Random& random, const Neighbourhood& graph, int labels,
                                    ProblemKind kind) {
  ConvexProblem problem{graph, labels, no_costs(graph, labels), {}, {}, {}, {}, {}};
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    for (int l = 0; l < labels; ++l) problem.unary.set(i, l, between(random, -10, 30));
  const int tables = kind.several_tables ? 3 : 1;
  for (int t = 0; t < tables; ++t)
    problem.tables.emplace_back(random_convex(random, labels, kind.rests, kind.symmetric));
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    problem.weight.push_back(std::max(0, between(random, -1, 4)));
    if (kind.several_tables) problem.table_of_edge.push_back(between(random, 0, tables - 1));
  }
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    const std::int32_t a = kind.intervals ? between(random, 0, labels - 1) : 0,
                       b = kind.intervals ? between(random, 0, labels - 1) : labels - 1;
    problem.low.push_back(std::min(a, b));
    problem.high.push_back(std::max(a, b));
  }
  return problem;
}

// Calls visit(x) for every labelling in the intervals.
template <class Visit>
void for_each_labelling(const std::vector<std::int32_t>& low, const std::vector<std::int32_t>& high,
                        Visit&& visit) {
  Labelling x(low);
  while (true) {
    visit(x);
    std::size_t i = 0;
    while (i < x.size() && x[i] == high[i]) x[i] = low[i], ++i;
    if (i == x.size()) return;
    ++x[i];
  }
}

inline std::int64_t brute_force(const ConvexProblem& problem, const std::vector<std::int32_t>& low,
                                const std::vector<std::int32_t>& high) {
  std::int64_t best = INT64_MAX;
  for_each_labelling(low, high,
                     [&](const Labelling& x) { best = std::min(best, problem.energy(x)); });
  return best;
}

// Ford and Fulkerson with breadth-first paths, on a matrix of capacities.
class NaiveFlow {
 public:
  explicit NaiveFlow(int nodes) : n_(nodes), room_(static_cast<std::size_t>(nodes * nodes), 0) {}
  void add(int from, int to, std::int64_t capacity) { at(from, to) += capacity; }

  std::int64_t run(int source, int sink) {
    std::int64_t flow = 0;
    while (true) {
      std::vector<int> from(static_cast<std::size_t>(n_), -1), queue{source};
      from[static_cast<std::size_t>(source)] = source;
      for (std::size_t k = 0; k < queue.size(); ++k)
        for (int v = 0; v < n_; ++v)
          if (from[static_cast<std::size_t>(v)] < 0 && at(queue[k], v) > 0) {
            from[static_cast<std::size_t>(v)] = queue[k];
            queue.push_back(v);
          }
      if (from[static_cast<std::size_t>(sink)] < 0) return flow;
      std::int64_t amount = INT64_MAX;
      for (int v = sink; v != source; v = from[static_cast<std::size_t>(v)])
        amount = std::min(amount, at(from[static_cast<std::size_t>(v)], v));
      for (int v = sink; v != source; v = from[static_cast<std::size_t>(v)]) {
        at(from[static_cast<std::size_t>(v)], v) -= amount;
        at(v, from[static_cast<std::size_t>(v)]) += amount;
      }
      flow += amount;
    }
  }

 private:
  int n_;
  std::vector<std::int64_t> room_;
  std::int64_t& at(int from, int to) { return room_[static_cast<std::size_t>(from * n_ + to)]; }
};

}  // namespace oracles
