// A map of disparities without specks and without the noise of refinement.
//
// Both functions write rows [first_row, last_row) of their result and look at most one row, or
// `radius` rows, beyond them.
#pragma once

#include <cstdint>

namespace rangemoves {

// The median of each 3 x 3 pixels; beyond the border the nearest pixel stands in.
void median_of_nine(const double* map, std::int64_t height, std::int64_t width,
                    std::int64_t first_row, std::int64_t last_row, double* out);

// The mean of the pixels within `radius` that are no more than `tolerance` away from the pixel
// itself: those of its own surface. A slanted plane stays what it is.
void mean_of_surface(const double* map, std::int64_t height, std::int64_t width,
                     std::int64_t radius, double tolerance, std::int64_t first_row,
                     std::int64_t last_row, double* out);

}  // namespace rangemoves
