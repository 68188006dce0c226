// How large a problem may be, and why no sum in the core leaves its type. The one place that knows:
// Python asks for these numbers, checks them before anything is allocated, and chooses the scale of
// rounded costs by them.
//
// In what follows "all that a variable can cost" is the spread of its unary costs plus, for each of
// its edges, w times the largest value of g or any surrogate of it: |g| + (L - 1) times its
// steepest step. A surrogate continues g with steps that g has somewhere, so it goes no higher.
//
// The one other place: stereo's views in 16 bits, whose sizes are all constants, assert the same of
// theirs when they are compiled (stereo/view_sweeps.hpp).
#pragma once

#include <cstdint>

#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/problem/value_limits.hpp"

namespace rangemoves {

__extension__ typedef __int128 Int128;

namespace limits {

constexpr std::int64_t kNodes = INT32_MAX;
// Both ends of an edge are numbered with 32 bits, its own number has 31.
constexpr std::int64_t kEdges = Incidence::kMostEdges;
// The largest weight of an edge.
constexpr std::int64_t kWeight = INT32_MAX;
// Nodes of a cut over all labels: variables times (labels - 1).
constexpr std::int64_t kCutNodes = INT32_MAX;

// All that one variable can cost, where unary costs and the terms of moves are 32 bits wide. Twice
// as much would fit: a forbidden label costs more than all the rest.
constexpr std::int64_t kNarrowCost = std::int64_t{1} << 29;
// The same for 64 bits, and the sum over all variables. Messages and flows keep to three times that
// (kernel_load), times a scale of at least one. Integers are looked at in float64 before they are
// taken over, which holds them up to here.
constexpr std::int64_t kWideCost = std::int64_t{1} << 53;
constexpr std::int64_t kTotalCost = std::int64_t{1} << 57;

}  // namespace limits

// Bounds on the absolute values of what kernels read.
struct KernelLoad {
  std::int64_t belief;   // a variable's unary cost and all its messages
  std::int64_t message;  // one message
  std::int64_t cost;     // w H
  std::int64_t step;     // w (H(d+1) - H(d))
  std::int64_t labels;
  std::int64_t chains;     // that run through one variable
  std::int64_t total = 0;  // the beliefs of all variables together: bounds are summed up

  KernelLoad times(std::int64_t scale) const {
    return {belief * scale, message * scale, cost * scale, step * scale,
            labels,         chains,          total * scale};
  }
};

// Bounds on the intermediate values of a kernel.
struct KernelExtremes {
  Int128 lowest, highest;  // anything that is ever computed
  Int128 highest_minimum;  // of a message before it is normalised
  Int128 lowest_fill;      // of "no label": must stay above highest_minimum
};

// Vectors over labels: up to a vector of lanes beyond the last label.
KernelExtremes label_kernel_extremes(const KernelLoad& load, std::int32_t lanes,
                                     std::int64_t unreachable);
// Vectors over rows: no lane runs beyond the labels.
KernelExtremes wavefront_extremes(const KernelLoad& load, std::int64_t unreachable);
// Vectors over rows, with neighbours beside: sums of messages before it is known whose they are,
// and tails that begin beyond the labels.
KernelExtremes stencil_extremes(const KernelLoad& load, std::int64_t unreachable);

// Whether every intermediate of every kernel, at the largest number of lanes, fits; of 64 bits the
// difference of any two as well, since plain x86-64 finds minima by its sign.
template <class Value>
bool kernels_fit(const KernelLoad& load);

// The load of a problem, unscaled. Sweeps leave a message between the least and the
// largest w H. Where cuts put flow back into messages they can grow to 3 |w H| + 2 (L - 1) steps:
// making a pair of messages tight at most adds 2 |w H|, and a column's cells together let through
// twice the steepest step at every level.
KernelLoad kernel_load(const ConvexProblem& problem, bool cuts);
// The same of a problem of this size: weights and their sum over the edges of one variable.
KernelLoad kernel_load(const ConvexTable& table, std::int64_t unary, std::int64_t weight,
                       std::int64_t weight_sum, std::int64_t chains, bool cuts);

// What all costs are multiplied by before they become messages of this type, so that shares of a
// cost keep fractions: the finest scale that fits, or 0 where none does.
template <class Value>
std::int64_t finest_scale(const KernelLoad& load, std::int64_t finest);

// In what type messages are stored, and their scale.
struct MessagePlan {
  std::int64_t scale;
  bool wide;
};

// 32 bits, unless they leave a scale that is too coarse. Throws std::overflow_error where nothing
// fits.
MessagePlan plan_messages(const KernelLoad& load, std::int64_t finest);

}  // namespace rangemoves
