#include "rangemoves/stereo/affinity.hpp"

#include <cmath>

namespace rangemoves {

namespace {

// Grey levels and pixels by which a weight falls to 1/e.
constexpr double colour_scale = 10, distance_scale = 9;
constexpr double largest_weight = 255;

}  // namespace

Affinity::Affinity(const ImageView& image, std::int64_t radius)
    : image_(image),
      radius_(radius),
      by_colour_(static_cast<std::size_t>(255 * image.channels + 1)),
      by_place_(static_cast<std::size_t>((2 * radius + 1) * (2 * radius + 1))) {
  const double scale = colour_scale * static_cast<double>(image.channels);
  for (std::size_t i = 0; i < by_colour_.size(); ++i)
    by_colour_[i] = std::llround(largest_weight * std::exp(-static_cast<double>(i) / scale));
  auto weight = by_place_.begin();
  for (std::int64_t dy = -radius; dy <= radius; ++dy) {
    for (std::int64_t dx = -radius; dx <= radius; ++dx) {
      const double distance = std::sqrt(static_cast<double>(dx * dx + dy * dy));
      *weight++ = std::llround(largest_weight * std::exp(-distance / distance_scale));
    }
  }
}

}  // namespace rangemoves
