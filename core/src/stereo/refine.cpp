#include "rangemoves/stereo/refine.hpp"

#include <algorithm>
#include <cstdlib>

namespace rangemoves {

namespace {

// Costs of a label and of those beside it, summed over the pixels of its surface in some columns of
// some rows.
struct Sums {
  std::int64_t less = 0, equal = 0, more = 0, pixels = 0;

  // By how much the minimum is off the label.
  double offset(std::int64_t least_rise) const {
    const std::int64_t steeper = std::max(less, more) - equal;
    if (steeper <= 0 || steeper < least_rise * pixels) return 0;
    const double shift = static_cast<double>(less - more) / (2.0 * static_cast<double>(steeper));
    return std::clamp(shift, -0.5, 0.5);
  }
};

template <class Cost>
struct Costs {
  const Cost* unary;
  const std::int32_t* labels;
  std::int64_t width, stride, top, bottom;

  Sums of_column(std::int64_t u, std::int32_t label) const {
    Sums sums;
    for (std::int64_t v = top; v <= bottom; ++v) {
      const std::int64_t pixel = v * width + u;
      if (std::abs(labels[pixel] - label) > 1) continue;
      const Cost* cost = unary + pixel * stride + label;
      sums.less += cost[-1];
      sums.equal += cost[0];
      sums.more += cost[1];
      ++sums.pixels;
    }
    return sums;
  }
};

void add(Sums& sums, const Sums& other, std::int64_t sign) {
  sums.less += sign * other.less;
  sums.equal += sign * other.equal;
  sums.more += sign * other.more;
  sums.pixels += sign * other.pixels;
}

}  // namespace

template <class Cost>
void refine_labels(const Cost* unary, const std::int32_t* labels, std::int64_t height,
                   std::int64_t width, std::int64_t num_labels, std::int64_t stride,
                   std::int64_t radius, std::int64_t least_rise, std::int64_t first_row,
                   std::int64_t last_row, double* offset) {
  for (std::int64_t y = first_row; y < last_row; ++y, offset += width) {
    const Costs<Cost> costs{unary,
                            labels,
                            width,
                            stride,
                            std::max<std::int64_t>(y - radius, 0),
                            std::min(y + radius, height - 1)};
    const std::int32_t* row = labels + y * width;
    // As long as the label stays the same, a column comes to the window and another goes.
    Sums sums;
    for (std::int64_t x = 0; x < width; ++x) {
      offset[x] = 0;
      if (row[x] == 0 || row[x] == num_labels - 1) continue;
      if (x > 0 && row[x - 1] == row[x]) {
        if (x + radius < width) add(sums, costs.of_column(x + radius, row[x]), 1);
        if (x - radius > 0) add(sums, costs.of_column(x - radius - 1, row[x]), -1);
      } else {
        sums = {};
        const std::int64_t last = std::min(x + radius, width - 1);
        for (std::int64_t u = std::max<std::int64_t>(x - radius, 0); u <= last; ++u)
          add(sums, costs.of_column(u, row[x]), 1);
      }
      offset[x] = sums.offset(least_rise);
    }
  }
}

template void refine_labels(const std::int32_t*, const std::int32_t*, std::int64_t, std::int64_t,
                            std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                            std::int64_t, double*);
template void refine_labels(const std::uint8_t*, const std::int32_t*, std::int64_t, std::int64_t,
                            std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                            std::int64_t, double*);

}  // namespace rangemoves
