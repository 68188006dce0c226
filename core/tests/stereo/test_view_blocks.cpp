// Blocks of pixels: their costs, and messages handed down to pixels, in place as well.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/view_blocks.hpp"

namespace {

using namespace rangemoves;

void a_block_costs_the_mean_of_its_pixels() {
  // Three columns of two rows, one label: the last column stands for two.
  const std::vector<std::uint8_t> costs{10, 20, 255, 30, 41, 253};
  std::vector<std::uint8_t> out(2);
  block_costs(costs.data(), 2, 3, 1, 0, 1, out.data());
  expect(out[0] == 25 && out[1] == 254, "the mean of four, rounded down");
  block_costs(costs.data(), 1, 3, 1, 0, 1, out.data());
  expect(out[0] == 15 && out[1] == 255, "the last row stands for two as well");
}

struct Size {
  std::int64_t height, width, stride;
  std::int64_t pixels() const { return height * width * stride; }
  Size blocks() const { return {(height + 1) / 2, (width + 1) / 2, stride}; }
};

void pixels_take_part_of_what_their_block_has(const Size& fine, unsigned seed) {
  const Size coarse = fine.blocks();
  std::mt19937 random(seed);
  std::vector<std::int16_t> blocks(static_cast<std::size_t>(2 * coarse.pixels()));
  for (auto& m : blocks) m = static_cast<std::int16_t>(random() % 1001);
  // Both directions, with the blocks at the very end of the memory of the pixels.
  std::vector<std::int16_t> memory(static_cast<std::size_t>(2 * fine.pixels()));
  std::int16_t* const end = memory.data() + memory.size();
  std::copy(blocks.begin(), blocks.end(), end - blocks.size());
  for (std::int64_t direction = 0; direction < 2; ++direction) {
    const std::int16_t* from = end - (2 - direction) * coarse.pixels();
    for (std::int64_t row = 0; row < coarse.height; row += 3)
      spread_messages(from, fine.height, fine.width, fine.stride, row,
                      std::min(row + 3, coarse.height), memory.data() + direction * fine.pixels());
  }
  auto found = memory.begin();
  for (std::int64_t direction = 0; direction < 2; ++direction)
    for (std::int64_t y = 0; y < fine.height; ++y)
      for (std::int64_t x = 0; x < fine.width; ++x)
        for (std::int64_t k = 0; k < fine.stride; ++k) {
          const std::int64_t block =
              ((direction * coarse.height + y / 2) * coarse.width + x / 2) * fine.stride + k;
          expect(*found++ == blocks[static_cast<std::size_t>(block)] * 7 / 5,
                 "70 % of two messages of the block", seed);
        }
}

}  // namespace

int main() {
  a_block_costs_the_mean_of_its_pixels();
  unsigned seed = 0;
  for (std::int64_t height : {3, 4, 9, 16})
    for (std::int64_t width : {3, 4, 11, 14})
      pixels_take_part_of_what_their_block_has({height, width, 16}, seed++);
}
