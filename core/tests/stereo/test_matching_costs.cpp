// Matching costs and refinement on pairs small enough to work out by hand.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/matching_costs.hpp"
#include "rangemoves/stereo/refine.hpp"

namespace {

using rangemoves::CostOptions;
using rangemoves::MatchingCost;
using Pixels = std::vector<std::uint8_t>;
using Costs = std::vector<std::int32_t>;

// One row, one channel.
Costs row_costs(const Pixels& left, const Pixels& right, std::int64_t labels,
                const CostOptions& options) {
  const auto width = static_cast<std::int64_t>(left.size());
  Costs out(left.size() * static_cast<std::size_t>(labels));
  rangemoves::cost_volume({left.data(), 1, width, 1}, {right.data(), 1, width, 1}, labels, options,
                          0, 1, out.data());
  return out;
}

void absolute_differences() {
  CostOptions options;
  options.cost = MatchingCost::absolute;
  options.cap = 255;
  expect(row_costs({10, 20, 40}, {12, 15, 90}, 2, options) == Costs{2, 255, 5, 8, 50, 25},
         "absolute differences, and the cap where the match is outside");
  options.squared = true;
  options.cap = 100;
  expect(row_costs({10, 20, 40}, {12, 15, 90}, 2, options) == Costs{4, 100, 25, 64, 100, 100},
         "squares are capped");
}

void birchfield_tomasi() {
  CostOptions options;
  options.cap = 255;
  // An edge that lies between the pixels of one image costs nothing: 25 is half-way.
  expect(row_costs({10, 25, 40}, {10, 40, 40}, 1, options) == Costs{0, 0, 0},
         "half a pixel of shift is free");
  expect(row_costs({10, 10, 10}, {60, 60, 60}, 1, options) == Costs{50, 50, 50},
         "flat images differ by their values");
}

void gradients() {
  CostOptions options;
  options.cost = MatchingCost::gradient;
  options.cap = 510;
  expect(row_costs({0, 10, 30}, {100, 110, 130}, 1, options) == Costs{0, 0, 0},
         "brightness does not matter to gradients");
  expect(row_costs({0, 10, 30}, {5, 5, 5}, 1, options) == Costs{10, 30, 20},
         "central differences, one-sided at the border");
}

void census() {
  CostOptions options;
  options.cost = MatchingCost::census;
  options.census_height = 1;
  options.census_width = 3;
  options.cap = 2;
  expect(row_costs({1, 5, 9}, {101, 105, 109}, 1, options) == Costs{0, 0, 0}, "only order counts");
  expect(row_costs({1, 5, 9}, {9, 5, 1}, 1, options) == Costs{1, 2, 1}, "order turned round");
}

void negative_disparities() {
  CostOptions options;
  options.cost = MatchingCost::absolute;
  options.cap = 99;
  options.min_disparity = -2;
  expect(row_costs({1, 2}, {1, 2}, 5, options) == Costs{99, 1, 0, 99, 99, 99, 99, 0, 1, 99},
         "labels count from the least disparity");
  options.min_disparity = 40;
  expect(row_costs({1, 2}, {1, 2}, 2, options) == Costs(4, 99), "a range wholly outside");
}

void refinement() {
  // Costs of slope 10 around 1.3.
  const Costs unary{13, 3, 7, 17};
  const std::vector<std::int32_t> label{1};
  double offset = 9;
  rangemoves::refine_labels(unary.data(), label.data(), 1, 1, 4, 4, 3, 10, 0, 1, &offset);
  expect(offset > 0.299 && offset < 0.301, "the minimum between two labels");
  rangemoves::refine_labels(unary.data(), label.data(), 1, 1, 4, 4, 3, 11, 0, 1, &offset);
  expect(offset == 0, "costs that rise too little do not tell");
  const std::vector<std::int32_t> last{3};
  rangemoves::refine_labels(unary.data(), last.data(), 1, 1, 4, 4, 3, 0, 0, 1, &offset);
  expect(offset == 0, "the last label stays");
}

void refinement_looks_at_the_surface_around() {
  // Runs of labels of several lengths, the first and the last label among them.
  const std::int64_t height = 9, width = 30, labels = 5, radius = 3;
  std::vector<std::int32_t> label(height * width);
  Costs unary(label.size() * labels);
  for (std::size_t i = 0; i < label.size(); ++i)
    label[i] = static_cast<std::int32_t>((i / 7 + i / 30 + i / 19) % 5);
  for (std::size_t i = 0; i < unary.size(); ++i)
    unary[i] = static_cast<std::int32_t>(i * 7919 % 97);
  std::vector<double> offset(label.size());
  rangemoves::refine_labels(unary.data(), label.data(), height, width, labels, labels, radius, 1, 0,
                            height, offset.data());
  bool same = true;
  for (std::int64_t i = 0; i < height * width; ++i) {
    const std::int32_t mine = label[static_cast<std::size_t>(i)];
    std::int64_t sums[3] = {0, 0, 0}, pixels = 0;
    for (std::int64_t j = 0; j < height * width; ++j) {
      const auto step = label[static_cast<std::size_t>(j)] - mine;
      const bool near = std::abs(i / width - j / width) <= radius &&
                        std::abs(i % width - j % width) <= radius && std::abs(step) <= 1;
      if (!near || mine == 0 || mine == labels - 1) continue;
      for (int k = 0; k < 3; ++k)
        sums[k] += unary[static_cast<std::size_t>(j * labels + mine + k - 1)];
      ++pixels;
    }
    const std::int64_t rise = std::max(sums[0], sums[2]) - sums[1];
    const bool tells = rise > 0 && rise >= pixels;
    const double shift = static_cast<double>(sums[0] - sums[2]) / (2.0 * static_cast<double>(rise));
    const double expected = tells ? std::clamp(shift, -0.5, 0.5) : 0;
    same &= offset[static_cast<std::size_t>(i)] == expected;
  }
  expect(same, "sums over the pixels within three that are at most a label away");
}

}  // namespace

int main() {
  absolute_differences();
  birchfield_tomasi();
  gradients();
  census();
  negative_disparities();
  refinement();
  refinement_looks_at_the_surface_around();
}
