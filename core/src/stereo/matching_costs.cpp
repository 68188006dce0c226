#include "rangemoves/stereo/matching_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rangemoves {

namespace {

// One channel of one row: what is compared, and the interval it spans.
struct SpanRow {
  std::vector<std::int16_t> value, low, high;
  explicit SpanRow(std::size_t n) : value(n), low(n), high(n) {}
};

void fill_span(const ImageView& image, std::int64_t y, std::int64_t c, MatchingCost cost,
               SpanRow& row) {
  const std::int64_t last = image.width - 1;
  for (std::int64_t x = 0; x <= last; ++x) {
    const int here = image.at(y, x, c);
    const int before = image.at(y, std::max<std::int64_t>(x - 1, 0), c);
    const int after = image.at(y, std::min(x + 1, last), c);
    int value = here, low = here, high = here;
    if (cost == MatchingCost::gradient) {
      value = low = high = after - before;
    } else if (cost == MatchingCost::birchfield_tomasi) {
      const int half_before = (here + before) / 2, half_after = (here + after) / 2;
      low = std::min(here, std::min(half_before, half_after));
      high = std::max(here, std::max(half_before, half_after));
    }
    const auto i = static_cast<std::size_t>(x);
    row.value[i] = static_cast<std::int16_t>(value);
    row.low[i] = static_cast<std::int16_t>(low);
    row.high[i] = static_cast<std::int16_t>(high);
  }
}

void reverse(SpanRow& row) {
  std::reverse(row.value.begin(), row.value.end());
  std::reverse(row.low.begin(), row.low.end());
  std::reverse(row.high.begin(), row.high.end());
}

// Adds the cost of one channel. The right row is reversed, so that neighbouring labels read
// neighbouring pixels and the loop vectorises; 16-bit differences fit twice as many lanes as 32-bit
// ones.
template <bool squared>
void add_interval_costs(std::int16_t value, std::int16_t low, std::int16_t high,
                        const std::int16_t* right_value, const std::int16_t* right_low,
                        const std::int16_t* right_high, std::int64_t n, std::int32_t* out) {
  const std::int16_t zero = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const auto left_above = static_cast<std::int16_t>(value - right_high[k]);
    const auto left_below = static_cast<std::int16_t>(right_low[k] - value);
    const auto right_above = static_cast<std::int16_t>(right_value[k] - high);
    const auto right_below = static_cast<std::int16_t>(low - right_value[k]);
    const std::int16_t one = std::max(zero, std::max(left_above, left_below));
    const std::int16_t two = std::max(zero, std::max(right_above, right_below));
    const std::int16_t difference = std::min(one, two);
    out[k] += squared ? std::int32_t{difference} * difference : std::int32_t{difference};
  }
}

// Labels [first, last) whose match lies inside the image, for the pixel in column x.
struct LabelRange {
  std::int64_t first, last;
};

LabelRange labels_inside(std::int64_t x, std::int64_t width, std::int64_t labels,
                         std::int64_t min_disparity) {
  const std::int64_t first = std::clamp<std::int64_t>(x - (width - 1) - min_disparity, 0, labels);
  const std::int64_t last = std::clamp<std::int64_t>(x + 1 - min_disparity, first, labels);
  return {first, last};
}

// A bit per neighbour: is it darker than the centre? Beyond the border the nearest pixel inside
// stands in: rows are copied with that much around them, so that the inner loop need not ask.
void census_row(const ImageView& image, std::int64_t y, const CostOptions& options,
                std::vector<std::uint64_t>& out) {
  std::fill(out.begin(), out.end(), 0);
  const std::uint8_t* centre = image.row(y);
  const std::int64_t reach_y = options.census_height / 2, reach_x = options.census_width / 2;
  std::vector<std::uint8_t> padded(static_cast<std::size_t>(image.width + 2 * reach_x));
  for (std::int64_t dy = -reach_y; dy <= reach_y; ++dy) {
    const std::uint8_t* other = image.row(std::clamp<std::int64_t>(y + dy, 0, image.height - 1));
    std::fill(padded.begin(), padded.begin() + reach_x, other[0]);
    std::copy(other, other + image.width, padded.begin() + reach_x);
    std::fill(padded.end() - reach_x, padded.end(), other[image.width - 1]);
    for (std::int64_t dx = -reach_x; dx <= reach_x; ++dx) {
      if (dy == 0 && dx == 0) continue;
      const std::uint8_t* neighbour = padded.data() + reach_x + dx;
      std::uint64_t* bits = out.data();
      for (std::int64_t x = 0; x < image.width; ++x)
        bits[x] = (bits[x] << 1) | static_cast<std::uint64_t>(neighbour[x] < centre[x]);
    }
  }
}

// Counting bits by adding neighbours in place: plain arithmetic that the compiler vectorises on any
// machine, where the machine instruction for it cannot be taken for granted.
std::int32_t count_bits(std::uint64_t v) {
  v = v - ((v >> 1) & 0x5555555555555555ULL);
  v = (v & 0x3333333333333333ULL) + ((v >> 2) & 0x3333333333333333ULL);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  v = v + (v >> 8);
  v = v + (v >> 16);
  v = v + (v >> 32);
  return static_cast<std::int32_t>(v & 0x7f);
}

void cap_costs(std::int32_t cap, std::int64_t n, std::int32_t* out) {
  for (std::int64_t k = 0; k < n; ++k) out[k] = std::min(out[k], cap);
}

void census_costs(const ImageView& left, const ImageView& right, std::int64_t labels,
                  const CostOptions& options, std::int64_t first_row, std::int64_t last_row,
                  std::int32_t* out) {
  const std::int64_t width = left.width;
  const auto n = static_cast<std::size_t>(width);
  std::vector<std::uint64_t> left_bits(n), right_bits(n);
  for (std::int64_t y = first_row; y < last_row; ++y) {
    census_row(left, y, options, left_bits);
    census_row(right, y, options, right_bits);
    std::reverse(right_bits.begin(), right_bits.end());
    for (std::int64_t x = 0; x < width; ++x, out += labels) {
      std::fill(out, out + labels, options.cap);
      const auto inside = labels_inside(x, width, labels, options.min_disparity);
      const std::int64_t count = inside.last - inside.first;
      if (count == 0) continue;
      const std::uint64_t* other =
          right_bits.data() + (width - 1 - x + options.min_disparity + inside.first);
      const std::uint64_t bits = left_bits[static_cast<std::size_t>(x)];
      std::int32_t* costs = out + inside.first;
      for (std::int64_t k = 0; k < count; ++k) costs[k] = count_bits(bits ^ other[k]);
      cap_costs(options.cap, count, costs);
    }
  }
}

void interval_costs(const ImageView& left, const ImageView& right, std::int64_t labels,
                    const CostOptions& options, std::int64_t first_row, std::int64_t last_row,
                    std::int32_t* out) {
  const std::int64_t width = left.width;
  std::vector<SpanRow> left_rows(static_cast<std::size_t>(left.channels),
                                 SpanRow(static_cast<std::size_t>(width)));
  std::vector<SpanRow> right_rows = left_rows;
  const auto add = options.squared ? &add_interval_costs<true> : &add_interval_costs<false>;
  for (std::int64_t y = first_row; y < last_row; ++y) {
    for (std::int64_t c = 0; c < left.channels; ++c) {
      fill_span(left, y, c, options.cost, left_rows[static_cast<std::size_t>(c)]);
      fill_span(right, y, c, options.cost, right_rows[static_cast<std::size_t>(c)]);
      reverse(right_rows[static_cast<std::size_t>(c)]);
    }
    for (std::int64_t x = 0; x < width; ++x, out += labels) {
      std::fill(out, out + labels, options.cap);
      const auto inside = labels_inside(x, width, labels, options.min_disparity);
      const std::int64_t count = inside.last - inside.first;
      if (count == 0) continue;
      std::int32_t* costs = out + inside.first;
      std::fill(costs, costs + count, 0);
      const std::int64_t start = width - 1 - x + options.min_disparity + inside.first;
      for (std::size_t c = 0; c < left_rows.size(); ++c) {
        const auto i = static_cast<std::size_t>(x);
        add(left_rows[c].value[i], left_rows[c].low[i], left_rows[c].high[i],
            right_rows[c].value.data() + start, right_rows[c].low.data() + start,
            right_rows[c].high.data() + start, count, costs);
      }
      cap_costs(options.cap, count, costs);
    }
  }
}

}  // namespace

void cost_volume(const ImageView& left, const ImageView& right, std::int64_t labels,
                 const CostOptions& options, std::int64_t first_row, std::int64_t last_row,
                 std::int32_t* out) {
  if (options.cost == MatchingCost::census) {
    census_costs(left, right, labels, options, first_row, last_row, out);
  } else {
    interval_costs(left, right, labels, options, first_row, last_row, out);
  }
}

}  // namespace rangemoves
