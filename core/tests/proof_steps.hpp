// What a certificate proves, by definition and enumeration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.hpp"
#include "rangemoves/optimum/certificate.hpp"
#include "small_problems.hpp"

namespace oracles {

using rangemoves::Certificate;
using rangemoves::IslandProof;
using rangemoves::ProofStep;

// Goes through a tree of steps, root first. The messages of a step are those of the problem's edges
// in the order of sweeps.
class StepChecker {
 public:
  StepChecker(SmallProblem problem, const std::vector<ProofStep>& steps)
      : problem_(std::move(problem)), steps_(steps) {
    for (const OrderedEdge& e : problem_.graph().edges)
      order_.push_back(static_cast<std::size_t>(e.origin));
  }

  bool is_at_end() const { return next_ == steps_.size(); }

  // The bound that the steps from the next one on prove: kNothing where no labelling is left,
  // -kNothing where a step is not what it should be.
  std::int64_t bound() {
    if (is_at_end()) return -kNothing;
    const ProofStep& step = steps_[next_++];
    switch (step.kind) {
      case ProofStep::Kind::leaf:
        return leaf(step);
      case ProofStep::Kind::eliminate:
        return after_elimination(step);
      case ProofStep::Kind::tables:
        return with_tables(step);
      default:
        return after_split(step);
    }
  }

 private:
  SmallProblem problem_;
  const std::vector<ProofStep>& steps_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;

  bool has_messages(const ProofStep& step) const {
    return step.messages.size() == order_.size() * static_cast<std::size_t>(problem_.labels);
  }

  std::int64_t leaf(const ProofStep& step) const {
    if (!has_messages(step)) return -kNothing;
    for (std::int32_t i = 0; i < problem_.nodes; ++i)
      if (count(i) == 0) return kNothing;
    std::vector<const std::int64_t*> of_edge(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      of_edge[order_[k]] = step.messages.data() + k * static_cast<std::size_t>(problem_.labels);
    return PlainBeliefs(problem_, [&](std::size_t e) { return of_edge[e]; }).bound();
  }

  // Tables prove no more than what is true. What they are is another matter.
  std::int64_t with_tables(const ProofStep& step) const {
    const std::int64_t bound = leaf(step);
    if (std::abs(bound) == kNothing || problem_.optimum() < bound + step.above) return -kNothing;
    return bound + step.above;
  }

  int count(std::int32_t i) const {
    int count = 0;
    for (int l = 0; l < problem_.labels; ++l) count += problem_.has(i, l);
    return count;
  }

  // What labellings with a label that is taken out cost at least, by the forward pass: an edge has
  // the message of the step until its earlier node is visited, and from then on the largest one
  // that is feasible beside what was sent.
  std::int64_t least_in_pass(const ProofStep& step) const {
    const auto labels = static_cast<std::size_t>(problem_.labels);
    std::vector<std::vector<std::int64_t>> to_earlier(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      to_earlier[order_[k]].assign(step.messages.data() + k * labels,
                                   step.messages.data() + (k + 1) * labels);
    std::int64_t least = kNothing;
    for (std::int32_t i = 0; i < problem_.nodes; ++i) {
      const PlainBeliefs now(problem_, [&](std::size_t e) { return to_earlier[e].data(); });
      for (const auto& [node, l] : step.eliminated)
        if (node == i) least = std::min(least, now.bound() - now.least(i) + now.belief(i, l));
      for (std::size_t k = 0; k < order_.size(); ++k) {
        const SmallEdge& edge = problem_.edges[order_[k]];
        for (int a = 0; edge.earlier() == i && a < problem_.labels; ++a) {
          std::int64_t feasible = kNothing;
          for (int b = 0; b < problem_.labels; ++b)
            if (problem_.has(edge.later(), b))
              feasible =
                  std::min(feasible, problem_.ordered_cost(edge, a, b) -
                                         step.sent[k * labels + static_cast<std::size_t>(b)]);
          to_earlier[order_[k]][static_cast<std::size_t>(a)] = feasible;
        }
      }
    }
    return least;
  }

  // No labelling with a label that is taken out costs less than its min-marginal.
  std::int64_t after_elimination(const ProofStep& step) {
    if (!has_messages(step) || step.sent.size() != step.messages.size()) return -kNothing;
    const std::vector<std::int64_t> marginals = problem_.min_marginals();
    std::int64_t true_least = kNothing;
    for (const auto& [i, l] : step.eliminated) {
      if (!problem_.has(i, l)) return -kNothing;
      true_least = std::min(true_least, marginals[problem_.place(i, l)]);
    }
    const std::int64_t least = least_in_pass(step);
    expect(least <= true_least, "a pass proves nothing false");
    for (const auto& [i, l] : step.eliminated) problem_.allowed[problem_.place(i, l)] = 0;
    return std::min(least, bound());
  }

  std::int64_t after_split(const ProofStep& step) {
    const std::vector<std::uint8_t> allowed = problem_.allowed;
    std::int64_t least = kNothing;
    for (const bool above : {false, true}) {
      problem_.allowed = allowed;
      for (int l = 0; l < problem_.labels; ++l)
        if ((l > step.label) != above) problem_.allowed[problem_.place(step.variable, l)] = 0;
      if (count(step.variable) == 0) return -kNothing;  // splits nothing
      least = std::min(least, bound());
    }
    return least;
  }
};

// A bound of scale * energy.
struct ProvenBound {
  std::int64_t bound, scale;

  // The least integer that an energy can be.
  std::int64_t rounded_up() const { return bound / scale + (bound % scale > 0); }
};

// What an island adds: its variables in the order of sweeps, exactly the edges between them, steps
// root first.
inline std::int64_t island_bound(const OwnedEnergy& owned, const SmallProblem& whole,
                                 const PlainBeliefs& beliefs, const IslandProof& island,
                                 std::int64_t finer, std::vector<std::uint8_t>& inside) {
  std::vector<std::int32_t> nodes;
  std::vector<std::uint8_t> here(inside.size(), 0);
  for (const std::int32_t variable : island.variables) {
    nodes.push_back(owned.graph.rank(variable));
    expect(inside[nodes.back()] == 0, "islands do not overlap");
    inside[nodes.back()] = here[nodes.back()] = 1;
  }
  expect(std::is_sorted(nodes.begin(), nodes.end()), "an island's variables in order");
  const SmallProblem part = cut_out(whole, beliefs, nodes, finer);
  std::vector<std::int64_t> listed;
  for (std::int64_t e = 0; e < owned.graph.edges(); ++e)
    if (here[owned.graph.rank(owned.graph.tail(e))] && here[owned.graph.rank(owned.graph.head(e))])
      listed.push_back(e);
  std::vector<std::int64_t> in_order;
  for (const OrderedEdge& e : part.graph().edges)
    in_order.push_back(listed[static_cast<std::size_t>(e.origin)]);
  expect(island.edges == in_order, "an island's edges in the order of messages");
  StepChecker checker(part, island.steps);
  const std::int64_t bound = checker.bound();
  expect(checker.is_at_end(), "steps root first, none left over");
  return bound;
}

inline ProvenBound proven_bound(const OwnedEnergy& owned, const Certificate& certificate) {
  const auto labels = static_cast<std::size_t>(owned.labels);
  const SmallProblem whole = ranked(owned, certificate.scale);
  std::vector<const std::int64_t*> messages(whole.edges.size(), nullptr);
  for (std::size_t k = 0; k < certificate.edges.size(); ++k)
    messages[static_cast<std::size_t>(certificate.edges[k])] =
        certificate.messages.data() + k * labels;
  for (std::int32_t i = 0; i < whole.nodes; ++i)
    expect(certificate.rank[i] == owned.graph.rank(i), "the order of sweeps");
  const std::vector<std::int64_t> none(labels, 0);
  const PlainBeliefs beliefs(
      whole, [&](std::size_t e) { return messages[e] ? messages[e] : none.data(); });
  const std::int64_t scale =
      certificate.islands.empty() ? certificate.scale : certificate.islands.front().scale;
  const std::int64_t finer = scale / certificate.scale;
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(whole.nodes), 0);
  std::int64_t bound = 0;
  for (const IslandProof& island : certificate.islands) {
    expect(island.scale == scale && finer * certificate.scale == scale, "one scale for islands");
    bound += island_bound(owned, whole, beliefs, island, finer, inside);
  }
  for (std::int32_t i = 0; i < whole.nodes; ++i)
    if (!inside[i]) bound += finer * beliefs.least(i);
  return {bound, scale};
}

}  // namespace oracles
