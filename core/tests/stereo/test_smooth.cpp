// The median and the mean of a surface, against plain loops and on maps worked out by hand.
#include "rangemoves/stereo/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using Map = std::vector<double>;

void median_is_the_middle_of_nine_sorted() {
  std::mt19937 random(7);
  for (const std::int64_t width : {1, 2, 3, 17}) {
    const std::int64_t height = 5;
    Map map(static_cast<std::size_t>(height * width)), out(map.size());
    for (double& value : map) value = static_cast<double>(random() % 6);
    // In two parts: rows around a part are looked at.
    rangemoves::median_of_nine(map.data(), height, width, 0, 2, out.data());
    rangemoves::median_of_nine(map.data(), height, width, 2, height, out.data() + 2 * width);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        Map nine;
        for (std::int64_t v = y - 1; v <= y + 1; ++v)
          for (std::int64_t u = x - 1; u <= x + 1; ++u)
            nine.push_back(
                map[static_cast<std::size_t>(std::clamp<std::int64_t>(v, 0, height - 1) * width +
                                             std::clamp<std::int64_t>(u, 0, width - 1))]);
        std::sort(nine.begin(), nine.end());
        expect(out[static_cast<std::size_t>(y * width + x)] == nine[4], "the fifth of nine");
      }
    }
  }
}

void mean_asks_the_own_surface_only() {
  const Map row{1, 1.5, 9, 2, 9.5};
  Map out(row.size());
  rangemoves::mean_of_surface(row.data(), 1, 5, 2, 1.0, 0, 1, out.data());
  expect(out[0] == 1.25, "the third is another surface");
  expect(out[1] == 1.5, "1, 1.5 and 2");
  expect(out[2] == 9.25, "9 and 9.5");
  expect(out[3] == 1.75, "1.5 and 2");
}

void flat_and_slanted_surfaces_stay() {
  const std::int64_t height = 12, width = 12;
  Map slanted(static_cast<std::size_t>(height * width)), flat(slanted.size(), 0.1),
      out(flat.size());
  for (std::int64_t i = 0; i < height * width; ++i)
    slanted[static_cast<std::size_t>(i)] = 0.25 * static_cast<double>(i % width);
  rangemoves::mean_of_surface(flat.data(), height, width, 2, 1.0, 0, height, out.data());
  expect(out == flat, "to the last digit");
  rangemoves::mean_of_surface(slanted.data(), height, width, 2, 1.0, 0, height, out.data());
  for (std::int64_t i = 0; i < height * width; ++i) {
    if (i % width < 2 || i % width >= width - 2) continue;  // one-sided at the border
    const auto pixel = static_cast<std::size_t>(i);
    expect(std::fabs(out[pixel] - slanted[pixel]) < 1e-12, "a plane has its own mean");
  }
}

}  // namespace

int main() {
  median_is_the_middle_of_nine_sorted();
  mean_asks_the_own_surface_only();
  flat_and_slanted_surfaces_stay();
}
