// Filling on maps small enough to work out by hand.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/fill.hpp"

namespace {

using rangemoves::DisparityMap;
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
  Map out(broken.size());
  rangemoves::extend_planes(map, 25, 0, height, out.data());
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, std::fabs(out[i] - slanted[i]));
  expect(worst < 0.1, "a plane is continued over both ends");
  Map part(static_cast<std::size_t>(3 * width));
  rangemoves::extend_planes(map, 25, 7, 10, part.data());
  expect(std::equal(part.begin(), part.end(), out.begin() + 7 * width), "some of the rows");
  const Known nothing(known.size());
  rangemoves::extend_planes({broken.data(), nothing.data(), height, width}, 25, 0, height,
                            out.data());
  expect(out == broken, "without anything known all stays");
}

void unknown_pixels_take_the_median_of_their_like() {
  // Two colours; the unknown pixel, wrongly at 9, looks like the ones at 3.
  const std::vector<std::uint8_t> grey{200, 7, 200, 7, 10, 7, 10, 7, 10};
  const Map disparity{9, 5, 9, 5, 9, 5, 3, 5, 3};
  const Known known{1, 1, 1, 1, 0, 1, 1, 1, 1};
  Map out(9);
  rangemoves::weighted_median({disparity.data(), known.data(), 1, 9}, {grey.data(), 1, 9, 1}, 4, 0,
                              1, out.data());
  Map expected = disparity;
  expected[4] = 3;
  expect(out == expected, "colour decides, every second pixel is asked, and known ones stay");
}

}  // namespace

int main() {
  support_counts_the_same_surface();
  planes_go_on_beyond_what_is_known();
  unknown_pixels_take_the_median_of_their_like();
  return 0;
}
