#include "rangemoves/stereo/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rangemoves {

namespace {

// Puts three numbers in order.
inline void sort3(double& a, double& b, double& c) {
  const double low = std::min(a, b), high = std::max(a, b);
  const double middle = std::min(high, c);
  c = std::max(high, c);
  a = std::min(low, middle);
  b = std::max(low, middle);
}

}  // namespace

void median_of_nine(const double* map, std::int64_t height, std::int64_t width,
                    std::int64_t first_row, std::int64_t last_row, double* out) {
  // Of each column of three, sorted: the least, the middle and the largest.
  std::vector<double> low(static_cast<std::size_t>(width + 2)), middle(low), high(low);
  for (std::int64_t y = first_row; y < last_row; ++y, out += width) {
    const double* above = map + std::max<std::int64_t>(y - 1, 0) * width;
    const double* here = map + y * width;
    const double* below = map + std::min(y + 1, height - 1) * width;
    for (std::int64_t x = 0; x < width; ++x) {
      double a = above[x], b = here[x], c = below[x];
      sort3(a, b, c);
      const auto i = static_cast<std::size_t>(x + 1);
      low[i] = a, middle[i] = b, high[i] = c;
    }
    for (auto* part : {&low, &middle, &high}) {
      part->front() = (*part)[1];
      part->back() = (*part)[static_cast<std::size_t>(width)];
    }
    // The median of nine is that of the largest least, the middle middle and the least largest.
    for (std::int64_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(x);
      double a = std::max(low[i], std::max(low[i + 1], low[i + 2]));
      double p = middle[i], q = middle[i + 1], r = middle[i + 2];
      double c = std::min(high[i], std::min(high[i + 1], high[i + 2]));
      sort3(p, q, r);
      sort3(a, q, c);
      out[x] = q;
    }
  }
}

void mean_of_surface(const double* map, std::int64_t height, std::int64_t width,
                     std::int64_t radius, double tolerance, std::int64_t first_row,
                     std::int64_t last_row, double* out) {
  std::vector<double> count(static_cast<std::size_t>(width));
  for (std::int64_t y = first_row; y < last_row; ++y, out += width) {
    const double* mine = map + y * width;
    std::fill(out, out + width, 0.0);
    std::fill(count.begin(), count.end(), 0.0);
    // Differences are summed, not disparities: flat stays flat to the last digit.
    for (std::int64_t v = std::max<std::int64_t>(y - radius, 0);
         v <= std::min(y + radius, height - 1); ++v) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        const std::int64_t begin = std::max<std::int64_t>(0, -dx),
                           end = std::min(width, width - dx);
        const double* other = map + v * width + dx;
        double* n = count.data();
        for (std::int64_t x = begin; x < end; ++x) {
          const double step = other[x] - mine[x];
          const bool near = std::fabs(step) <= tolerance;
          out[x] += near ? step : 0.0;
          n[x] += near ? 1.0 : 0.0;
        }
      }
    }
    for (std::int64_t x = 0; x < width; ++x)
      out[x] = mine[x] + out[x] / count[static_cast<std::size_t>(x)];
  }
}

}  // namespace rangemoves
