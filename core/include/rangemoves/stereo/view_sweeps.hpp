// One view of a pair, solved in bytes and 16-bit messages: what `match` does by default.
//
// The same energy and the same sweeps as TRW-S elsewhere (Kolmogorov, PAMI 2006; raster order there
// and back), for one kind of problem alone: a grid with four neighbours, costs in bytes, and a
// truncated linear prior. Then a message is a few minima of shifted vectors, since a reach of
// 1 + 2 + 4 + .. labels at w each is made of steps of 1, 2, 4, .. labels.
//
// Everything fits 16 bits: with costs up to 255, `scale` times as fine, and no edge above
// `largest_jump`, a message lies in 0 .. largest_jump and a belief in 0 .. 255 * scale +
// 4 * largest_jump; half of it less a message is at least -largest_jump. Labels beyond the last,
// which fill up vectors, have `beyond` added to their cost: half of that is more than any belief of
// a real label and a jump together, so no message comes from there. Asserted below.
#pragma once

#include <cstdint>

#include "rangemoves/stereo/matching_costs.hpp"

namespace rangemoves {

constexpr std::int32_t kViewScale = 4;           // of costs and weights
constexpr std::int32_t kLargestJump = 2000;      // scaled weight times T
constexpr std::int32_t kBeyond = 20000;          // added to costs of labels that are none
constexpr std::int32_t kLargestTruncation = 16;  // T
constexpr std::int64_t kLabelBlock = 16;         // vectors of labels are a multiple of this long
constexpr std::uint8_t kOutsideCost = 60;        // of a match outside, where nothing says better
constexpr std::int64_t kFewInside = 8;           // fewer matches inside do not say better

static_assert(255 * kViewScale + kBeyond + 4 * kLargestJump <= 32767, "beliefs fit 16 bits");
static_assert(kBeyond / 2 - kLargestJump > (255 * kViewScale + 4 * kLargestJump) / 2 + kLargestJump,
              "labels that are none never win");

struct ViewProblem {
  const std::uint8_t* costs;  // (height, width, stride), labels fastest
  const std::int16_t* down;   // (height, width): scaled weight of the edge to the pixel below
  const std::int16_t* right;  // ... and to the one on the right
  std::int64_t height, width, labels, stride;
  std::int32_t truncation;  // T
};

// The kernels of one instruction set; all of them compute the same integers.
struct ViewKernels {
  // Census of 7 x 9 pixels, 3/2 for each that disagrees and 1 more within 5 x 5, plus
  // Birchfield-Tomasi up to 20 per channel. A match outside the image costs a pixel half-way
  // between the best and the mean of its matches inside, or kOutsideCost where those are fewer than
  // kFewInside. Writes rows [first_row, last_row) of a volume (rows, width, stride).
  void (*costs)(const ImageView& left, const ImageView& right, const ImageView& grey_left,
                const ImageView& grey_right, std::int64_t labels, std::int64_t stride,
                std::int64_t min_disparity, std::int64_t first_row, std::int64_t last_row,
                std::uint8_t* out);
  // Sends the messages of rows [first_row, last_row): forward to the right and down, backward to
  // the left and up, from the last row to the first. messages: (2, height, width, stride), of edges
  // to the right and down.
  void (*sweep)(const ViewProblem& problem, std::int16_t* messages, std::int64_t first_row,
                std::int64_t last_row, bool backward);
  // Labels of rows [first_row, last_row) after a backward sweep, given those of the row before.
  void (*decode)(const ViewProblem& problem, const std::int16_t* messages, std::int64_t first_row,
                 std::int64_t last_row, std::int32_t* labels);
};

// "avx512", "avx2", or plain code for any other name.
const ViewKernels& view_kernels(const char* level);

// The costs of the right view are those of the left, elsewhere: rows [first_row, last_row) of the
// volume become those of the right image, whose pixel x at disparity d matches x + d. A match
// outside costs kOutsideCost: the right view is only asked whether it agrees with the left one, and
// no left pixel matches what lies outside the left image.
void turn_costs_right(std::uint8_t* costs, std::int64_t width, std::int64_t labels,
                      std::int64_t stride, std::int64_t min_disparity, std::int64_t first_row,
                      std::int64_t last_row);

// The energy of labels, in units of kViewScale.
std::int64_t view_energy(const ViewProblem& problem, const std::int32_t* labels);

}  // namespace rangemoves
