// How badly left(y, x) matches right(y, x - d), for every pixel and every disparity d of a range.
//
// Birchfield and Tomasi (PAMI 1998) compare a pixel with the interval that the other image spans
// within half a pixel around its match. Absolute difference is the same with intervals of one
// point, and the gradient cost is the absolute difference of gradient images, so one kernel serves
// all three. Census compares neighbourhoods by the number of neighbours that are darker than the
// centre in one image only.
#pragma once

#include <cstdint>

namespace rangemoves {

enum class MatchingCost { birchfield_tomasi, absolute, gradient, census };

// Interleaved 8-bit channels, row after row. Census wants a single one.
struct ImageView {
  const std::uint8_t* data;
  std::int64_t height, width, channels;

  const std::uint8_t* row(std::int64_t y) const { return data + y * width * channels; }
  int at(std::int64_t y, std::int64_t x, std::int64_t c) const { return row(y)[x * channels + c]; }
};

struct CostOptions {
  MatchingCost cost = MatchingCost::birchfield_tomasi;
  bool squared = false;            // square the difference of each channel (not for census)
  std::int32_t cap = 765;          // no cost is larger, and a match outside the image costs this
  std::int64_t min_disparity = 0;  // of label 0
  std::int64_t census_height = 7;  // odd; at most 64 neighbours in all
  std::int64_t census_width = 9;
};

// Writes rows [first_row, last_row) of the volume, labels fastest: the caller goes through a large
// image in pieces and may stop between them. Both images have the same size.
void cost_volume(const ImageView& left, const ImageView& right, std::int64_t labels,
                 const CostOptions& options, std::int64_t first_row, std::int64_t last_row,
                 std::int32_t* out);

}  // namespace rangemoves
