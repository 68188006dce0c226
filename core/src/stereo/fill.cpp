#include "rangemoves/stereo/fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace rangemoves {

namespace {

// A pixel is on the plane if it is no further from it than this.
constexpr double plane_tolerance = 1;
// Before the first fit, when slopes are not known: more for every pixel of distance.
constexpr double first_tolerance = 2, steepest_slope = 0.25;
// Keeps planes through few pixels flat.
constexpr double slope_penalty = 300;
constexpr int fits = 3;

// Of the weighted median: grey levels and pixels by which a weight falls to 1/e.
constexpr double colour_scale = 10, distance_scale = 9;
constexpr double largest_weight = 255;
constexpr std::int64_t known_factor = 3;
// Of every window the median looks at each second row and column: a fourth of the work.
constexpr std::int64_t sample_step = 2;

struct Window {
  std::int64_t top, bottom, left, right;  // all inside
};

Window window_around(std::int64_t y, std::int64_t x, std::int64_t radius, std::int64_t height,
                     std::int64_t width) {
  return {std::max<std::int64_t>(y - radius, 0), std::min(y + radius, height - 1),
          std::max<std::int64_t>(x - radius, 0), std::min(x + radius, width - 1)};
}

// The first of the samples around a centre, which is one of them.
std::int64_t first_sample(std::int64_t begin, std::int64_t centre) {
  return begin + (centre - begin) % sample_step;
}

struct Plane {
  double height, slope_x, slope_y;  // at the pixel it was fitted around
};

struct Moments {
  double n = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;

  void add(double dx, double dy, double value) {
    n += 1, x += dx, y += dy, z += value;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
    xz += dx * value, yz += dy * value;
  }

  Plane fit() const {
    const double a = xx - x * x / n + slope_penalty, b = xy - x * y / n,
                 c = yy - y * y / n + slope_penalty;
    const double p = xz - x * z / n, q = yz - y * z / n, determinant = a * c - b * b;
    const double slope_x = (p * c - q * b) / determinant, slope_y = (q * a - p * b) / determinant;
    return {(z - slope_x * x - slope_y * y) / n, slope_x, slope_y};
  }
};

// Least squares over the pixels near the last plane, a few times.
Plane plane_around(const DisparityMap& map, std::int64_t y, std::int64_t x, std::int64_t radius) {
  const Window window = window_around(y, x, radius, map.height, map.width);
  Plane plane{map.disparity[y * map.width + x], 0, 0};
  for (int fit = 0; fit < fits; ++fit) {
    Moments moments;
    for (std::int64_t v = window.top; v <= window.bottom; ++v) {
      for (std::int64_t u = window.left; u <= window.right; ++u) {
        const std::int64_t pixel = v * map.width + u;
        if (!map.known[pixel]) continue;
        const auto dx = static_cast<double>(u - x), dy = static_cast<double>(v - y);
        const double off =
            map.disparity[pixel] - (plane.height + plane.slope_x * dx + plane.slope_y * dy);
        const double most =
            fit == 0 ? first_tolerance + steepest_slope * std::max(std::fabs(dx), std::fabs(dy))
                     : plane_tolerance;
        if (std::fabs(off) <= most) moments.add(dx, dy, map.disparity[pixel]);
      }
    }
    if (moments.n == 0) break;
    plane = moments.fit();
  }
  return plane;
}

}  // namespace

void count_support(const std::int32_t* labels, const std::uint8_t* known, std::int64_t height,
                   std::int64_t width, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, std::int32_t* count) {
  std::fill(count, count + (last_row - first_row) * width, 0);
  for (std::int64_t y = first_row; y < last_row; ++y, count += width) {
    for (std::int64_t v = std::max<std::int64_t>(y - radius, 0);
         v <= std::min(y + radius, height - 1); ++v) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        const std::int64_t begin = std::max<std::int64_t>(0, -dx),
                           end = std::min(width, width - dx);
        const std::int32_t *mine = labels + y * width, *other = labels + v * width + dx;
        const std::uint8_t* there = known + v * width + dx;
        for (std::int64_t x = begin; x < end; ++x) {
          const std::int32_t step = mine[x] - other[x];
          count[x] += static_cast<std::int32_t>(step <= 1 && step >= -1) & there[x];
        }
      }
    }
  }
}

void extend_planes(const DisparityMap& map, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, double* out) {
  for (std::int64_t y = first_row; y < last_row; ++y, out += map.width) {
    const double* row = map.disparity + y * map.width;
    const std::uint8_t* known = map.known + y * map.width;
    std::copy(row, row + map.width, out);
    const std::int64_t first = std::find(known, known + map.width, 1) - known;
    if (first == map.width) continue;
    std::int64_t last = map.width - 1;
    while (!known[last]) --last;
    if (first > 0) {
      const Plane plane = plane_around(map, y, first, radius);
      for (std::int64_t x = 0; x < first; ++x)
        out[x] = plane.height + plane.slope_x * static_cast<double>(x - first);
    }
    if (last < map.width - 1) {
      const Plane plane = plane_around(map, y, last, radius);
      for (std::int64_t x = last + 1; x < map.width; ++x)
        out[x] = plane.height + plane.slope_x * static_cast<double>(x - last);
    }
  }
}

void weighted_median(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                     std::int64_t first_row, std::int64_t last_row, double* out) {
  const std::int64_t channels = image.channels, side = 2 * radius + 1;
  // Whole weights: their sums do not depend on the order of adding.
  std::vector<std::int64_t> by_colour(static_cast<std::size_t>(255 * channels + 1)),
      by_place(static_cast<std::size_t>(side * side));
  for (std::size_t i = 0; i < by_colour.size(); ++i)
    by_colour[i] =
        std::llround(largest_weight * std::exp(-static_cast<double>(i) /
                                               (colour_scale * static_cast<double>(channels))));
  for (std::int64_t i = 0; i < side * side; ++i) {
    const auto dy = static_cast<double>(i / side - radius),
               dx = static_cast<double>(i % side - radius);
    by_place[static_cast<std::size_t>(i)] =
        std::llround(largest_weight * std::exp(-std::sqrt(dx * dx + dy * dy) / distance_scale));
  }
  std::vector<std::pair<double, std::int64_t>> around;
  for (std::int64_t y = first_row; y < last_row; ++y) {
    for (std::int64_t x = 0; x < map.width; ++x, ++out) {
      *out = map.disparity[y * map.width + x];
      if (map.known[y * map.width + x]) continue;
      const Window window = window_around(y, x, radius, map.height, map.width);
      const std::uint8_t* here = image.row(y) + x * channels;
      around.clear();
      std::int64_t total = 0;
      for (std::int64_t v = first_sample(window.top, y); v <= window.bottom; v += sample_step) {
        for (std::int64_t u = first_sample(window.left, x); u <= window.right; u += sample_step) {
          const std::uint8_t* there = image.row(v) + u * channels;
          std::int64_t difference = 0;
          for (std::int64_t c = 0; c < channels; ++c) difference += std::abs(here[c] - there[c]);
          const std::int64_t pixel = v * map.width + u;
          const std::int64_t weight =
              by_colour[static_cast<std::size_t>(difference)] *
              by_place[static_cast<std::size_t>((v - y + radius) * side + u - x + radius)] *
              (map.known[pixel] ? known_factor : 1);
          if (weight == 0) continue;
          around.emplace_back(map.disparity[pixel], weight);
          total += weight;
        }
      }
      std::sort(around.begin(), around.end());
      std::int64_t sum = 0;
      for (const auto& [disparity, weight] : around) {
        sum += weight;
        if (2 * sum < total) continue;
        *out = disparity;
        break;
      }
    }
  }
}

}  // namespace rangemoves
