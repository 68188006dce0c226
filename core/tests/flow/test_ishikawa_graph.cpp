// The residual graph that messages leave: the same minimum cut as the whole graph, whatever the
// messages; and its flow put back into them.
#include "rangemoves/flow/ishikawa_graph.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/flow/pseudoflow.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 8;

// A tight pair of messages for every edge that is switched on.
template <class Value>
struct EdgeSet {
  const ConvexProblem& problem;
  std::vector<std::vector<Value>> p, q;

  EdgeSet(const ConvexProblem& convex, Random& random, std::int32_t largest) : problem(convex) {
    const std::size_t edges = convex.weight.size(),
                      labels = static_cast<std::size_t>(convex.labels);
    p.assign(edges, std::vector<Value>(labels, 0));
    q = p;
    for (std::vector<Value>& messages : q)
      for (Value& message : messages) message = oracles::between(random, -largest, largest);
    tighten_all();
  }

  EdgeMessages<Value> at(std::size_t e) {
    return {static_cast<std::int64_t>(e), {p[e].data(), 1}, {q[e].data(), 1}};
  }
  void tighten_all() {
    for (std::size_t e = 0; e < p.size(); ++e)
      if (problem.weight[e] > 0)
        tighten(problem.table(static_cast<std::int64_t>(e)), problem.weight[e] * kScale, at(e).p,
                at(e).q);
  }
  void walk(const std::function<void(const EdgeMessages<Value>&)>& visit) {
    for (std::size_t e = 0; e < p.size(); ++e)
      if (problem.weight[e] > 0) visit(at(e));
  }

  bool feasible() const {
    for (std::size_t e = 0; e < p.size(); ++e) {
      if (problem.weight[e] == 0) continue;
      const Table& h = problem.table(static_cast<std::int64_t>(e)).h;
      for (int a = 0; a < problem.labels; ++a)
        for (int b = 0; b < problem.labels; ++b)
          if (problem.weight[e] * kScale * h(a - b) <
              p[e][static_cast<std::size_t>(a)] + q[e][static_cast<std::size_t>(b)])
            return false;
    }
    return true;
  }

  // What the reduced unary terms alone add up to at least, over the labels of a band: with
  // feasible messages a lower bound of the energy there.
  std::int64_t bound(const Band& band) const {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
      std::int64_t least = INT64_MAX;
      for (int l = band.low[i]; l <= band.high[i]; ++l) {
        std::int64_t reduced = problem.unary(i, l) * kScale;
        for (const Incidence* n = problem.graph.begin(i); n != problem.graph.end(i); ++n)
          if (problem.weight[n->edge] > 0)
            reduced +=
                (n->is_tail ? p
                            : q)[static_cast<std::size_t>(n->edge)][static_cast<std::size_t>(l)];
        least = std::min(least, reduced);
      }
      sum += least;
    }
    return sum;
  }
};

Band random_band(Random& random, const ConvexProblem& problem) {
  Band band{problem.low, problem.high};
  for (std::size_t i = 0; i < band.low.size(); ++i) {
    const std::int32_t a = oracles::between(random, 0, problem.labels - 1),
                       b = oracles::between(random, 0, problem.labels - 1);
    band.low[i] = std::min(a, b);
    band.high[i] = std::max(a, b);
  }
  return band;
}

template <class Flow, class Value, template <class> class Algorithm>
void cut(const ConvexProblem& problem, EdgeSet<Value> edges, const Band& band, std::int64_t best,
         std::int64_t seed) {
  using Graph = IshikawaGraph<Flow, Value>;
  Control control;
  const auto walk = [&](const auto& visit) {
    edges.walk([&](const EdgeMessages<Value>& messages) { visit(messages, 0); });
  };
  Graph graph(problem, kScale, band, walk, 1, control);
  Algorithm<Graph> flow(graph, control);
  flow.run();
  const Labelling x = graph.labelling([&](std::int32_t v) { return flow.on_source_side(v); });
  for (std::size_t i = 0; i < x.size(); ++i)
    expect(band.low[i] <= x[i] && x[i] <= band.high[i], "labels lie in the band", seed);
  expect(problem.energy(x) == best, "the cut is the best labelling of the band", seed);

  graph.give_back([&](std::int32_t v) { return flow.excess(v); });
  edges.walk([&](const EdgeMessages<Value>& messages) { graph.add_flow(messages, 0); });
  expect(edges.feasible(), "the flow keeps R >= 0", seed);
  expect(edges.bound(band) <= kScale * best, "the bound is one", seed);
  if (band.low == problem.low && band.high == problem.high)
    expect(edges.bound(band) == kScale * best, "a cut over all labels is its own proof", seed);

  // The messages are as good as any to start again from.
  edges.tighten_all();
  Graph again(problem, kScale, band, walk, 1, control);
  Algorithm<Graph> flow_again(again, control);
  flow_again.run();
  expect(problem.energy(
             again.labelling([&](std::int32_t v) { return flow_again.on_source_side(v); })) == best,
         "the reduced problem is the same problem", seed);
}

void random_problem(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int nodes = oracles::between(random, 1, 5), labels = oracles::between(random, 2, 5);
  const Neighbourhood graph = oracles::random_graph(random, nodes, oracles::between(random, 0, 7));
  const ConvexProblem problem = oracles::random_problem(
      random, graph, labels, {random.below(2) == 0, random.below(2) == 0, false, false});
  const Random same = random;
  const EdgeSet<std::int32_t> narrow(problem, random, seed % 2 ? 0 : 60);
  random = same;
  const EdgeSet<std::int64_t> wide(problem, random, seed % 2 ? 0 : 60);
  const Band all{problem.low, problem.high}, band = random_band(random, problem);
  const std::int64_t best = oracles::brute_force(problem, all.low, all.high),
                     best_in_band = oracles::brute_force(problem, band.low, band.high);
  cut<std::int32_t, std::int32_t, Pseudoflow>(problem, narrow, all, best, seed);
  cut<std::int64_t, std::int64_t, IncrementalBfs>(problem, wide, all, best, seed);
  cut<std::int16_t, std::int64_t, Pseudoflow>(problem, wide, band, best_in_band, seed);
  cut<std::int32_t, std::int32_t, IncrementalBfs>(problem, narrow, band, best_in_band, seed);
  cut<std::int32_t, std::int64_t, IncrementalBfs>(problem, wide, band, best_in_band, seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 1500; ++seed) random_problem(seed);
}
