// How much two pixels of an image have to do with each other, by colour and distance.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "rangemoves/stereo/matching_costs.hpp"

namespace rangemoves {

// The sum of the differences of all channels.
inline std::int64_t colour_step(const ImageView& image, std::int64_t y, std::int64_t x,
                                std::int64_t v, std::int64_t u) {
  const std::uint8_t *here = image.row(y) + x * image.channels,
                     *there = image.row(v) + u * image.channels;
  std::int64_t sum = 0;
  for (std::int64_t c = 0; c < image.channels; ++c) sum += std::abs(here[c] - there[c]);
  return sum;
}

// Weights of pixels within `radius` of another. Whole numbers: their sums do not depend on the
// order of adding.
class Affinity {
 public:
  Affinity(const ImageView& image, std::int64_t radius);

  // Of pixel (v, u) to pixel (y, x), from 0 to 255 * 255, which is that of a pixel to itself.
  std::int64_t operator()(std::int64_t y, std::int64_t x, std::int64_t v, std::int64_t u) const {
    return by_colour_[static_cast<std::size_t>(colour_step(image_, y, x, v, u))] *
           by_place_[static_cast<std::size_t>((v - y + radius_) * (2 * radius_ + 1) + u - x +
                                              radius_)];
  }

 private:
  ImageView image_;
  std::int64_t radius_;
  std::vector<std::int64_t> by_colour_, by_place_;
};

}  // namespace rangemoves
