// The surrogates on functions small enough to work out by hand, and their conditions on random
// ones.
#include "rangemoves/surrogate/convexify.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

bool agrees(const Table& h, const Table& g, ConvexRange range) {
  for (int d = -range.left; d <= range.right; ++d)
    if (h(d) != g(d)) return false;
  return true;
}

using Values = std::vector<std::int64_t>;

Values values(const Table& table) {
  Values all;
  for (int d = 1 - table.labels(); d < table.labels(); ++d) all.push_back(table(d));
  return all;
}

// min(d^2, T^2)
Table truncated_quadratic(int labels, int threshold) {
  Table g(Values(static_cast<std::size_t>(2 * labels - 1), 0));
  for (int d = 1 - labels; d < labels; ++d) g.at(d) = std::min(d * d, threshold * threshold);
  return g;
}

void ranges() {
  const ConvexRange range = convex_range(truncated_quadratic(7, 3));
  expect(range.left == 3 && range.right == 3, "the range of min(d^2, 9) is 3");
  const ConvexRange sides = convex_range(Table(Values{6, 6, 5, 2, 0, 1, 3, 6, 10}));
  expect(sides.left == 2 && sides.right == 4, "each side has its own range");
  const ConvexRange none = convex_range(Table(Values{0, 1, 0}));
  expect(none.left == 0 && none.right == 0, "a function that is not convex at zero has none");
  const ConvexRange one = convex_range(Table(Values{7}));
  expect(one.left == 0 && one.right == 0, "one label");
}

void tight_and_huber() {
  const Table g = truncated_quadratic(5, 2);
  const ConvexRange range = convex_range(g);
  expect(values(tight_surrogate(g, range)) == Values{10, 7, 4, 1, 0, 1, 4, 7, 10},
         "the tight surrogate goes on with the last step");
  expect(values(huber_surrogate(g, range, 4, 4)) == Values{12, 8, 4, 1, 0, 1, 4, 8, 12},
         "the huber surrogate goes on with the given slope");
  expect(values(huber_surrogate(g, range, -1, 4)) == Values{10, 7, 4, 1, 0, 1, 4, 8, 12},
         "a slope of -1 is the tight one on that side");
  bool refused = false;
  try {
    huber_surrogate(g, range, 1, 1);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect(refused, "slopes that are too flat are refused");
}

void flat_tails() {
  const Table g = truncated_quadratic(6, 2);
  expect(has_flat_tails(g, convex_range(g)), "a truncated function has flat tails");
  const Table unequal(Values{5, 5, 1, 0, 1, 4, 4});
  expect(!has_flat_tails(unequal, convex_range(unequal)), "plateaus of unequal height");
}

void random_functions(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 8);
  Values any;
  for (int k = 0; k < 2 * labels - 1; ++k) any.push_back(oracles::between(random, -9, 9));
  const Table g(any);
  const ConvexRange range = convex_range(g);
  const Table tight = tight_surrogate(g, range);
  expect(is_convex(tight) && dominates(tight, g) && agrees(tight, g, range), "tight", seed);
  const Table huber = huber_surrogate(g, range, -1, -1);
  expect(values(huber) == values(tight), "huber without slopes is tight", seed);
  for (int d = -range.left; d <= range.right; ++d) {
    const Table chord = chord_surrogate(g, range, d);
    expect(is_convex(chord) && dominates(chord, g) && chord(d) == g(d), "chord", seed);
  }
}

}  // namespace

int main() {
  ranges();
  tight_and_huber();
  flat_tails();
  for (std::int64_t seed = 0; seed < 2000; ++seed) random_functions(seed);
}
