// Nodes in rows: every node once, in the order of sweeps, and none before a neighbour that it has
// to wait for, whatever the number of threads.
#include "rangemoves/messages/node_rows.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

// When each node was begun and ended, by a clock that counts.
struct Walk {
  std::vector<std::int64_t> begun, ended;
  std::int64_t sum = 0;
};

Walk walk(const NodeRows& rows, std::int32_t nodes, bool forward) {
  Control control;
  Walk seen{std::vector<std::int64_t>(static_cast<std::size_t>(nodes), -1), {}, 0};
  seen.ended = seen.begun;
  std::atomic<std::int64_t> clock{0};
  std::atomic<bool> twice{false};
  seen.sum = rows.walk(forward, control, [&](std::int32_t first, std::int32_t last, int thread) {
    expect(thread >= 0 && thread < rows.threads(), "threads are numbered");
    for (std::int32_t step = first; step < last; ++step) {
      const std::int32_t i = forward ? step : first + last - 1 - step;
      if (seen.begun[i] >= 0) twice = true;
      seen.begun[i] = clock++;
      seen.ended[i] = clock++;
    }
    return last - first;
  });
  expect(!twice, "no node twice");
  return seen;
}

void in_order(const Neighbourhood& graph, int threads, std::int64_t seed) {
  Control control;
  const NodeRows rows(graph, threads, control);
  expect(rows.threads() >= 1 && rows.threads() <= threads, "no more threads than allowed", seed);
  for (const bool forward : {true, false}) {
    const Walk seen = walk(rows, graph.nodes(), forward);
    expect(seen.sum == graph.nodes(), "the sum of what the pieces return", seed);
    for (std::int32_t i = 0; i < graph.nodes(); ++i) expect(seen.begun[i] >= 0, "every node", seed);
    for (std::int64_t e = 0; e < graph.edges(); ++e) {
      const std::int32_t a = graph.rank(graph.tail(e)), b = graph.rank(graph.head(e));
      const std::int32_t before = forward ? std::min(a, b) : std::max(a, b);
      expect(seen.ended[before] < seen.begun[a + b - before], "neighbours in order", seed);
    }
  }
}

// Edges between nodes at most `reach` apart, many between the same ones.
Neighbourhood local_graph(Random& random, int nodes, int reach) {
  std::vector<std::int32_t> tail, head;
  for (int e = 0; e < 2 * nodes; ++e) {
    const std::int32_t i = oracles::between(random, 0, nodes - 1 - reach);
    const std::int32_t j = i + oracles::between(random, 1, reach);
    const bool turned = random.below(2) == 0;
    tail.push_back(turned ? j : i);
    head.push_back(turned ? i : j);
  }
  return Neighbourhood(nodes, tail, head, 0);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int threads = static_cast<int>(seed % 3) + 1;
    in_order(oracles::grid(oracles::between(random, 2, 60), oracles::between(random, 1, 90)),
             threads, seed);
    in_order(local_graph(random, oracles::between(random, 20, 5000), 6), threads, seed);
    const int nodes = oracles::between(random, 1, 400);
    in_order(oracles::random_graph(random, nodes, 2 * nodes), threads, seed);
    in_order(oracles::random_graph(random, nodes, 0), threads, seed);
    in_order(oracles::volume(4, 9, 11, 3), threads, seed);
  }
  Control control;
  const Neighbourhood large = oracles::grid(300, 200);
  expect(NodeRows(large, 3, control).threads() == 3, "a large grid is work for three threads");
  const Neighbourhood chain = oracles::grid(1, 5000);
  expect(NodeRows(chain, 3, control).threads() == 1, "a chain for one");
}
