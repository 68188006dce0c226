// The inner loops of message passing, written once and compiled for several instruction sets; which
// one runs is chosen at run time. All of them compute the same integers.
#pragma once

#include <cstdint>

namespace rangemoves {

// Larger than any cost that takes part in a sweep, and far enough from the end of 32 bits that a
// sweep cannot overflow: costs are kept below a quarter of it.
constexpr std::int32_t kUnreachable = 1 << 29;

// One convex function in one orientation, unit weight: out(b) = min_a v(a) + w H(a - b). H is
// straight from -left downward and from right upward: only the differences between need a tap each,
// the straight tails are two scans.
struct EdgeShape {
  const std::int32_t* taps;  // H(-left + 1) .. H(right - 1)
  std::int32_t left, right;
  std::int32_t at_left, at_right;        // H(-left), H(right)
  std::int32_t slope_left, slope_right;  // H(-left - 1) - H(-left), H(right + 1) - H(right)
};

// An edge that is switched on, as seen from one of its nodes.
struct MessageArc {
  std::int32_t edge;
  std::int32_t shape;  // of the message that this node sends
};

// A node's arcs: first those to nodes before it in the order, then those to nodes after it.
struct MessageNode {
  std::int64_t first;
  std::uint16_t before, after;
  bool takes_part;
};

// Everything a sweep reads and writes. Vectors over labels are `stride` long; a message's padding
// is 0, a unary's is kUnreachable.
struct SweepView {
  std::int32_t labels, stride;
  const std::int32_t* unary;
  std::int32_t* messages;  // per edge one message: to the later node after a forward sweep, to the
                           // earlier after a backward
  const MessageNode* nodes;
  const MessageArc* arcs;
  const std::int32_t* weight;  // per edge
  const EdgeShape* shapes;
};

// What a sweep can note on its way: the labels whose belief is within `slack` of the best one.
struct BandNote {
  std::int64_t nodes;
  std::int32_t slack;
  std::int32_t *low, *high;  // widened by one on each side
};

// A 4-connected grid, one lane of a vector per row. Lane k of strip r stands at row r * lanes + k
// and, in step s, at column s - k: all lanes of a step are independent of each other, so a step is
// as many TRW-S updates in raster order as there are lanes, with no shuffle between labels. Blocks
// of `lanes` values per label, `labels` of them per cell (strip, step).
struct WavefrontView {
  std::int32_t labels, width, strips, steps;
  const std::int32_t* unary;
  std::int32_t *right, *down;  // the message on the edge to the right and on the edge downward, 0
                               // where there is none
  const std::int32_t *right_weight, *down_weight;  // per cell and lane, 0 where there is no edge
  const std::uint16_t *has_right, *has_down;       // per cell: a bit per lane
  EdgeShape forward, backward;
};

struct Kernels {
  const char* name;
  std::int32_t lanes;

  // One TRW-S update of the nodes first .. last-1 in forward, or last-1 .. first in backward order.
  // Returns what they add to the lower bound. scratch: scratch_size(...) values.
  std::int64_t (*sweep)(const SweepView& view, std::int32_t first, std::int32_t last, bool forward,
                        const BandNote* note, std::int32_t* scratch);

  // The same over the steps first .. last-1 of one strip of a wavefront.
  std::int64_t (*wavefront)(const WavefrontView& view, std::int32_t strip, std::int32_t first,
                            std::int32_t last, bool forward, const BandNote* note,
                            std::int32_t* scratch);

  // The labels of the steps first .. last-1 of one strip, after a backward sweep: each lane takes
  // its best one given x to the left and above and the messages from the right and below. g points
  // to the middle of the table that the edges cost; nodes is the size of the grid.
  void (*decode)(const WavefrontView& view, std::int32_t strip, std::int32_t first,
                 std::int32_t last, const std::int32_t* g, std::int32_t* x, std::int64_t nodes);

  // Lane by lane: earlier <- min (w h - later), then later <- min (w h - earlier). Blocks of
  // `labels` vectors.
  void (*tighten_lanes)(const EdgeShape& to_earlier, const EdgeShape& to_later,
                        const std::int32_t* weight, std::int32_t* earlier, std::int32_t* later,
                        std::int32_t labels, std::int32_t* scratch);

  // out(b) = min_a v(a) + w H(a - b); v and out are `stride` long, the padding of v is ignored,
  // that of out is 0.
  void (*convolve)(const EdgeShape& shape, std::int32_t weight, const std::int32_t* v,
                   std::int32_t* out, std::int32_t labels, std::int32_t stride,
                   std::int32_t* scratch);
};

inline std::int32_t stride_for(std::int32_t labels, std::int32_t lanes) {
  return (labels + lanes - 1) / lanes * lanes;
}

// Three label vectors with room on both sides for the widest shift, theta, and the taps of one
// edge.
inline std::int64_t scratch_size(std::int32_t stride) {
  return 12 * (static_cast<std::int64_t>(stride) + 32);
}

// For a wavefront: six vectors per label with room for the widest shift, and the taps.
inline std::int64_t wavefront_scratch_size(std::int32_t labels, std::int32_t lanes) {
  return static_cast<std::int64_t>(lanes) * (24LL * labels + 64);
}

// The best set this machine has, or the one that the environment variable RANGEMOVES_SIMD names
// (plain, avx2, avx512). Throws std::invalid_argument where that one is not to be had.
const Kernels& kernels();

// All sets this machine can run, by name, best first; a null pointer ends the list.
const Kernels* const* available_kernels();

}  // namespace rangemoves
