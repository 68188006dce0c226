// Messages of a range expansion only move cost about: what is left at the variables and in the
// cells is the same energy, for every choice of states.
#include "rangemoves/moves/range_messages.hpp"

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

// What the cells of an edge cost: forward ones where the tail has reached their level and the head
// has not, the others the other way round.
std::int64_t cut(const ColumnGraph::Cell* cells, int states, int s, int t) {
  std::int64_t sum = 0;
  for (int a = 1; a < states; ++a)
    for (int b = 1; b < states; ++b, ++cells)
      sum += s >= a && t < b ? cells->forward : s < a && t >= b ? cells->backward : 0;
  return sum;
}

// Next to `keep` costs as if the neighbouring state were taken, and more the further away.
std::vector<std::int64_t> keeps(Random& random, const Table& g, std::int64_t w, int states,
                                int keep, bool tail, std::int64_t both) {
  std::vector<std::int64_t> made(static_cast<std::size_t>(states), both);
  const int step = keep == 0 ? 1 : -1, next = keep + step;
  std::int64_t more = oracles::between(random, 30, 40);
  for (int k = 1; k < states; ++k) {
    const int s = keep + k * step;
    made[static_cast<std::size_t>(s)] = w * g(tail ? next - s : s - next) + more;
    more += oracles::between(random, 0, 5);
  }
  return made;
}

void check(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Control control;
  const int states = oracles::between(random, 2, 5), variables = oracles::between(random, 1, 4);
  // No label beyond the range: nothing but its differences may be asked for.
  const Table g = oracles::random_convex(random, states - 1, true);
  RangeMessages messages(states, variables * variables);
  for (const int keep : {0, states - 1}) {
    messages.clear(variables, keep);
    for (int i = 0; i < variables; ++i)
      for (int j = 0; j < variables; ++j) {
        if (i == j || random.below(2)) continue;
        const std::int64_t w = oracles::between(random, 0, 4),
                           both = oracles::between(random, 0, 40);
        messages.add_edge({i, j}, w, g, keeps(random, g, w, states, keep, true, both),
                          keeps(random, g, w, states, keep, false, both));
      }
    LargeVector<std::int64_t> before;
    for (int k = 0; k < variables * states; ++k)
      before.push_back(oracles::between(random, -20, 20));
    LargeVector<std::int64_t> after = before;
    LargeVector<ColumnGraph::Cell> cells;
    messages.sweep(after, control);
    messages.fill_cells(cells, control);
    for (const ColumnGraph::Cell& cell : cells)
      expect(cell.forward >= 0 && cell.backward >= 0, "capacities are not negative", seed);
    std::vector<int> state(static_cast<std::size_t>(variables), 0);
    while (true) {
      std::int64_t was = 0, is = 0;
      for (int v = 0; v < variables; ++v) {
        was += before[static_cast<std::size_t>(v * states + state[v])];
        is += after[static_cast<std::size_t>(v * states + state[v])];
      }
      for (std::size_t e = 0; e < messages.edges().size(); ++e) {
        const int s = state[messages.edges()[e].tail], t = state[messages.edges()[e].head];
        was += messages.cost(e, s, t);
        is += cut(cells.data() + e * static_cast<std::size_t>((states - 1) * (states - 1)), states,
                  s, t);
      }
      expect(was == is, "the energy is the same", seed);
      int v = 0;
      while (v < variables && ++state[v] == states) state[v++] = 0;
      if (v == variables) break;
    }
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 2000; ++seed) check(seed);
}
