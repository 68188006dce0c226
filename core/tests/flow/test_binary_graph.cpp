// The smallest source side of a minimum cut is one and the same, whatever flow was there before:
// one that settled, or one found in parts.
#include "rangemoves/flow/shortest_paths.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/pseudoflow.hpp"
#include "rangemoves/run/parallel.hpp"

using namespace rangemoves;

namespace {

using Graph = BinaryGraph<std::int32_t>;
using Paths = ShortestPaths<std::int32_t>;

// A chain and some arcs across it.
Graph random_graph(Random& random, std::int32_t nodes) {
  Graph graph(nodes, 3 * nodes);
  graph.clear();
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::int32_t v = 1; v < nodes; ++v) {
    edges.emplace_back(v - 1, v);
    if (v > 1 && random.below(2)) edges.emplace_back(oracles::between(random, 0, v - 2), v);
  }
  std::vector<std::int32_t> place(edges.size());
  for (std::int32_t v = 0; v < nodes; ++v) {
    graph.add_node();
    graph.add_excess(v, oracles::between(random, -9, 9));
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].first == v) place[e] = graph.open();
      if (edges[e].second == v)
        graph.close(edges[e].first, place[e], oracles::between(random, 0, 6),
                    oracles::between(random, 0, 6));
    }
  }
  return graph;
}

void flow_in_parts(Graph& graph, int parts, Control& control) {
  in_parallel(parts, control, [&](int part, Watch& watch) {
    const std::int32_t first = graph.nodes() * part / parts,
                       end = graph.nodes() * (part + 1) / parts;
    Paths(graph).settle(first, end, 2, watch);
    Graph::Part own(graph, first, end);
    Pseudoflow<Graph::Part, Watch> flow(own, watch);
    flow.run();
    for (std::int32_t v = first; v < end; ++v) graph.set_excess(v, flow.excess(v - first));
  });
}

std::int64_t total_excess(const Graph& graph) {
  std::int64_t sum = 0;
  for (std::int32_t v = 0; v < graph.nodes(); ++v) sum += graph.excess(v);
  return sum;
}

void check(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Control control;
  const Graph given = random_graph(random, oracles::between(random, 1, 24));
  Graph plain = given;
  Paths from_plain(plain);
  from_plain.run(INT32_MAX, control);
  Graph settled = given;
  Paths from_settled(settled);
  from_settled.settle(0, settled.nodes(), 3, control);
  expect(total_excess(settled) == total_excess(given), "nothing is lost", seed);
  from_settled.run(INT32_MAX, control);
  for (const int parts : {1, 2, 3}) {
    Graph parted = given;
    flow_in_parts(parted, parts, control);
    expect(total_excess(parted) == total_excess(given), "nothing is lost in parts", seed);
    Paths from_parted(parted);
    from_parted.run(INT32_MAX, control);
    for (std::int32_t v = 0; v < given.nodes(); ++v) {
      const bool side = from_plain.on_source_side(v);
      expect(from_settled.on_source_side(v) == side, "settled: same cut", seed);
      expect(from_parted.on_source_side(v) == side, "in parts: same cut", seed);
    }
  }
}

void check_that_errors_come_through() {
  Control control;
  bool came = false;
  try {
    in_parallel(3, control, [](int part, Watch& watch) {
      if (part == 2) throw 7;
      while (true) watch.poll();
    });
  } catch (int number) {
    came = number == 7;
  }
  expect(came, "what a helper throws reaches the caller, and all others end");
}

void check_that_waiting_ends_in_time() {
  Control control({}, 0.05);
  bool stopped = false;
  try {
    in_parallel(2, control, [](int part, Watch& watch) {
      while (part == 1) watch.poll();
    });
  } catch (const Stopped& reason) {
    stopped = reason.reason == StopReason::time_limit;
  }
  expect(stopped, "who is done first still looks at the clock for the others");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 500; ++seed) check(seed);
  check_that_errors_come_through();
  check_that_waiting_ends_in_time();
}
