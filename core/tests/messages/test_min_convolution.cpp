// Messages in doubles, against all pairs of labels.
#include "rangemoves/messages/min_convolution.hpp"

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

void against_all_pairs(const Table& h, std::int32_t w, Random& random, std::int64_t seed) {
  const int labels = h.labels();
  const ConvexTable table = ConvexTable::of_any(h);
  std::vector<double> v, out(static_cast<std::size_t>(labels));
  for (int k = 0; k < labels; ++k) v.push_back(oracles::between(random, -40, 40) / 4.0);
  for (const bool to_tail : {true, false}) {
    min_convolution(table, w, to_tail, v.data(), out.data());
    for (int l = 0; l < labels; ++l) {
      double least = v[0] + static_cast<double>(w * h(to_tail ? l : -l));
      for (int k = 1; k < labels; ++k)
        least = std::min(least, v[k] + static_cast<double>(w * h(to_tail ? l - k : k - l)));
      expect(out[l] == least, "the least of all pairs, to the last bit", seed);
    }
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 2, 12);
    const std::int32_t w = oracles::between(random, 1, 5);
    // Straight, flat and bent tails, and tables that are neither convex nor symmetric.
    for (const int most : {1, 4, 1000})
      for (const int power : {1, 2})
        against_all_pairs(oracles::truncated(labels, power, most), w, random, seed);
    against_all_pairs(oracles::any_table(random, labels), w, random, seed);
    Table slanted = oracles::truncated(labels, 2, 9);
    for (int d = 1 - labels; d < labels; ++d) slanted.at(d) += 3 * d;
    against_all_pairs(slanted, w, random, seed);
  }
  return 0;
}
