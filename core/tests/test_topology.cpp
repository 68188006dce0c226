// What a graph is found to be.
#include <algorithm>
#include <array>

#include "check.hpp"
#include "oracles.hpp"

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

}  // namespace

int main() {
  test_raster_grids();
  test_what_is_no_grid();
}
