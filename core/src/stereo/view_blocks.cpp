#include "rangemoves/stereo/view_blocks.hpp"

#include <algorithm>
#include <vector>

#include "rangemoves/stereo/view_sweeps.hpp"

namespace rangemoves {

namespace {

// 70 % of twice a message of blocks.
constexpr std::int32_t part = 7, whole = 5;

static_assert(kLargestJump / 2 * part / whole <= kLargestJump,
              "what pixels begin with is no larger than what they send");

}  // namespace

void block_costs(const std::uint8_t* costs, std::int64_t height, std::int64_t width,
                 std::int64_t stride, std::int64_t first_row, std::int64_t last_row,
                 std::uint8_t* out) {
  for (std::int64_t y = first_row; y < last_row; ++y) {
    const std::uint8_t* above = costs + 2 * y * width * stride;
    const std::uint8_t* below = costs + std::min(2 * y + 1, height - 1) * width * stride;
    for (std::int64_t x = 0; x < width; x += 2, out += stride) {
      const std::int64_t left = x * stride, right = std::min(x + 1, width - 1) * stride;
      for (std::int64_t k = 0; k < stride; ++k)
        out[k] = static_cast<std::uint8_t>(
            (above[left + k] + above[right + k] + below[left + k] + below[right + k]) / 4);
    }
  }
}

void spread_messages(const std::int16_t* blocks, std::int64_t height, std::int64_t width,
                     std::int64_t stride, std::int64_t first_row, std::int64_t last_row,
                     std::int16_t* messages) {
  const std::int64_t columns = (width + 1) / 2;
  // A row of blocks is read before its pixels are written: these may lie where it lay. The rows of
  // blocks after it are out of reach, since they take up less than the pixels still to come.
  std::vector<std::int16_t> row(static_cast<std::size_t>(columns * stride));
  for (std::int64_t y = first_row; y < last_row; ++y) {
    const std::int16_t* from = blocks + y * columns * stride;
    std::transform(from, from + columns * stride, row.begin(),
                   [](std::int16_t m) { return static_cast<std::int16_t>(m * part / whole); });
    for (std::int64_t v = 2 * y; v < std::min(2 * y + 2, height); ++v) {
      std::int16_t* to = messages + v * width * stride;
      for (std::int64_t x = 0; x < width; ++x, to += stride) {
        const std::int16_t* mine = row.data() + x / 2 * stride;
        std::copy(mine, mine + stride, to);
      }
    }
  }
}

}  // namespace rangemoves
