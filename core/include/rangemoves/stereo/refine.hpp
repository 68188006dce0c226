// Disparities finer than the labels: where between its neighbours the cost of a label has its
// minimum.
//
// A single pixel is too noisy to tell, so the costs of one label less, the label and one label more
// are summed over those pixels of a window that lie on the same surface, by their labels. Two lines
// of equal and opposite slope are then put through the three sums (equiangular fit): matching costs
// grow about linearly with the distance from the minimum, which a parabola would pull to the label.
#pragma once

#include <cstdint>

namespace rangemoves {

// How far the minimum lies from each label, in [-0.5, 0.5]; 0 for the first and last label and
// where the costs do not tell: where on average they rise by less than `least_rise`. unary has the
// labels fastest, the next pixel's `stride` further; a window reaches `radius` to every side.
// Writes rows [first_row, last_row) of the result. Cost: std::int32_t or std::uint8_t.
template <class Cost>
void refine_labels(const Cost* unary, const std::int32_t* labels, std::int64_t height,
                   std::int64_t width, std::int64_t num_labels, std::int64_t stride,
                   std::int64_t radius, std::int64_t least_rise, std::int64_t first_row,
                   std::int64_t last_row, double* offset);

}  // namespace rangemoves
