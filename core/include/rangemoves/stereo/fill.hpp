// Disparities for pixels that only one image shows.
//
// Each function writes rows [first_row, last_row) of its result and looks at most `radius` rows,
// and `reach` more, beyond them, so that a part with as much around it gives what the whole gives.
#pragma once

#include <cstdint>

#include "rangemoves/stereo/planes.hpp"

namespace rangemoves {

// How many known pixels within `radius` lie on the surface of each pixel: at most one label away.
void count_support(const std::int32_t* labels, const std::uint8_t* known, std::int64_t height,
                   std::int64_t width, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, std::int32_t* count);

// What lies beyond the border of the other image: before the first and after the last known pixel
// of a row goes on the surface that one of the rows within `reach` ends with, as a plane fitted
// within `radius`. It is the row to whose end the way is shortest: in pixels, and in grey levels by
// which colours change along it. Other pixels, and rows where nothing is known, are left as they
// are.
void extend_planes(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                   std::int64_t reach, std::int64_t first_row, std::int64_t last_row, double* out);

// What something else hides: between two known pixels of a row goes on the surface of the further
// one, the background, as a plane fitted within `radius` of it. Other pixels are left as they are.
void continue_background(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                         std::int64_t first_row, std::int64_t last_row, double* out);

// Wanted pixels take the weighted median of those within `radius`: the nearer and the more alike in
// colour, the more they count, and known ones more than others. Other pixels are left as they are.
void weighted_median(const DisparityMap& map, const ImageView& image, const std::uint8_t* wanted,
                     std::int64_t radius, std::int64_t first_row, std::int64_t last_row,
                     double* out);

}  // namespace rangemoves
