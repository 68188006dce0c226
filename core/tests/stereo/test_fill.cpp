// Filling on maps small enough to work out by hand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/fill.hpp"

namespace {

using rangemoves::DisparityMap;
using rangemoves::ImageView;
using Known = std::vector<std::uint8_t>;
using Map = std::vector<double>;

void support_counts_the_same_surface() {
  const std::vector<std::int32_t> labels{5, 5, 9, 6};
  const Known known{1, 1, 1, 0};
  std::vector<std::int32_t> count(4);
  rangemoves::count_support(labels.data(), known.data(), 1, 4, 2, 0, 1, count.data());
  expect(count == std::vector<std::int32_t>{2, 2, 1, 1},
         "itself and known pixels at most a label away, within two columns");
}

void planes_go_on_beyond_what_is_known() {
  const std::int64_t height = 40, width = 60, border = 12;
  Map slanted(height * width);
  Known known(slanted.size());
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      slanted[i] = 20 + 0.1 * static_cast<double>(x) - 0.05 * static_cast<double>(y);
      known[i] = x >= border && x < width - 2;
    }
  }
  Map broken = slanted;
  for (std::size_t i = 0; i < broken.size(); ++i)
    if (!known[i]) broken[i] = 0;
  const DisparityMap map{broken.data(), known.data(), height, width};
  const std::vector<std::uint8_t> grey(broken.size(), 90);
  const ImageView image{grey.data(), height, width, 1};
  Map out(broken.size());
  rangemoves::extend_planes(map, image, 25, 12, 0, height, out.data());
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, std::fabs(out[i] - slanted[i]));
  expect(worst < 0.1, "a plane is continued over both ends");
  Map part(static_cast<std::size_t>(3 * width));
  rangemoves::extend_planes(map, image, 25, 12, 7, 10, part.data());
  expect(std::equal(part.begin(), part.end(), out.begin() + 7 * width), "some of the rows");
  const Known nothing(known.size());
  rangemoves::extend_planes({broken.data(), nothing.data(), height, width}, image, 25, 12, 0,
                            height, out.data());
  expect(out == broken, "without anything known all stays");
}

void surfaces_beyond_go_where_their_colours_lead() {
  // Two walls, one above the other. What is known of the lower one begins some rows too low.
  const std::int64_t height = 30, width = 40, border = 10, edge = 12, hidden = 3;
  Map expected(height * width);
  Map disparity(expected.size());
  Known known(expected.size());
  std::vector<std::uint8_t> grey(expected.size());
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      const bool is_lower = x < border ? y >= edge : y >= edge + hidden;
      expected[i] = is_lower ? 20 : 8;
      grey[i] = is_lower ? 200 : 50;
      known[i] = x >= border;
      disparity[i] = known[i] ? expected[i] : 0;
    }
  }
  const DisparityMap map{disparity.data(), known.data(), height, width};
  const ImageView image{grey.data(), height, width, 1};
  Map out(disparity.size());
  rangemoves::extend_planes(map, image, 25, 12, 0, height, out.data());
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, std::fabs(out[i] - expected[i]));
  expect(worst < 0.5, "rows beside those of like colour follow them, not their own end");
  rangemoves::extend_planes(map, image, 25, 0, 0, height, out.data());
  expect(std::fabs(out[static_cast<std::size_t>(edge * width)] - 8) < 0.5,
         "without reach a row follows its own end");
}

void the_background_goes_on_behind_what_hides_it() {
  // A slanted wall, hidden for some columns left of something near that faces the camera.
  const std::int64_t height = 30, width = 60, begin = 25, end = 35;
  Map expected(height * width);
  Map disparity(expected.size());
  Known known(expected.size());
  const std::vector<std::uint8_t> grey(expected.size(), 90);
  for (std::int64_t i = 0; i < height * width; ++i) {
    const std::int64_t x = i % width;
    const auto pixel = static_cast<std::size_t>(i);
    expected[pixel] = x < end ? 5 + 0.1 * static_cast<double>(x) : 30;
    known[pixel] = x < begin || x >= end;
    disparity[pixel] = known[pixel] ? expected[pixel] : 0;
  }
  disparity[0] = 3, known[0] = 0;
  const DisparityMap map{disparity.data(), known.data(), height, width};
  const ImageView image{grey.data(), height, width, 1};
  Map out(disparity.size());
  rangemoves::continue_background(map, image, 25, 0, height, out.data());
  expect(out[0] == 3, "before the first known pixel all stays");
  out[0] = expected[0];
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, std::fabs(out[i] - expected[i]));
  expect(worst < 0.15, "the wall goes on as the plane it is");
  const Map row{4, 0, 0, 9};
  const Known ends{1, 0, 0, 1};
  Map short_row(4);
  rangemoves::continue_background({row.data(), ends.data(), 1, 4}, {grey.data(), 1, 4, 1}, 25, 0, 1,
                                  short_row.data());
  expect(short_row == Map{4, 4, 4, 9}, "a few pixels take the smaller disparity beside them");
}

void planes_do_not_lean_on_what_stands_before_them() {
  // A wall of one disparity, of which a strip is known, and beside it something nearer of another
  // colour: through both together goes a plane that is neither.
  const std::int64_t height = 40, width = 60, border = 12, strip = 8;
  Map disparity(height * width, 24);
  Known known(disparity.size());
  std::vector<std::uint8_t> grey(disparity.size(), 90);
  for (std::int64_t i = 0; i < height * width; ++i) {
    const std::int64_t x = i % width;
    const auto pixel = static_cast<std::size_t>(i);
    known[pixel] = x >= border;
    if (x >= border + strip) disparity[pixel] = 28, grey[pixel] = 200;
  }
  const DisparityMap map{disparity.data(), known.data(), height, width};
  Map out(disparity.size());
  rangemoves::extend_planes(map, {grey.data(), height, width, 1}, 25, 12, 0, height, out.data());
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, std::fabs(out[i] - disparity[i]));
  expect(worst < 0.5, "the wall goes on as it is");
}

void wanted_pixels_take_the_median_of_their_like() {
  // Two colours; the unknown pixel, wrongly at 9, looks like the ones at 3.
  const std::vector<std::uint8_t> grey{200, 7, 200, 7, 10, 7, 10, 7, 10};
  const Map disparity{9, 5, 9, 5, 9, 5, 3, 5, 3};
  const Known known{1, 1, 1, 1, 0, 1, 1, 1, 1};
  Map out(9);
  const Known wanted{0, 0, 0, 0, 1, 0, 0, 0, 0};
  rangemoves::weighted_median({disparity.data(), known.data(), 1, 9}, {grey.data(), 1, 9, 1},
                              wanted.data(), 4, 0, 1, out.data());
  Map expected = disparity;
  expected[4] = 3;
  expect(out == expected, "colour decides, every second pixel is asked, and others stay");
}

void medians_are_those_of_sorted_values() {
  // Values that come several times, in no order; each weight is what the affinity says.
  const std::int64_t size = 23, radius = 8;
  Map disparity(size * size);
  std::vector<std::uint8_t> grey(disparity.size());
  Known known(disparity.size());
  for (std::size_t i = 0; i < disparity.size(); ++i) {
    disparity[i] = static_cast<double>(i * 7919 % 31) / 4;
    grey[i] = static_cast<std::uint8_t>(i * 104729 % 60);
    known[i] = i * 31 % 3 != 0;
  }
  const Known wanted(disparity.size(), 1);
  const ImageView image{grey.data(), size, size, 1};
  Map out(disparity.size());
  rangemoves::weighted_median({disparity.data(), known.data(), size, size}, image, wanted.data(),
                              radius, 0, size, out.data());
  const rangemoves::Affinity affinity(image, radius);
  bool same = true;
  for (std::int64_t y = 0; y < size; ++y) {
    for (std::int64_t x = 0; x < size; ++x) {
      std::vector<std::pair<double, std::int64_t>> around;
      std::int64_t total = 0, sum = 0;
      for (std::int64_t v = 0; v < size; ++v) {
        for (std::int64_t u = 0; u < size; ++u) {
          if (std::abs(v - y) > radius || std::abs(u - x) > radius) continue;
          if ((v - y) % 2 != 0 || (u - x) % 2 != 0) continue;
          const auto i = static_cast<std::size_t>(v * size + u);
          around.emplace_back(disparity[i], affinity(y, x, v, u) * (known[i] ? 3 : 1));
          total += around.back().second;
        }
      }
      std::sort(around.begin(), around.end());
      std::size_t k = 0;
      for (; 2 * (sum += around[k].second) < total; ++k) continue;
      same &= out[static_cast<std::size_t>(y * size + x)] == around[k].first;
    }
  }
  expect(same, "the least value that half of the weight lies at or below");
}

}  // namespace

int main() {
  support_counts_the_same_surface();
  planes_go_on_beyond_what_is_known();
  planes_do_not_lean_on_what_stands_before_them();
  surfaces_beyond_go_where_their_colours_lead();
  the_background_goes_on_behind_what_hides_it();
  wanted_pixels_take_the_median_of_their_like();
  medians_are_those_of_sorted_values();
  return 0;
}
