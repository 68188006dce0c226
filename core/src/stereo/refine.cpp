#include "rangemoves/stereo/refine.hpp"

#include <algorithm>
#include <cstdlib>

namespace rangemoves {

template <class Cost>
void refine_labels(const Cost* unary, const std::int32_t* labels, std::int64_t height,
                   std::int64_t width, std::int64_t num_labels, std::int64_t stride,
                   std::int64_t radius, std::int64_t least_rise, std::int64_t first_row,
                   std::int64_t last_row, double* offset) {
  for (std::int64_t y = first_row; y < last_row; ++y) {
    const std::int64_t top = std::max<std::int64_t>(y - radius, 0);
    const std::int64_t bottom = std::min(y + radius, height - 1);
    for (std::int64_t x = 0; x < width; ++x, ++offset) {
      *offset = 0;
      const std::int32_t label = labels[y * width + x];
      if (label == 0 || label == num_labels - 1) continue;
      const std::int64_t leftmost = std::max<std::int64_t>(x - radius, 0);
      const std::int64_t rightmost = std::min(x + radius, width - 1);
      std::int64_t less = 0, equal = 0, more = 0, pixels = 0;
      for (std::int64_t v = top; v <= bottom; ++v) {
        for (std::int64_t u = leftmost; u <= rightmost; ++u) {
          const std::int64_t pixel = v * width + u;
          if (std::abs(labels[pixel] - label) > 1) continue;
          const Cost* cost = unary + pixel * stride + label;
          less += cost[-1];
          equal += cost[0];
          more += cost[1];
          ++pixels;
        }
      }
      const std::int64_t steeper = std::max(less, more) - equal;
      if (steeper <= 0 || steeper < least_rise * pixels) continue;
      const double shift = static_cast<double>(less - more) / (2.0 * static_cast<double>(steeper));
      *offset = std::clamp(shift, -0.5, 0.5);
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
