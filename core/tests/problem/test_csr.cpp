// Lists by node against a plain list of lists.
#include "rangemoves/problem/csr.hpp"

#include <utility>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/problem/neighbourhood.hpp"

using namespace rangemoves;

namespace {

void random_pairs(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int nodes = oracles::between(random, 1, 9), count = oracles::between(random, 0, 20);
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < count; ++k)  // both ends may be the same node
    pairs.emplace_back(oracles::between(random, 0, nodes - 1),
                       oracles::between(random, 0, nodes - 1));
  std::vector<std::vector<int>> expected(static_cast<std::size_t>(nodes));
  for (int k = 0; k < count; ++k) {
    expected[pairs[k].first].push_back(2 * k);
    expected[pairs[k].second].push_back(2 * k + 1);
  }
  std::vector<std::int32_t> first;
  std::vector<int> entries(static_cast<std::size_t>(2 * count), -1);
  build_csr(
      nodes, count, first, [&](std::int64_t k) { return pairs[static_cast<std::size_t>(k)]; },
      [&](std::int64_t k, std::int32_t there, std::int32_t back) {
        entries[there] = static_cast<int>(2 * k);
        entries[back] = static_cast<int>(2 * k + 1);
      });
  expect(first.size() == expected.size() + 1 && first.back() == 2 * count,
         "a beginning for every node, and the end", seed);
  for (int v = 0; v < nodes; ++v)
    expect(
        std::vector<int>(entries.begin() + first[v], entries.begin() + first[v + 1]) == expected[v],
        "the entries of a node, in the order of the pairs", seed);
}

// The adjacency of a neighbourhood is such a list.
void neighbourhoods(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::random_graph(random, 7, 15);
  std::int64_t ends = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    std::int32_t last = -1;
    for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at, ++ends) {
      const std::int32_t me = at->is_tail ? graph.tail(at->edge) : graph.head(at->edge),
                         other = at->is_tail ? graph.head(at->edge) : graph.tail(at->edge);
      expect(me == i && other == at->other, "an edge as seen from one of its ends", seed);
      expect(at->edge > last, "in the order of the edges", seed);
      last = at->edge;
    }
  }
  expect(ends == 2 * graph.edges(), "each edge is seen from both ends", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 500; ++seed) {
    random_pairs(seed);
    neighbourhoods(seed);
  }
  return 0;
}
