// What a graph is found to be.
#include <algorithm>
#include <array>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/problem/shuffled_grid.hpp"
#include "rangemoves/problem/topology.hpp"

using namespace rangemoves;
using Kind = Topology::Kind;

namespace {

struct Edges {
  std::int32_t nodes;
  std::vector<std::pair<std::int32_t, std::int32_t>> list;

  Neighbourhood graph(std::int32_t row = 0) const {
    std::vector<std::int32_t> tail, head;
    for (const auto& [i, j] : list) {
      tail.push_back(i);
      head.push_back(j);
    }
    return Neighbourhood(nodes, tail, head, row);
  }
};

// All edges of a grid; diagonals join what differs by at most one along every axis.
Edges grid(int depth, int height, int width, bool diagonals) {
  Edges edges{depth * height * width, {}};
  for (int i = 0; i < edges.nodes; ++i)
    for (int dz = 0; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          if ((dz * 3 + dy) * 3 + dx <= 0) continue;
          if (!diagonals && dz + std::abs(dy) + std::abs(dx) > 1) continue;
          const int z = i / width / height + dz, y = i / width % height + dy, x = i % width + dx;
          if (z >= depth || y < 0 || y >= height || x < 0 || x >= width) continue;
          edges.list.push_back({i, (z * height + y) * width + x});
        }
  return edges;
}

// The edges in another order, some of them the other way round.
Edges shuffled(Random& random, Edges edges) {
  for (std::size_t k = edges.list.size(); k > 1; --k)
    std::swap(edges.list[k - 1], edges.list[random.below(k)]);
  for (auto& [i, j] : edges.list)
    if (random.below(2)) std::swap(i, j);
  return edges;
}

// Without some of its edges.
Edges thinned(Random& random, Edges edges) {
  Edges fewer{edges.nodes, {}};
  for (const auto& edge : edges.list)
    if (random.below(8)) fewer.list.push_back(edge);
  return fewer;
}

void expect_grid(const Neighbourhood& graph, Kind kind, int depth, int height, int width) {
  const Topology& t = graph.topology();
  expect(t.kind == kind, "a grid is recognised");
  expect(t.depth == depth && t.height == height && t.width == width, "a grid has its sides",
         t.width);
  expect(graph.keeps_order(), "raster order stays");
}

void test_raster_grids() {
  Random random(1);
  for (const bool with_row : {true, false})
    for (const auto& [height, width] :
         {std::pair{2, 2}, {2, 7}, {7, 2}, {3, 3}, {12, 9}, {9, 12}, {25, 40}, {40, 25}}) {
      const std::int32_t row = with_row ? width : 0;
      expect_grid(grid(1, height, width, false).graph(row), Kind::grid4, 1, height, width);
      expect_grid(shuffled(random, grid(1, height, width, false)).graph(row), Kind::grid4, 1,
                  height, width);
      expect_grid(shuffled(random, grid(1, height, width, true)).graph(row), Kind::grid8, 1, height,
                  width);
      if (height * width < 50) continue;
      expect_grid(thinned(random, grid(1, height, width, false)).graph(row), Kind::grid4, 1, height,
                  width);
      expect_grid(thinned(random, grid(1, height, width, true)).graph(row), Kind::grid8, 1, height,
                  width);
    }
  for (const bool with_row : {true, false})
    for (const auto& side : {std::array{2, 2, 2}, {2, 3, 4}, {4, 3, 2}, {5, 5, 5}, {3, 10, 6}}) {
      const std::int32_t row = with_row ? side[2] : 0;
      expect_grid(shuffled(random, grid(side[0], side[1], side[2], false)).graph(row), Kind::grid6,
                  side[0], side[1], side[2]);
      expect_grid(shuffled(random, grid(side[0], side[1], side[2], true)).graph(row), Kind::grid26,
                  side[0], side[1], side[2]);
    }
}

void test_what_is_no_grid() {
  // Two edges between the same nodes would share a place.
  Edges doubled = grid(1, 6, 5, false);
  doubled.list.push_back(doubled.list.front());
  expect(doubled.graph().topology().kind == Kind::general, "a doubled edge");
  Edges mirrored = grid(1, 6, 5, false);
  mirrored.list.push_back({mirrored.list[7].second, mirrored.list[7].first});
  expect(mirrored.graph(5).topology().kind == Kind::general, "an edge there and back");
  // Rows that go on in the next one: a spiral, not a grid.
  Edges spiral{30, {}};
  for (int i = 0; i < 30; ++i) {
    if (i + 1 < 30) spiral.list.push_back({i, i + 1});
    if (i + 5 < 30) spiral.list.push_back({i, i + 5});
  }
  expect(spiral.graph(5).topology().kind == Kind::general, "a spiral");
  Edges complete{9, {}};
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < i; ++j) complete.list.push_back({i, j});
  expect(complete.graph().topology().kind == Kind::general, "a complete graph");
}

// Its nodes numbered at random.
Edges renumbered(Random& random, Edges edges) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(edges.nodes));
  for (std::int32_t i = 0; i < edges.nodes; ++i) name[i] = i;
  for (std::size_t k = name.size(); k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  for (auto& [i, j] : edges.list) {
    i = name[i];
    j = name[j];
  }
  return shuffled(random, edges);
}

void expect_order(const Neighbourhood& graph) {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
  for (std::int32_t r = 0; r < graph.nodes(); ++r) {
    const std::int32_t i = graph.at_rank(r);
    expect(!seen[i] && graph.rank(i) == r, "everybody has one rank");
    seen[i] = 1;
  }
}

void test_shuffled_grids() {
  Random random(2);
  for (const auto& [height, width] :
       {std::pair{2, 2}, {2, 3}, {2, 9}, {3, 3}, {3, 4}, {7, 7}, {12, 9}, {30, 41}})
    for (int k = 0; k < 20; ++k) {
      const Neighbourhood graph = renumbered(random, grid(1, height, width, false)).graph();
      const Topology& t = graph.topology();
      expect(t.kind == Kind::grid4, "a shuffled grid is recognised", k);
      // Small ones may happen to lie in raster order one way or the other.
      expect(std::min(t.height, t.width) == std::min(height, width) &&
                 t.height * t.width == height * width,
             "a shuffled grid has its sides", k);
      expect_order(graph);
      for (std::int64_t e = 0; e < graph.edges(); ++e) {
        const std::int32_t a = graph.rank(graph.tail(e)), b = graph.rank(graph.head(e));
        const std::int32_t step = std::abs(a - b);
        expect(step == t.width || (step == 1 && a / t.width == b / t.width),
               "ranks are places on the grid", k);
      }
    }
  // As many nodes, edges and corners as a grid has, but none: two edges cross over.
  Edges crossed = grid(1, 6, 6, false);
  std::vector<std::size_t> inner;
  for (std::size_t e = 0; e < crossed.list.size(); ++e)
    if (crossed.list[e] == std::pair{14, 15} || crossed.list[e] == std::pair{20, 21})
      inner.push_back(e);
  std::swap(crossed.list[inner[0]].second, crossed.list[inner[1]].second);
  expect(renumbered(random, crossed).graph().topology().kind == Kind::general, "crossed edges");
  // A torus has no corner.
  Edges torus{36, {}};
  for (int i = 0; i < 36; ++i) {
    torus.list.push_back({i, i / 6 * 6 + (i + 1) % 6});
    torus.list.push_back({i, (i + 6) % 36});
  }
  expect(torus.graph().topology().kind == Kind::general, "a torus");
  expect_order(torus.graph());
}

// Every edge joins places that differ by one along one axis, or with diagonals along any.
void expect_places(const Neighbourhood& graph, std::int64_t seed) {
  const Topology& t = graph.topology();
  const bool diagonals = t.kind == Kind::grid8 || t.kind == Kind::grid26;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    const std::int32_t a = graph.rank(graph.tail(e)), b = graph.rank(graph.head(e));
    const int dx = std::abs(a % t.width - b % t.width),
              dy = std::abs(a / t.width % t.height - b / t.width % t.height),
              dz = std::abs(a / t.width / t.height - b / t.width / t.height);
    expect(std::max({dx, dy, dz}) == 1 && (diagonals || dx + dy + dz == 1),
           "ranks are places on the grid", seed);
  }
}

void test_shuffled_grids_of_other_kinds() {
  Random random(5);
  const auto check = [&](std::array<int, 3> side, bool diagonals, int k) {
    const Neighbourhood graph =
        renumbered(random, grid(side[0], side[1], side[2], diagonals)).graph();
    const Topology& t = graph.topology();
    const Kind kind = side[0] == 1 ? (diagonals ? Kind::grid8 : Kind::grid4)
                                   : (diagonals ? Kind::grid26 : Kind::grid6);
    expect(t.kind == kind, "a shuffled grid is recognised", k);
    std::array<int, 3> found{t.depth, t.height, t.width};
    std::sort(found.begin(), found.end());
    std::sort(side.begin(), side.end());
    expect(found == side, "a shuffled grid has its sides", k);
    expect_order(graph);
    expect_places(graph, k);
  };
  for (int k = 0; k < 10; ++k) {
    for (const auto& side : {std::array{1, 3, 3}, {1, 3, 4}, {1, 4, 3}, {1, 9, 12}, {1, 3, 40}})
      check(side, true, k);
    for (const auto& side : {std::array{2, 2, 2},
                             {2, 2, 3},
                             {2, 3, 4},
                             {3, 3, 3},
                             {5, 6, 7},
                             {3, 4, 6},
                             {4, 3, 6},
                             {2, 2, 9},
                             {7, 7, 3}})
      check(side, false, k);
    for (const auto& side : {std::array{3, 3, 3}, {3, 4, 5}, {3, 4, 6}, {6, 5, 4}, {3, 3, 9}})
      check(side, true, k);
  }
}

// Grids with something wrong: an edge missing, one more, or two that have exchanged an end. They
// may be found to be grids that lack an edge, but never grids in which an edge has no place.
void test_damaged_grids() {
  Random random(6);
  for (int k = 0; k < 400; ++k) {
    const int depth = k % 2 ? 3 : 1;
    Edges edges = grid(depth, 4, 5, k % 4 < 2);
    const std::size_t a = random.below(edges.list.size()), b = random.below(edges.list.size());
    if (k % 3 == 0) {
      edges.list.erase(edges.list.begin() + static_cast<std::ptrdiff_t>(a));
    } else if (k % 3 == 1) {
      const auto i = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(edges.nodes)));
      edges.list.push_back({i, (i + 7) % edges.nodes});
    } else {
      std::swap(edges.list[a].second, edges.list[b].second);
      if (edges.list[a].first == edges.list[a].second) continue;
      if (edges.list[b].first == edges.list[b].second) continue;
    }
    const Neighbourhood graph = renumbered(random, edges).graph();
    expect_order(graph);
    if (!graph.topology().is_grid()) continue;
    expect_places(graph, k);
    expect(k % 3 != 1, "an edge too many has no place", k);
  }
  // A grid in raster order stays as it is, with rows along its shorter side too.
  expect(grid(1, 9, 5, true).graph().keeps_order(), "eight neighbours in raster order");
  expect(grid(6, 5, 4, false).graph().keeps_order(), "a volume in raster order");
  expect(!shuffled_grid(grid(1, 9, 5, true).graph(), Kind::grid8, nullptr), "none instead of it");
}

Edges random_tree(Random& random, int nodes, int most_behind) {
  Edges edges{nodes, {}};
  for (int i = 1; i < nodes; ++i)
    edges.list.push_back({oracles::between(random, std::max(0, i - most_behind), i - 1), i});
  return edges;
}

void test_trees() {
  Random random(3);
  const auto expect_forest = [&](const Neighbourhood& graph, Kind kind) {
    expect(graph.topology().kind == kind, "a forest is recognised", graph.nodes());
    expect_order(graph);
    for (std::int32_t i = 0; i < graph.nodes(); ++i) {
      int before = 0;
      for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n)
        before += graph.rank(n->other) < graph.rank(i);
      expect(before <= 1, "at most one comes before", i);
    }
  };
  for (const int nodes : {1, 2, 3, 10, 100, 1000}) {
    expect_forest(random_tree(random, nodes, 1).graph(), Kind::chain);
    expect(random_tree(random, nodes, 1).graph().keeps_order(), "a chain in order stays");
    expect_forest(renumbered(random, random_tree(random, nodes, 1)).graph(), Kind::chain);
    expect_forest(thinned(random, renumbered(random, random_tree(random, nodes, 1))).graph(),
                  Kind::chain);
    if (nodes < 10) continue;
    expect_forest(renumbered(random, random_tree(random, nodes, 4)).graph(), Kind::tree);
    expect_forest(thinned(random, renumbered(random, random_tree(random, nodes, 9))).graph(),
                  Kind::tree);
  }
  expect_forest(Edges{0, {}}.graph(), Kind::chain);
  expect_forest(Edges{5, {}}.graph(), Kind::chain);
  // A row, a column, rows without columns.
  expect_forest(grid(1, 1, 9, false).graph(9), Kind::chain);
  expect_forest(grid(1, 9, 1, false).graph(1), Kind::chain);
  Edges rows{12, {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {9, 10}}};
  expect_forest(rows.graph(4), Kind::chain);
  expect(rows.graph(4).keeps_order() && rows.graph(4).topology().width == 4, "rows stay rows");
  Edges star{70001, {}};
  for (int i = 1; i <= 70000; ++i) star.list.push_back({i, 35000 == i ? 0 : 35000});
  expect_forest(star.graph(), Kind::tree);
  // One edge more, or one of them twice.
  for (const int nodes : {3, 4, 5, 12}) {
    Edges ring = random_tree(random, nodes, 1);
    ring.list.push_back({nodes - 1, 0});
    const Kind kind = ring.graph().topology().kind;
    expect(kind == (nodes == 4 ? Kind::grid4 : Kind::general), "a ring", nodes);
    Edges twice = random_tree(random, nodes, 1);
    twice.list.push_back(twice.list[1]);
    expect(twice.graph().topology().kind == Kind::general, "an edge twice", nodes);
  }
}

std::vector<std::int32_t> ranks_of(const NodeOrder& order) {
  std::vector<std::int32_t> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<std::int32_t>(r);
  return rank;
}

double distance(const Neighbourhood& graph, const std::vector<std::int32_t>& rank) {
  double sum = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    sum += std::abs(rank[graph.tail(e)] - rank[graph.head(e)]);
  return sum;
}

double distance_as_given(const Neighbourhood& graph) {
  double sum = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e) sum += std::abs(graph.tail(e) - graph.head(e));
  return sum;
}

void test_orders_of_other_graphs() {
  Random random(4);
  // Neighbours are brought together, however the nodes are numbered.
  Edges strip = grid(1, 200, 6, true);
  strip.list.push_back(strip.list.front());
  const Neighbourhood given = strip.graph(), mixed = renumbered(random, strip).graph();
  expect(given.topology().kind == Kind::general, "a doubled edge is no grid's");
  expect(given.keeps_order(), "a good order stays");
  expect(given.topology().width >= 6, "rows are seen where there are some");
  expect_order(mixed);
  expect(!mixed.keeps_order(), "a bad order goes");
  const NodeOrder close = neighbours_close(mixed, nullptr);
  const std::vector<std::int32_t> rank = ranks_of(close);
  expect(distance(mixed, rank) < 2 * distance_as_given(given), "neighbours are close");
  // No two neighbours change places when those that need not wait are put side by side.
  for (std::int64_t e = 0; e < mixed.edges(); ++e)
    expect(mixed.tail_first(e) == (rank[mixed.tail(e)] < rank[mixed.head(e)]),
           "neighbours keep their order");
  // Several components, some of them single nodes.
  Edges parts{50, {}};
  for (int i = 0; i < 40; i += 4)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) parts.list.push_back({i + a, i + b});
  const Neighbourhood apart = renumbered(random, parts).graph();
  expect_order(apart);
  expect(distance(apart, ranks_of(neighbours_close(apart, nullptr))) ==
             distance_as_given(parts.graph()),
         "parts lie one after the other");
  // What the caller says about rows holds.
  expect(renumbered(random, strip).graph(6).keeps_order(), "known rows stay");
}

}  // namespace

int main() {
  test_raster_grids();
  test_what_is_no_grid();
  test_shuffled_grids();
  test_shuffled_grids_of_other_kinds();
  test_damaged_grids();
  test_trees();
  test_orders_of_other_graphs();
}
