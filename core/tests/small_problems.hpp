// Problems of lazy sweeps that are small enough to enumerate: on graphs of all kinds, with several
// tables, with labels left out. What they cost is added up from a list of edges of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "oracles.hpp"
#include "rangemoves/messages/lazy_messages.hpp"
#include "small_energies.hpp"

namespace oracles {

using rangemoves::LazyMessages;
using rangemoves::OrderedEdge;
using rangemoves::OrderedGraph;

constexpr std::int64_t kNothing = INT64_MAX;  // costs more than any labelling

struct SmallEdge {
  std::int32_t tail, head;
  std::int64_t weight;
  std::int32_t table;

  std::int32_t earlier() const { return std::min(tail, head); }
  std::int32_t later() const { return std::max(tail, head); }
};

struct SmallProblem {
  std::int32_t nodes = 0;
  int labels = 1;
  std::vector<SmallEdge> edges;
  std::vector<std::int64_t> unary;    // nodes x labels
  std::vector<std::uint8_t> allowed;  // the same: 0 where a label is left out
  std::vector<ConvexTable> tables;

  std::size_t place(std::int32_t i, int l) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(labels) +
           static_cast<std::size_t>(l);
  }
  bool has(std::int32_t i, int l) const { return allowed[place(i, l)] != 0; }

  std::int64_t cost(const SmallEdge& e, int tail, int head) const {
    return e.weight * tables[static_cast<std::size_t>(e.table)].h(tail - head);
  }
  // By the labels of its earlier and its later end.
  std::int64_t ordered_cost(const SmallEdge& e, int earlier, int later) const {
    return e.tail < e.head ? cost(e, earlier, later) : cost(e, later, earlier);
  }
  std::int64_t value(const Labelling& x) const {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < nodes; ++i) sum += unary[place(i, x[i])];
    for (const SmallEdge& e : edges) sum += cost(e, x[e.tail], x[e.head]);
    return sum;
  }

  OrderedGraph graph() const {
    OrderedGraph ordered{nodes, {}};
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const SmallEdge& e = edges[k];
      ordered.edges.push_back({e.earlier(), e.later(), e.table, e.tail < e.head, e.weight,
                               static_cast<std::int64_t>(k)});
    }
    ordered.sort();
    return ordered;
  }

  // Refers to the tables, which must stay.
  template <class Value>
  std::unique_ptr<LazyMessages<Value>> messages() const {
    auto made = std::make_unique<LazyMessages<Value>>(graph(), tables, labels, 1, nullptr);
    for (std::int32_t i = 0; i < nodes; ++i)
      for (int l = 0; l < labels; ++l)
        made->unary(i)[l] =
            has(i, l) ? static_cast<Value>(unary[place(i, l)]) : rangemoves::unreachable<Value>;
    return made;
  }

  // visit(x, its value) for every labelling that has no label which is left out.
  template <class Visit>
  void for_each_labelling(Visit&& visit) const {
    Labelling x(static_cast<std::size_t>(nodes), 0);
    extend(0, 0, x, visit);
  }

  std::int64_t optimum() const {
    std::int64_t best = kNothing;
    for_each_labelling([&](const Labelling&, std::int64_t value) { best = std::min(best, value); });
    return best;
  }

  // Per node and label: the least value of a labelling that has it there.
  std::vector<std::int64_t> min_marginals() const {
    std::vector<std::int64_t> least(unary.size(), kNothing);
    for_each_labelling([&](const Labelling& x, std::int64_t value) {
      for (std::int32_t i = 0; i < nodes; ++i)
        least[place(i, x[i])] = std::min(least[place(i, x[i])], value);
    });
    return least;
  }

 private:
  template <class Visit>
  void extend(std::int32_t i, std::int64_t sum, Labelling& x, Visit& visit) const {
    if (i == nodes) return visit(static_cast<const Labelling&>(x), sum);
    for (int l = 0; l < labels; ++l) {
      if (!has(i, l)) continue;
      x[i] = l;
      std::int64_t more = unary[place(i, l)];
      for (const SmallEdge& e : edges)
        if (e.later() == i) more += cost(e, x[e.tail], x[e.head]);
      extend(i + 1, sum + more, x, visit);
    }
  }
};

// Who is next to whom: grids, chains, trees, and graphs with a hub and with several edges between
// the same two nodes.
inline std::vector<SmallEdge> random_edges(Random& random, std::int32_t nodes, int kind) {
  std::vector<SmallEdge> edges;
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (random.below(2) == 0) std::swap(a, b);
    edges.push_back({a, b, between(random, 1, 40), 0});
  };
  std::vector<std::int32_t> order;
  for (std::int32_t i = 0; i < nodes; ++i) order.push_back(i);
  if (kind == 2) random.shuffle(order);
  for (std::int32_t i = 1; i < nodes; ++i) {
    if (kind == 0) {
      const std::int32_t width = 3;
      if (i % width != 0) join(i - 1, i);
      if (i >= width) join(i - width, i);
    } else if (kind == 1) {
      join(i - 1, i);
    } else if (kind == 2) {
      join(order[static_cast<std::size_t>(between(random, 0, i - 1))],
           order[static_cast<std::size_t>(i)]);
    }
  }
  if (kind != 3 || nodes < 2) return edges;
  const std::int32_t hub = between(random, 0, nodes - 1);
  for (std::int32_t e = between(random, 1, 2 * nodes); e > 0; --e) {
    const std::int32_t a = random.below(2) == 0 ? hub : between(random, 0, nodes - 1);
    const std::int32_t b = between(random, 0, nodes - 2);
    join(a, b + (b >= a));
  }
  return edges;
}

inline Table random_prior(Random& random, int labels) {
  switch (random.below(4)) {
    case 0:
      return any_table(random, labels);
    case 1:
      return random_convex(random, labels, random.below(2) == 0);
    default:
      return truncated(labels, between(random, 1, 2), between(random, 1, 6));
  }
}

constexpr int kGraphKinds = 4;
constexpr int kChain = 1;

struct SmallSize {
  std::int32_t nodes;
  int labels;
  bool leaves_out = false;  // some labels, never all of a node
};

inline SmallProblem small_problem(Random& random, int kind, const SmallSize& size) {
  SmallProblem problem;
  problem.nodes = size.nodes;
  problem.labels = size.labels;
  problem.edges = random_edges(random, size.nodes, kind);
  const int count = between(random, 1, 3);
  for (int t = 0; t < count; ++t)
    problem.tables.push_back(ConvexTable::of_any(random_prior(random, size.labels)));
  for (SmallEdge& e : problem.edges) e.table = between(random, 0, count - 1);
  for (std::int32_t i = 0; i < size.nodes; ++i) {
    const int kept = between(random, 0, size.labels - 1);
    for (int l = 0; l < size.labels; ++l) {
      problem.unary.push_back(between(random, -50, 250));
      problem.allowed.push_back(!size.leaves_out || l == kept || random.below(3) > 0);
    }
  }
  return problem;
}

// Of any kind, with up to so many nodes and labels.
inline SmallProblem any_small_problem(Random& random, const SmallSize& most) {
  const int kind = between(random, 0, kGraphKinds - 1);
  return small_problem(
      random, kind,
      {between(random, 1, most.nodes), between(random, 1, most.labels), most.leaves_out});
}

// Random messages in both directions: any are feasible.
template <class Value>
void scatter_messages(Random& random, LazyMessages<Value>& problem, std::int32_t most) {
  for (std::size_t e = 0; e < problem.graph().edges.size(); ++e)
    for (const bool to_later : {false, true}) {
      Value* message = problem.message(static_cast<std::int64_t>(e), to_later);
      for (int l = 0; l < problem.labels(); ++l) message[l] = between(random, -most, most);
    }
}

// Full sweeps there and back.
template <class Value>
void sweep_fully(LazyMessages<Value>& problem, int times) {
  for (int k = 0; k < times; ++k) {
    problem.mark_all();
    problem.sweep(true, 0, nullptr, nullptr);
    problem.mark_all();
    problem.sweep(false, 0, nullptr, nullptr);
  }
}

// None, random ones, or those that some sweeps make of either.
template <class Value>
void begin_somewhere(Random& random, LazyMessages<Value>& problem) {
  if (random.below(2) == 0) scatter_messages(random, problem, between(random, 0, 400));
  sweep_fully(problem, between(random, 0, 4));
}

// What messages prove, by definition: each node's unary cost and messages, where the largest
// feasible message to the later end of an edge follows from the one to its earlier end.
class PlainBeliefs {
 public:
  // to_earlier(edge): the message on an edge of the problem's own list.
  template <class ToEarlier>
  PlainBeliefs(const SmallProblem& problem, ToEarlier&& to_earlier) : problem_(problem) {
    for (std::int32_t i = 0; i < problem.nodes; ++i)
      for (int l = 0; l < problem.labels; ++l)
        belief_.push_back(problem.has(i, l) ? problem.unary[problem.place(i, l)] : kNothing);
    for (std::size_t e = 0; e < problem.edges.size(); ++e) {
      const SmallEdge& edge = problem.edges[e];
      const auto* given = to_earlier(e);
      earlier_.emplace_back(given, given + problem.labels);
      later_.emplace_back();
      for (int b = 0; b < problem.labels; ++b) {
        std::int64_t least = kNothing;
        for (int a = 0; a < problem.labels; ++a)
          if (problem.has(edge.earlier(), a))
            least = std::min(least, problem.ordered_cost(edge, a, b) - given[a]);
        later_.back().push_back(least);
      }
      for (int l = 0; l < problem.labels; ++l) {
        add(edge.earlier(), l, earlier_.back()[static_cast<std::size_t>(l)]);
        add(edge.later(), l, later_.back()[static_cast<std::size_t>(l)]);
      }
    }
  }

  // kNothing where the label is left out.
  std::int64_t belief(std::int32_t i, int l) const { return belief_[problem_.place(i, l)]; }
  std::int64_t least(std::int32_t i) const {
    std::int64_t least = kNothing;
    for (int l = 0; l < problem_.labels; ++l) least = std::min(least, belief(i, l));
    return least;
  }
  // kNothing where a node has no label.
  std::int64_t bound() const {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < problem_.nodes; ++i) {
      if (least(i) == kNothing) return kNothing;
      sum += least(i);
    }
    return sum;
  }
  std::int64_t message(std::size_t e, bool to_later, int l) const {
    return (to_later ? later_ : earlier_)[e][static_cast<std::size_t>(l)];
  }
  // What an edge costs above its two messages.
  std::int64_t paid(std::size_t e, const Labelling& x) const {
    const SmallEdge& edge = problem_.edges[e];
    return problem_.cost(edge, x[edge.tail], x[edge.head]) -
           earlier_[e][static_cast<std::size_t>(x[edge.earlier()])] -
           later_[e][static_cast<std::size_t>(x[edge.later()])];
  }

 private:
  const SmallProblem& problem_;
  std::vector<std::int64_t> belief_;
  std::vector<std::vector<std::int64_t>> earlier_, later_;  // messages of every edge

  void add(std::int32_t i, int l, std::int64_t message) {
    if (problem_.has(i, l)) belief_[problem_.place(i, l)] += message;
  }
};

// The place of every edge of the problem's own list among those of the messages.
template <class Value>
std::vector<std::int64_t> places_of(const LazyMessages<Value>& messages) {
  std::vector<std::int64_t> places(messages.graph().edges.size());
  for (std::size_t e = 0; e < places.size(); ++e)
    places[static_cast<std::size_t>(messages.graph().edges[e].origin)] =
        static_cast<std::int64_t>(e);
  return places;
}

template <class Value>
PlainBeliefs plain_beliefs(const SmallProblem& problem, const LazyMessages<Value>& messages) {
  const std::vector<std::int64_t> places = places_of(messages);
  return PlainBeliefs(problem, [&](std::size_t e) { return messages.message(places[e], false); });
}

// An energy in the order of sweeps, times `scale`.
inline SmallProblem ranked(const OwnedEnergy& owned, std::int64_t scale) {
  SmallProblem problem;
  problem.nodes = owned.graph.nodes();
  problem.labels = owned.labels;
  const Energy energy = owned.view();
  for (std::int32_t r = 0; r < problem.nodes; ++r)
    for (int l = 0; l < owned.labels; ++l)
      problem.unary.push_back(energy.theta(owned.graph.at_rank(r), l) * scale);
  problem.allowed.assign(problem.unary.size(), 1);
  for (std::int64_t e = 0; e < owned.graph.edges(); ++e)
    problem.edges.push_back({owned.graph.rank(owned.graph.tail(e)),
                             owned.graph.rank(owned.graph.head(e)), energy.w[e] * scale,
                             static_cast<std::int32_t>(owned.g.kind(e))});
  for (const Table& g : owned.g.kinds()) problem.tables.push_back(ConvexTable::of_any(g));
  return problem;
}

// Some nodes, in order, by themselves: edges to others become unary costs, by their messages. All
// costs times `finer`.
inline SmallProblem cut_out(const SmallProblem& whole, const PlainBeliefs& beliefs,
                            const std::vector<std::int32_t>& nodes, std::int64_t finer) {
  SmallProblem part;
  part.nodes = static_cast<std::int32_t>(nodes.size());
  part.labels = whole.labels;
  part.tables = whole.tables;
  std::vector<std::int32_t> local(static_cast<std::size_t>(whole.nodes), -1);
  for (std::int32_t k = 0; k < part.nodes; ++k) local[nodes[k]] = k;
  for (const std::int32_t i : nodes)
    for (int l = 0; l < whole.labels; ++l) {
      part.unary.push_back(finer * whole.unary[whole.place(i, l)]);
      part.allowed.push_back(whole.has(i, l));
    }
  for (std::size_t e = 0; e < whole.edges.size(); ++e) {
    const SmallEdge& edge = whole.edges[e];
    const std::int32_t tail = local[edge.tail], head = local[edge.head];
    if (tail >= 0 && head >= 0) {
      part.edges.push_back({tail, head, finer * edge.weight, edge.table});
      continue;
    }
    for (const bool to_later : {false, true}) {
      const std::int32_t i = local[to_later ? edge.later() : edge.earlier()];
      for (int l = 0; i >= 0 && l < whole.labels; ++l)
        part.unary[part.place(i, l)] += finer * beliefs.message(e, to_later, l);
    }
  }
  return part;
}

inline Labelling random_labelling(Random& random, const SmallProblem& problem) {
  Labelling x;
  for (std::int32_t i = 0; i < problem.nodes; ++i) {
    int l = between(random, 0, problem.labels - 1);
    while (!problem.has(i, l)) l = (l + 1) % problem.labels;
    x.push_back(l);
  }
  return x;
}

}  // namespace oracles
