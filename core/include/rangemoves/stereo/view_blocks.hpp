// A view at half its size, to begin with messages that have come a long way.
//
// Blocks of two by two pixels that share a label make a smaller problem of the same kind; a sweep
// there costs a quarter and carries twice as far. Costs and weights are a quarter of what they add
// up to, so that they fit the bytes and 16 bits of view_sweeps.hpp: a block costs the mean of its
// pixels, and an edge between blocks a quarter of the two edges it stands for.
#pragma once

#include <cstdint>

namespace rangemoves {

// Rows [first_row, last_row) of the blocks' costs, from those of the pixels (height, width,
// stride). Where the number of rows or columns is odd, the last one counts twice.
void block_costs(const std::uint8_t* costs, std::int64_t height, std::int64_t width,
                 std::int64_t stride, std::int64_t first_row, std::int64_t last_row,
                 std::uint8_t* out);

// Gives messages of blocks, of one direction, to the pixels (height, width, stride) of the rows
// [first_row, last_row) of blocks: every edge of a pixel takes what the edge of its block has. The
// two edges that make an edge of blocks share its message, which is four times as large as it says;
// of their half they take 70 %, since pixels of a block differ and its messages exaggerate. That
// stays below kLargestJump: an edge of blocks weighs at most half of what an edge of pixels may.
// The blocks may lie at the very end of the memory that the pixels' messages fill.
void spread_messages(const std::int16_t* blocks, std::int64_t height, std::int64_t width,
                     std::int64_t stride, std::int64_t first_row, std::int64_t last_row,
                     std::int16_t* messages);

}  // namespace rangemoves
