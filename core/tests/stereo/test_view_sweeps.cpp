// Views in bytes and 16 bits: against plain definitions, and the same for every instruction set.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/view_sweeps.hpp"

namespace {

using namespace rangemoves;

struct Random {
  std::int64_t height, width, labels, stride;
  std::int32_t truncation;
  std::vector<std::uint8_t> costs;
  std::vector<std::int16_t> down, right;

  ViewProblem problem() const {
    return {costs.data(), down.data(), right.data(), height, width, labels, stride, truncation};
  }
};

Random make(unsigned seed, bool extreme) {
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Random p;
  p.height = draw(1, 5), p.width = draw(1, 6), p.labels = draw(1, 37);
  p.stride = (p.labels + kLabelBlock - 1) / kLabelBlock * kLabelBlock;
  p.truncation = draw(1, kLargestTruncation);
  const int most = kLargestJump / p.truncation;
  for (std::int64_t i = 0; i < p.height * p.width * p.stride; ++i)
    p.costs.push_back(static_cast<std::uint8_t>(extreme ? 255 * draw(0, 1) : draw(0, 255)));
  for (std::int64_t i = 0; i < p.height * p.width; ++i) {
    p.down.push_back(static_cast<std::int16_t>(extreme ? most : draw(0, most)));
    p.right.push_back(static_cast<std::int16_t>(extreme ? most : draw(0, most)));
  }
  return p;
}

using Row = std::vector<std::int64_t>;

// The definition of a message, in 64 bits and every pair of labels.
Row message(const Row& belief, const Row& back, std::int64_t weight, std::int64_t t) {
  Row out(belief.size());
  std::int64_t least = INT64_MAX;
  for (std::size_t b = 0; b < out.size(); ++b) {
    out[b] = INT64_MAX;
    for (std::size_t a = 0; a < out.size(); ++a) {
      const auto gap = std::abs(static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b));
      out[b] = std::min(out[b], (belief[a] >> 1) - back[a] + weight * std::min(gap, t));
    }
    least = std::min(least, out[b]);
  }
  for (auto& value : out) value -= least;
  return out;
}

struct Plain {
  const Random& p;
  std::vector<Row> right, down;  // per pixel

  explicit Plain(const Random& problem)
      : p(problem),
        right(static_cast<std::size_t>(p.height * p.width),
              Row(static_cast<std::size_t>(p.labels))),
        down(right) {}

  Row belief(std::int64_t y, std::int64_t x) const {
    Row sum(static_cast<std::size_t>(p.labels));
    const auto i = static_cast<std::size_t>(y * p.width + x);
    const auto w = static_cast<std::size_t>(p.width);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] = std::int64_t{kViewScale} * p.costs[i * static_cast<std::size_t>(p.stride) + k];
      if (x + 1 < p.width) sum[k] += right[i][k];
      if (x > 0) sum[k] += right[i - 1][k];
      if (y + 1 < p.height) sum[k] += down[i][k];
      if (y > 0) sum[k] += down[i - w][k];
    }
    return sum;
  }

  void sweep(bool backward) {
    const std::int64_t n = p.height * p.width, t = p.truncation;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t pixel = backward ? n - 1 - j : j, y = pixel / p.width, x = pixel % p.width;
      const auto i = static_cast<std::size_t>(pixel), w = static_cast<std::size_t>(p.width);
      const Row sum = belief(y, x);
      if (backward) {
        if (x > 0) right[i - 1] = message(sum, right[i - 1], p.right[i - 1], t);
        if (y > 0) down[i - w] = message(sum, down[i - w], p.down[i - w], t);
      } else {
        if (x + 1 < p.width) right[i] = message(sum, right[i], p.right[i], t);
        if (y + 1 < p.height) down[i] = message(sum, down[i], p.down[i], t);
      }
    }
  }
};

void sweeps_are_those_of_the_definition(const ViewKernels& kernels) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Random p = make(seed, seed % 4 == 0);
    const ViewProblem problem = p.problem();
    std::vector<std::int16_t> messages(2 * p.costs.size());
    Plain plain(p);
    for (int i = 0; i < 4; ++i) {
      kernels.sweep(problem, messages.data(), 0, p.height, i % 2 == 1);
      plain.sweep(i % 2 == 1);
    }
    for (std::int64_t pixel = 0; pixel < p.height * p.width; ++pixel) {
      for (std::int64_t k = 0; k < p.labels; ++k) {
        const auto i = static_cast<std::size_t>(pixel * p.stride + k);
        const auto at = static_cast<std::size_t>(pixel), label = static_cast<std::size_t>(k);
        expect(messages[i] == plain.right[at][label] &&
                   messages[p.costs.size() + i] == plain.down[at][label],
               "a message is the least over all pairs of labels", seed);
      }
    }
    // Each label is the best there is, given those before it and the messages of those after it.
    std::vector<std::int32_t> labels(static_cast<std::size_t>(p.height * p.width));
    kernels.decode(problem, messages.data(), 0, p.height, labels.data());
    for (std::int64_t pixel = 0; pixel < p.height * p.width; ++pixel) {
      const auto i = static_cast<std::size_t>(pixel), w = static_cast<std::size_t>(p.width);
      const std::int64_t y = pixel / p.width, x = pixel % p.width;
      std::int64_t best = INT64_MAX, chosen = -1;
      for (std::int32_t k = 0; k < p.labels; ++k) {
        const auto label = static_cast<std::size_t>(k);
        std::int64_t cost =
            std::int64_t{kViewScale} * p.costs[i * static_cast<std::size_t>(p.stride) + label];
        if (x + 1 < p.width) cost += plain.right[i][label];
        if (y + 1 < p.height) cost += plain.down[i][label];
        if (x > 0) cost += p.right[i - 1] * std::min(std::abs(k - labels[i - 1]), p.truncation);
        if (y > 0) cost += p.down[i - w] * std::min(std::abs(k - labels[i - w]), p.truncation);
        if (cost < best) best = cost, chosen = k;
      }
      expect(labels[i] == chosen, "labels are decoded in order", seed);
    }
  }
}

void the_energy_is_the_sum_of_its_terms() {
  Random p = make(3, false);
  p.height = 1, p.width = 3, p.labels = 2, p.stride = 16, p.truncation = 1;
  p.costs.assign(48, 0);
  p.costs[0] = 5, p.costs[17] = 7, p.costs[32] = 11;
  p.right = {3, 4, 99}, p.down = {99, 99, 99};
  const std::vector<std::int32_t> labels{0, 1, 0};
  expect(view_energy(p.problem(), labels.data()) == 4 * (5 + 7 + 11) + 3 + 4,
         "costs four times as fine, and both steps");
}

void costs_turn_with_the_view() {
  // Label k of left pixel x costs 10 x + k; two labels from disparity -1 on.
  std::vector<std::uint8_t> costs(3 * 16);
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t k = 0; k < 2; ++k) costs[16 * x + k] = static_cast<std::uint8_t>(10 * x + k);
  turn_costs_right(costs.data(), 3, 2, 16, -1, 0, 1);
  expect(costs[0] == kOutsideCost && costs[1] == 1 && costs[16] == 0 && costs[17] == 11 &&
             costs[32] == 10 && costs[33] == 21,
         "right pixel x at disparity d is left pixel x + d");
}

}  // namespace

int main() {
  for (const Level* const* level = available_levels(); *level; ++level)
    sweeps_are_those_of_the_definition(view_kernels((*level)->name));
  the_energy_is_the_sum_of_its_terms();
  costs_turn_with_the_view();
}
