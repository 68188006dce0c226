// Both cut algorithms against augmenting paths on random graphs: flow equals cut, and what they
// leave behind is a flow.
#include "rangemoves/flow/pseudoflow.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/explicit_graph.hpp"
#include "rangemoves/flow/incremental_bfs.hpp"

using namespace rangemoves;

namespace {

struct Network {
  std::vector<std::int64_t> terminal;  // from the source, or to the sink where negative
  std::vector<ExplicitGraph::Arc> arcs;
};

Network random_network(Random& random, int most_nodes, int arcs, std::int32_t largest) {
  Network network;
  const int nodes = oracles::between(random, 1, most_nodes);
  for (int v = 0; v < nodes; ++v)
    network.terminal.push_back(random.below(3) ? oracles::between(random, -largest, largest) : 0);
  for (int k = 0; k < arcs && nodes > 1; ++k) {
    const std::int32_t v = oracles::between(random, 0, nodes - 1),
                       w = oracles::between(random, 0, nodes - 2);
    network.arcs.push_back({v, w + (w >= v), oracles::between(random, 0, largest),
                            random.below(2) ? oracles::between(random, 0, largest) : 0});
  }
  return network;
}

std::int64_t naive_flow(const Network& network) {
  const int n = static_cast<int>(network.terminal.size());
  oracles::NaiveFlow flow(n + 2);
  for (int v = 0; v < n; ++v) {
    const std::int64_t t = network.terminal[static_cast<std::size_t>(v)];
    t > 0 ? flow.add(n, v, t) : flow.add(v, n + 1, -t);
  }
  for (const ExplicitGraph::Arc& arc : network.arcs) {
    flow.add(arc.tail, arc.head, arc.capacity);
    flow.add(arc.head, arc.tail, arc.reverse_capacity);
  }
  return flow.run(n, n + 1);
}

// What is left of the capacities of all arcs out of all nodes, node by node.
std::vector<std::vector<std::int64_t>> residuals(const ExplicitGraph& graph) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(graph.nodes()));
  for (std::int32_t v = 0; v < graph.nodes(); ++v) {
    ExplicitGraph::Cursor cursor{};
    graph.scan(v, cursor, [&](std::int32_t, std::int32_t, const auto& room) {
      all[static_cast<std::size_t>(v)].push_back(room.out());
      return false;
    });
  }
  return all;
}

struct RunAll {
  template <class Algorithm>
  void operator()(Algorithm& algorithm) const {
    algorithm.run();
  }
};

// Returns which nodes are on the source side.
template <class Algorithm, class Run = RunAll>
std::vector<bool> check(const Network& network, std::int64_t expected, std::int64_t seed,
                        const Run& run = {}) {
  ExplicitGraph graph(network.terminal, network.arcs);
  const auto before = residuals(graph);
  Control control;
  Algorithm algorithm(graph, control);
  run(algorithm);
  const auto after = residuals(graph);

  std::int64_t cut = 0, left_on_source_side = 0, from_source = 0;
  for (std::int32_t v = 0; v < graph.nodes(); ++v) {
    const std::size_t at = static_cast<std::size_t>(v);
    const std::int64_t terminal = network.terminal[at], excess = algorithm.excess(v);
    const bool source_side = algorithm.on_source_side(v);
    cut += source_side ? std::max<std::int64_t>(-terminal, 0) : std::max<std::int64_t>(terminal, 0);
    from_source += std::max<std::int64_t>(terminal, 0);
    left_on_source_side += std::max<std::int64_t>(excess, 0);
    expect(source_side ? excess >= 0 : excess <= 0, "excess is left on its own side only", seed);
    std::int64_t out = 0;
    for (std::size_t k = 0; k < after[at].size(); ++k) {
      expect(after[at][k] >= 0, "no capacity is exceeded", seed);
      out += before[at][k] - after[at][k];
    }
    expect(terminal - out == excess, "nothing is lost on the way", seed);
  }
  for (const ExplicitGraph::Arc& arc : network.arcs) {
    if (algorithm.on_source_side(arc.tail) && !algorithm.on_source_side(arc.head))
      cut += arc.capacity;
    if (algorithm.on_source_side(arc.head) && !algorithm.on_source_side(arc.tail))
      cut += arc.reverse_capacity;
  }
  expect(cut == expected, "the cut is minimal", seed);
  expect(from_source - left_on_source_side == expected, "flow equals cut", seed);
  std::vector<bool> sides;
  for (std::int32_t v = 0; v < graph.nodes(); ++v) sides.push_back(algorithm.on_source_side(v));
  return sides;
}

// A region in pieces of random sizes, and one without arcs after it.
void in_pieces(Random& random, const Network& network, std::int64_t expected, std::int64_t seed) {
  Network and_more = network;
  const auto nodes = static_cast<std::int32_t>(network.terminal.size());
  and_more.terminal.push_back(5);
  and_more.terminal.push_back(-3);
  std::vector<FlowRegion> regions{{0, 0}};
  for (std::int32_t v = 0; v < nodes; ++v) {
    if (v > 0 && random.below(4) == 0) regions.push_back({v, v, true});
    regions.back().last = v + 1;
  }
  regions.push_back({nodes, nodes + 2});
  using Algorithm = IncrementalBfs<ExplicitGraph>;
  std::vector<bool> sides;
  for (const int threads : {1, 3}) {
    const auto again = check<Algorithm>(
        and_more, expected, seed, [&](Algorithm& algorithm) { algorithm.run(regions, threads); });
    expect(threads == 1 || again == sides, "the same cut for any number of threads", seed);
    sides = again;
  }
}

void both(Random& random, int most_nodes, int arcs, std::int32_t largest, std::int64_t seed) {
  const Network network = random_network(random, most_nodes, arcs, largest);
  const std::int64_t expected = naive_flow(network);
  check<Pseudoflow<ExplicitGraph>>(network, expected, seed);
  check<IncrementalBfs<ExplicitGraph>>(network, expected, seed);
  in_pieces(random, network, expected, seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 3000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    both(random, 12, oracles::between(random, 0, 40), 8, seed);
  }
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    both(random, 100, 500, 1000, seed);
  }
}
