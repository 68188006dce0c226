// Disparities for pixels that only one image shows.
//
// Each function writes rows [first_row, last_row) of its result and looks at most `radius` rows
// beyond them, so that a part with as much around it gives what the whole gives. Maps are row after
// row; `known` is 1 where a disparity is trusted.
#pragma once

#include <cstdint>

#include "rangemoves/stereo/matching_costs.hpp"

namespace rangemoves {

struct DisparityMap {
  const double* disparity;
  const std::uint8_t* known;
  std::int64_t height, width;
};

// How many known pixels within `radius` lie on the surface of each pixel: at most one label away.
void count_support(const std::int32_t* labels, const std::uint8_t* known, std::int64_t height,
                   std::int64_t width, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, std::int32_t* count);

// What lies beyond the border of the other image: before the first and after the last known pixel
// of a row the surface around that pixel goes on as a plane, fitted to what is known within
// `radius` of it. Other pixels, and rows where nothing is known, are left as they are.
void extend_planes(const DisparityMap& map, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, double* out);

// Unknown pixels take the weighted median of those within `radius`: the nearer and the more alike
// in colour, the more they count, and known ones more than others. Known pixels are left as they
// are.
void weighted_median(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                     std::int64_t first_row, std::int64_t last_row, double* out);

}  // namespace rangemoves
