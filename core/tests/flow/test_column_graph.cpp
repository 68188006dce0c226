// A graph of columns against the same arcs one by one: the same minimum cut, by both algorithms.
#include "rangemoves/flow/column_graph.hpp"

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/explicit_graph.hpp"
#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/flow/pseudoflow.hpp"

using namespace rangemoves;

namespace {

using Graph = ColumnGraph;
constexpr std::int64_t kUnlimited = std::int64_t{1} << 40;

struct Columns {
  std::int32_t levels;
  std::vector<Graph::Edge> edges;
  LargeVector<std::int64_t> excess, up;
  LargeVector<Graph::Cell> cells;
  std::vector<ExplicitGraph::Arc> arcs;
};

Columns random_columns(Random& random) {
  Columns made;
  made.levels = oracles::between(random, 1, 4);
  const std::int32_t columns = oracles::between(random, 1, 5), levels = made.levels;
  for (std::int32_t v = 0; v < columns * levels; ++v) {
    made.excess.push_back(random.below(2) ? oracles::between(random, -9, 9) : 0);
    const bool last = v % levels + 1 == levels;
    made.up.push_back(last ? 0 : oracles::between(random, 0, 6));
    if (!last) made.arcs.push_back({v, v + 1, made.up.back(), kUnlimited});
  }
  for (std::int32_t i = 0; i < columns; ++i)
    for (std::int32_t j = 0; j < columns; ++j) {
      if (i == j || random.below(3)) continue;
      made.edges.push_back({i, j});
      for (std::int32_t s = 0; s < levels; ++s)
        for (std::int32_t t = 0; t < levels; ++t) {
          const std::int64_t there = oracles::between(random, 0, 4),
                             back = oracles::between(random, 0, 4);
          made.cells.push_back({there, back});
          made.arcs.push_back({i * levels + s, j * levels + t, there, back});
        }
    }
  return made;
}

template <class Cut>
std::int64_t value(const Cut& cut, const Columns& of) {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < of.excess.size(); ++v)
    sum += cut.on_source_side(static_cast<std::int32_t>(v))
               ? std::max<std::int64_t>(-of.excess[v], 0)
               : std::max<std::int64_t>(of.excess[v], 0);
  for (const ExplicitGraph::Arc& arc : of.arcs) {
    const bool tail = cut.on_source_side(arc.tail), head = cut.on_source_side(arc.head);
    sum += tail && !head ? arc.capacity : head && !tail ? arc.reverse_capacity : 0;
  }
  return sum;
}

template <template <class> class Algorithm>
std::int64_t cut_of_columns(Columns columns) {
  const Columns before = columns;
  Control control;
  Graph graph(columns.levels, columns.edges, columns.excess, columns.up, columns.cells);
  Algorithm<Graph> cut(graph, control);
  cut.run();
  return value(cut, before);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 3000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Columns columns = random_columns(random);
    Control control;
    ExplicitGraph graph({columns.excess.begin(), columns.excess.end()}, columns.arcs);
    Pseudoflow<ExplicitGraph> cut(graph, control);
    cut.run();
    const std::int64_t expected = value(cut, columns);
    expect(cut_of_columns<Pseudoflow>(columns) == expected, "pseudoflow finds the cut", seed);
    expect(cut_of_columns<IncrementalBfs>(columns) == expected, "so does breadth first", seed);
  }
}
