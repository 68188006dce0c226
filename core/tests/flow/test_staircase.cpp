// The residual graph of one edge in closed form, against the function it stands for and against
// the flow of the whole pair.
#include "rangemoves/flow/staircase.hpp"

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

struct Pair {
  ConvexTable table;
  std::int64_t w;
  std::vector<std::int32_t> p, q;

  int labels() const { return table.h.labels(); }
  MessageVector<std::int32_t> to_tail() { return {p.data(), 1}; }
  MessageVector<std::int32_t> to_head() { return {q.data(), 1}; }
  std::int64_t R(int a, int b) const {
    return w * table.h(a - b) - p[static_cast<std::size_t>(a)] - q[static_cast<std::size_t>(b)];
  }
};

Pair random_pair(Random& random) {
  const int labels = oracles::between(random, 1, 7);
  Pair pair{ConvexTable(oracles::random_convex(random, labels, random.below(2) == 0)),
            oracles::between(random, 1, 5),
            {},
            {}};
  for (int l = 0; l < labels; ++l) {
    pair.p.push_back(oracles::between(random, -20, 20));
    pair.q.push_back(oracles::between(random, -20, 20));
  }
  tighten(pair.table, pair.w, pair.to_tail(), pair.to_head());
  return pair;
}

void check_tight(const Pair& pair, std::int64_t seed) {
  for (int a = 0; a < pair.labels(); ++a) {
    bool zero_in_row = false, zero_in_column = false;
    for (int b = 0; b < pair.labels(); ++b) {
      expect(pair.R(a, b) >= 0, "R >= 0", seed);
      zero_in_row = zero_in_row || pair.R(a, b) == 0;
      zero_in_column = zero_in_column || pair.R(b, a) == 0;
    }
    expect(zero_in_row && zero_in_column, "a zero in every row and column", seed);
  }
}

// Feasible messages only rise.
void tightening(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Pair pair = random_pair(random);
  check_tight(pair, seed);
  for (std::int32_t& message : pair.p) message -= oracles::between(random, 0, 9);
  for (std::int32_t& message : pair.q) message -= oracles::between(random, 0, 9);
  const Pair feasible = pair;
  tighten(pair.table, pair.w, pair.to_tail(), pair.to_head());
  check_tight(pair, seed);
  for (std::size_t l = 0; l < pair.p.size(); ++l)
    expect(pair.p[l] >= feasible.p[l] && pair.q[l] >= feasible.q[l], "messages rise", seed);
}

void residuals(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Pair pair = random_pair(random);
  const int labels = pair.labels();
  Staircase<std::int32_t> staircase;
  staircase.build(pair.table, pair.w, pair.to_tail(), pair.to_head(), 1, labels - 1, 0);
  const auto forward = [&](int a, int b) { return staircase.forward(a, b); };
  const auto backward = [&](int a, int b) {
    return staircase.capacity(a, b) - staircase.forward(a, b);
  };
  for (int x = 0; x < labels; ++x)
    for (int y = 0; y < labels; ++y) {
      std::int64_t cut = 0;
      for (int a = 1; a < labels; ++a)
        for (int b = 1; b < labels; ++b) {
          expect(forward(a, b) >= 0 && backward(a, b) >= 0, "capacities are not negative", seed);
          if (x >= a && y < b) cut += forward(a, b);
          if (x < a && y >= b) cut += backward(a, b);
        }
      expect(cut == pair.R(x, y), "the cells cost what R does", seed);
      std::int64_t ahead = 0, back = 0;
      for (int a = 1; a < labels; ++a)
        for (int b = 1; b < labels; ++b) {
          if (a <= x && b > y) ahead += forward(a, b);
          if (a > x && b <= y) back += backward(a, b);
        }
      expect(staircase.forward_past(x, y) == ahead && staircase.backward_past(x, y) == back,
             "sums of cells without looking at them", seed);
    }

  // A part of the rows, from any place to begin, has the same cells.
  for (int first = 1; first < labels; ++first)
    for (int near = 0; near < labels; ++near) {
      Staircase<std::int32_t> part;
      part.build(pair.table, pair.w, pair.to_tail(), pair.to_head(), first, labels - 1, near);
      for (int a = first; a < labels; ++a)
        for (int b = 1; b < labels; ++b)
          expect(part.forward(a, b) == forward(a, b), "a part of the staircase", seed);
    }

  // The flow from one column to the other with random unary terms.
  constexpr std::int64_t infinite = 1 << 20;
  const int source = 2 * (labels - 1), sink = source + 1;
  const auto node = [&](int side, int level) {  // beyond the column's ends are the terminals
    return level == 0 ? source : level == labels ? sink : side * (labels - 1) + level - 1;
  };
  oracles::NaiveFlow flow(sink + 1);
  std::vector<std::int64_t> theta[2];
  std::int64_t constant = 0;
  for (int side = 0; side < 2; ++side) {
    for (int l = 0; l < labels; ++l) theta[side].push_back(oracles::between(random, -15, 15));
    std::vector<std::int64_t> reduced;
    for (std::size_t l = 0; l < theta[side].size(); ++l)
      reduced.push_back(theta[side][l] + (side == 0 ? pair.p : pair.q)[l]);
    const std::int64_t least = *std::min_element(reduced.begin(), reduced.end());
    constant += least;
    for (int l = 0; l < labels; ++l) {
      flow.add(node(side, l), node(side, l + 1), reduced[static_cast<std::size_t>(l)] - least);
      if (l > 0 && l + 1 < labels) flow.add(node(side, l + 1), node(side, l), infinite);
    }
  }
  for (int a = 1; a < labels; ++a)
    for (int b = 1; b < labels; ++b) {
      flow.add(node(0, a), node(1, b), forward(a, b));
      flow.add(node(1, b), node(0, a), backward(a, b));
    }
  std::int64_t best = INT64_MAX;
  for (int x = 0; x < labels; ++x)
    for (int y = 0; y < labels; ++y)
      best =
          std::min(best, theta[0][static_cast<std::size_t>(x)] +
                             theta[1][static_cast<std::size_t>(y)] + pair.w * pair.table.h(x - y));
  expect(constant + flow.run(source, sink) == best, "flow equals the best pair", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 3000; ++seed) {
    tightening(seed);
    residuals(seed);
  }
}
