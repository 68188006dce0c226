// The inner loops of message passing, written once and compiled for several instruction sets; which
// one runs is chosen at run time. All of them compute the same integers.
#pragma once

#include <cstdint>

#include "rangemoves/problem/value_limits.hpp"

namespace rangemoves {

using LaneBits = std::uint32_t;  // a bit per lane

// One convex function in one orientation, unit weight: out(b) = min_a v(a) + w H(a - b). H is
// straight from -left downward and from right upward: only the differences between need a tap each,
// the straight tails are two scans.
template <class Value>
struct EdgeShape {
  const Value* taps;  // H(-left + 1) .. H(right - 1)
  std::int32_t left, right;
  Value at_left, at_right;        // H(-left), H(right)
  Value slope_left, slope_right;  // H(-left - 1) - H(-left), H(right + 1) - H(right)
  std::int32_t pairs;  // besides the centre: taps, if they are the same on both sides; else -1
  bool is_capped;      // both tails are flat, at the same height, and no tap is higher
  // H(d) = min(rise_right d, cap) for d >= 0 and min(-rise_left d, cap) below: two scans will do.
  bool is_vee;
  Value rise_left, rise_right;
  Value cap;             // the most that it costs
  bool is_rising;        // on either side of H(0), which has a tap, it never falls
  bool taps_are_convex;  // those between -left and right
};

// An edge that is switched on, as seen from one of its nodes.
struct MessageArc {
  std::int32_t edge;   // where its message and its weight lie
  std::int32_t shape;  // of the message that this node sends
};

// A node's arcs: first those to nodes before it in the order, then those to nodes after it.
struct MessageNode {
  std::int64_t first;
  std::int32_t before, after;
  bool takes_part;
};

// Everything a sweep reads and writes. Vectors over labels are `stride` long; a message's padding
// is 0, a unary's is unreachable.
template <class Value>
struct SweepView {
  std::int32_t labels, stride;
  const Value* unary;
  Value* messages;  // per edge one message: to the later node after a forward sweep, to the
                    // earlier after a backward
  const MessageNode* nodes;
  const MessageArc* arcs;
  const Value* weight;  // per edge
  const EdgeShape<Value>* shapes;
  // No cycles, and no node has more than one before it. Then a node sends its whole belief instead
  // of a share, and a message is the least cost of the subtree behind it.
  bool is_forest;
};

// An edge as seen from one of its nodes, where both of its messages are kept.
struct LazyArc {
  std::int32_t edge;   // where its messages and its weight lie
  std::int32_t shape;  // of the message that this node sends
  std::int32_t other;  // the node at its other end
};

// Everything a lazy sweep reads and writes: as SweepView, but for the following.
template <class Value>
struct LazyView {
  std::int32_t labels, stride;
  const Value* unary;  // "no label" where a label is left out
  Value* messages;     // two per edge
  const MessageNode* nodes;
  const LazyArc* arcs;
  const Value* weight;
  const EdgeShape<Value>* shapes;
  std::uint8_t *forward_marks, *backward_marks;  // per node: whether the next sweep visits it

  Value* message(std::int32_t edge, bool to_later) const {
    return messages + (2 * static_cast<std::int64_t>(edge) + to_later) * stride;
  }
};

// What a sweep can note on its way: the labels whose belief is within `slack` of the best one.
struct BandNote {
  std::int64_t nodes;
  std::int64_t slack;
  std::int32_t *low, *high;  // widened by this many labels on each side:
  std::int32_t margin = 1;
};

// A 4-connected grid, one lane of a vector per row. Lane k of strip r stands at row r * lanes + k
// and, in step s, at column s - k: all lanes of a step are independent of each other, so a step is
// as many TRW-S updates in raster order as there are lanes, with no shuffle between labels. Blocks
// of `lanes` values per label, `labels` of them per cell (strip, step).
template <class Value>
struct WavefrontView {
  std::int32_t labels, width, strips, steps;
  const Value* unary;
  Value *right, *down;  // the message on the edge to the right and on the edge downward, 0
                        // where there is none
  // Per cell and label the message on the last lane's edge downward once more, for the strip below:
  // there they lie close together. A backward sweep reads them, a forward one writes them first.
  Value* border;
  const Value *right_weight, *down_weight;  // per cell and lane, 0 where there is no edge
  const LaneBits *has_right, *has_down;     // per cell
  const std::uint8_t* is_empty;             // per cell: whether no variable there takes part
  EdgeShape<Value> forward, backward;
};

// Where the labels that are read off a wavefront go, and what its edges cost.
template <class Value>
struct WavefrontLabels {
  const Value* g;      // the middle of their table
  std::int32_t* x;     // in raster order
  std::int64_t nodes;  // of the grid
};

// Where a node's later neighbours are.
struct StencilOffset {
  std::int32_t dz, dy, dx;
};

// Of a grid with 4 or 8 neighbours, of a volume with 6 or 26; in the order of the nodes.
constexpr StencilOffset kStencil4[] = {{0, 0, 1}, {0, 1, 0}};
constexpr StencilOffset kStencil6[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
constexpr StencilOffset kStencil8[] = {{0, 0, 1}, {0, 1, -1}, {0, 1, 0}, {0, 1, 1}};
constexpr StencilOffset kStencil26[] = {{0, 0, 1},  {0, 1, -1}, {0, 1, 0},  {0, 1, 1}, {1, -1, -1},
                                        {1, -1, 0}, {1, -1, 1}, {1, 0, -1}, {1, 0, 0}, {1, 0, 1},
                                        {1, 1, -1}, {1, 1, 0},  {1, 1, 1}};
constexpr std::int32_t kMostOffsets = 13;

// A grid or volume with any of these neighbourhoods, one lane of a vector per row of a slice. Lane
// k of a strip of rows stands at row k of it and, in step s, at column s - skew * k. A row further
// down may have a neighbour one column to the right of its own: then a skew of 1 would put both
// into the same step, and it is 2. `chain` strips follow each other without a break, so that lanes
// do not stand idle at the ends of rows: column width is column 0 of the next strip. Blocks of
// `lanes` values per label, `labels` of them per cell (slice, chain, step). A table per offset, in
// one orientation. What belongs to the offsets of a cell lies together: memory is read in few
// streams, which the hardware can follow.
template <class Value>
struct StencilView {
  std::int32_t labels, height, width;
  std::int32_t chain, chains, steps, skew;  // strips per chain, chains per slice, steps per chain
  std::int32_t count;                       // of offsets: 2, 3, 4 or 13
  const StencilOffset* offsets;
  const Value* unary;
  Value* messages;             // by cell of the earlier node and offset; 0 where there is no edge
  const Value* weight;         // by cell, offset and lane; 0 where there is no edge
  const LaneBits* has;         // by cell and offset: where the edge is on
  const LaneBits* takes_part;  // by cell: which lanes are nodes that take part
  const EdgeShape<Value>*to_later, *to_earlier;  // per offset
  const std::int32_t* node_at;  // the node at a place in raster order, null where it is the place
};

// How much of a message of blocks goes to a finer edge. Doubles, because every vector unit can
// multiply them: a part is a message of the finer problem, which fits 32 bits, and products of less
// than 2^53 are exact. Elsewhere units of 2^-kPartBits.
template <class Value>
struct PartFactor {
  using Type = double;
};
template <>
struct PartFactor<std::int64_t> {
  using Type = std::int64_t;
};
constexpr int kPartBits = 20;

// What the even lanes of a cell get from blocks, or the odd ones. Two rows by two columns are a
// block, so that these lanes get a part of the same cell of blocks, one lane there after the other,
// and a part of another one, `before`. Blocks of as many values per label as a cell has lanes.
template <class Value>
struct BlockLanes {
  static constexpr int kMost = 4 * sizeof(LaneBits);  // half of the lanes
  const Value *now = nullptr, *before = nullptr;
  // If there is one, the first lane's `before` is here, and the others' begin where its would be.
  const Value* first_before = nullptr;
  typename PartFactor<Value>::Type of_now[kMost], of_before[kMost];
};

template <class Value>
struct Kernels {
  std::int32_t lanes;

  // One TRW-S update of the nodes first .. last-1 in forward, or last-1 .. first in backward order.
  // Returns what they add to the lower bound. scratch: scratch_size(...) values.
  std::int64_t (*sweep)(const SweepView<Value>& view, std::int32_t first, std::int32_t last,
                        bool forward, const BandNote* note, Value* scratch);

  // The same over the steps first .. last-1 of one strip of a wavefront.
  std::int64_t (*wavefront)(const WavefrontView<Value>& view, std::int32_t strip,
                            std::int32_t first, std::int32_t last, bool forward,
                            const BandNote* note, Value* scratch);

  // The labels of the steps first .. last-1 of one strip, after a backward sweep: each lane takes
  // its best one given x to the left and above and the messages from the right and below. Returns
  // what these labels and the edges to earlier ones cost.
  std::int64_t (*decode)(const WavefrontView<Value>& view, std::int32_t strip, std::int32_t first,
                         std::int32_t last, const WavefrontLabels<Value>& to);

  // Both at once: a forward sweep that reads off the labels of the backward sweep before it, while
  // it has its messages at hand. Returns what `wavefront` does; *cost receives what `decode` does.
  std::int64_t (*wavefront_decode)(const WavefrontView<Value>& view, std::int32_t strip,
                                   std::int32_t first, std::int32_t last,
                                   const WavefrontLabels<Value>& to, std::int64_t* cost,
                                   Value* scratch);

  // Lane by lane: earlier <- min (w h - later), then later <- min (w h - earlier). Blocks of
  // `labels` vectors.
  void (*tighten_lanes)(const EdgeShape<Value>& to_earlier, const EdgeShape<Value>& to_later,
                        const Value* weight, Value* earlier, Value* later, std::int32_t labels,
                        Value* scratch);

  // Adds to each lane its parts of two messages of blocks.
  void (*add_block_parts)(const BlockLanes<Value>& even, const BlockLanes<Value>& odd, Value* to,
                          std::int32_t labels);

  // out(b) = min_a v(a) + w H(a - b); v and out are `stride` long, the padding of v is ignored,
  // that of out is 0.
  void (*convolve)(const EdgeShape<Value>& shape, Value weight, const Value* v, Value* out,
                   std::int32_t labels, std::int32_t stride, Value* scratch);

  // As wavefront and decode, for the steps first .. last-1 of one chain of one slice; chains are
  // numbered through all slices. g points, per offset, to the middle of the table that its edges
  // cost, as a function of the earlier label less the later one.
  std::int64_t (*stencil)(const StencilView<Value>& view, std::int32_t row, std::int32_t first,
                          std::int32_t last, bool forward, const BandNote* note, Value* scratch);
  std::int64_t (*stencil_decode)(const StencilView<Value>& view, std::int32_t row,
                                 std::int32_t first, std::int32_t last, const Value* const* g,
                                 std::int32_t* x, Value* scratch);

  // One vector by another, for what is not negative and divisors that fit 32 bits: how shares are
  // made.
  void (*divide)(const Value* values, const Value* by, Value* out);

  // As sweep, for the marked ones among the nodes first .. last-1: their marks are taken off, and
  // who gets a message that moved by more than eps is marked for both directions. Returns how many
  // were visited.
  std::int64_t (*lazy)(const LazyView<Value>& view, std::int32_t first, std::int32_t last,
                       bool forward, Value eps, Value* scratch);
};

inline std::int32_t stride_for(std::int32_t labels, std::int32_t lanes) {
  return (labels + lanes - 1) / lanes * lanes;
}

// For up to four edges at once three label vectors with room on both sides for the widest shift and
// the taps; then a belief, a share of it and what remains.
inline std::int64_t scratch_size(std::int32_t stride) {
  return 48 * (static_cast<std::int64_t>(stride) + 16);
}

// For a wavefront: what two convolutions or one and the parts of a belief need (LaneRoom).
inline std::int64_t wavefront_scratch_size(std::int32_t labels, std::int32_t lanes) {
  return static_cast<std::int64_t>(lanes) * (16LL * labels + 128);
}

// The kernels for one instruction set.
struct Level {
  const char* name;
  const Kernels<std::int32_t>& narrow;
  const Kernels<std::int64_t>& wide;  // half as many lanes: as many bytes

  template <class Value>
  const Kernels<Value>& of() const {
    if constexpr (sizeof(Value) == 4)
      return narrow;
    else
      return wide;
  }
};

// All sets this machine can run, best first; a null pointer ends the list. The last ones are plain
// vectors, which every machine has, as wide as those of any.
const Level* const* available_levels();

// The best set this machine has, or the one that the environment asks for: RANGEMOVES_SIMD by name
// (plain, avx2, avx512, neon; plain8 and wider too), RANGEMOVES_LANES plain vectors of so many
// lanes (4, 8, 16, 32). Throws std::invalid_argument where that one is not to be had.
const Level& chosen_level();

}  // namespace rangemoves
