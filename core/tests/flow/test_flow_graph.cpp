// What max-flow algorithms ask of a graph: every graph of the core has it, and the plainest one
// does what the words say.
#include "rangemoves/flow/flow_graph.hpp"

#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/binary_graph.hpp"
#include "rangemoves/flow/column_graph.hpp"
#include "rangemoves/flow/explicit_graph.hpp"
#include "rangemoves/flow/ishikawa_graph.hpp"

using namespace rangemoves;

namespace {

static_assert(is_flow_graph<ExplicitGraph>);
static_assert(is_flow_graph<BinaryGraph<std::int32_t>>);
static_assert(is_flow_graph<BinaryGraph<std::int64_t>>);
static_assert(is_flow_graph<ColumnGraph>);
static_assert(is_flow_graph<IshikawaGraph<std::int32_t, std::int32_t>>);
static_assert(is_flow_graph<IshikawaGraph<std::int64_t, std::int64_t>>);

struct NoArcsBack {
  using Cursor = int;
  std::int32_t nodes() const { return 0; }
  std::int64_t excess(std::int32_t) const { return 0; }
};
static_assert(!is_flow_graph<NoArcsBack>, "a graph that cannot be scanned is none");
static_assert(!is_flow_graph<int>);

using Capacities = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

// Out along every arc, as scanning shows them.
Capacities scanned(const ExplicitGraph& graph) {
  Capacities out;
  for (std::int32_t v = 0; v < graph.nodes(); ++v) {
    ExplicitGraph::Cursor cursor{};
    const bool stopped = graph.scan(v, cursor, [&](std::int32_t head, std::int32_t arc, auto room) {
      expect(room.out() == graph.out(v, head, arc) && room.in() == graph.in(v, head, arc),
             "room is what the arc has");
      const std::int32_t back = graph.reverse(v, arc);
      expect(graph.reverse(head, back) == arc, "the arc back leads here again");
      expect(graph.out(head, v, back) == room.in(), "and has the room back");
      out[{v, head}] += room.out();
      return false;
    });
    expect(!stopped, "a scan that nobody stops goes to the end");
  }
  return out;
}

void random_graph(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int nodes = oracles::between(random, 2, 7), count = oracles::between(random, 1, 12);
  std::vector<std::int64_t> terminal;
  for (int v = 0; v < nodes; ++v) terminal.push_back(oracles::between(random, -9, 9));
  std::vector<ExplicitGraph::Arc> arcs;
  Capacities expected;
  for (int k = 0; k < count; ++k) {
    const std::int32_t a = oracles::between(random, 0, nodes - 1),
                       b = (a + oracles::between(random, 1, nodes - 1)) % nodes;
    arcs.push_back({a, b, oracles::between(random, 0, 9), oracles::between(random, 0, 9)});
    expected[{a, b}] += arcs.back().capacity;
    expected[{b, a}] += arcs.back().reverse_capacity;
  }
  ExplicitGraph graph(terminal, arcs);
  expect(graph.nodes() == nodes, "all nodes", seed);
  for (int v = 0; v < nodes; ++v)
    expect(graph.excess(v) == terminal[v], "what the source gives less what the sink takes", seed);
  expect(scanned(graph) == expected, "all arcs with their capacities", seed);

  // Push along the last arc that has room, from a cursor that stays where the visit stopped.
  for (std::int32_t v = 0; v < nodes; ++v) {
    ExplicitGraph::Cursor cursor{};
    std::int32_t head = -1, arc = -1;
    const bool stopped = graph.scan(v, cursor, [&](std::int32_t h, std::int32_t a, auto room) {
      head = h;
      arc = a;
      return room.out() > 0;
    });
    if (!stopped) continue;
    std::int32_t again = -1;
    graph.scan(v, cursor, [&](std::int32_t, std::int32_t a, auto) {
      again = a;
      return true;
    });
    expect(again == arc, "the cursor stays on the arc that ended the scan", seed);
    const std::int64_t amount = graph.out(v, head, arc);
    graph.push(v, head, arc, amount);
    expected[{v, head}] -= amount;
    expected[{head, v}] += amount;
    expect(graph.out(v, head, arc) == 0, "a full push saturates", seed);
  }
  expect(scanned(graph) == expected, "a push changes both directions", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 500; ++seed) random_graph(seed);
  return 0;
}
