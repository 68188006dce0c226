#include "rangemoves/problem/limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace rangemoves {

namespace {

// Below this, shares of a cost lose too much to rounding: 64 bits are the better choice.
constexpr std::int64_t kCoarsestNarrowScale = 8;

// Bound on the absolute value of a message on an edge of weight 1.
std::int64_t message_per_weight(std::int64_t cost, std::int64_t step, std::int64_t labels,
                                bool cuts) {
  return cuts ? 3 * cost + 2 * step * (labels - 1) : cost;
}

std::int64_t largest_value(const ConvexTable& table) {
  const int end = table.h.labels() - 1;
  std::int64_t largest = 0;
  for (int d = -end; d <= end; ++d) largest = std::max(largest, std::abs(table.h(d)));
  return largest;
}

// The vector that is convolved is a share of the belief less the message that came back: the share
// of one among n chains is rounded, and the last chain takes up to n more.
Int128 largest_input(const KernelLoad& load) {
  return Int128{load.belief} + load.chains + load.message;
}

}  // namespace

KernelExtremes label_kernel_extremes(const KernelLoad& load, std::int32_t lanes,
                                     std::int64_t unreachable) {
  const Int128 v = largest_input(load), ramp = Int128{lanes} * load.step;
  // Ramps run over the labels, the padding up to a whole vector, and one vector of carry.
  const Int128 run = (Int128{load.labels} + 2 * lanes) * load.step;
  KernelExtremes extremes;
  extremes.highest_minimum = v + load.cost;
  extremes.lowest_fill = unreachable - run - load.cost;
  // Padding lanes keep "no label" plus a ramp and a tap; the least of all is then taken off.
  extremes.highest = unreachable + ramp + load.cost + v;
  extremes.lowest = -(2 * v + run + load.cost);
  return extremes;
}

KernelExtremes wavefront_extremes(const KernelLoad& load, std::int64_t unreachable) {
  const Int128 v = largest_input(load);
  KernelExtremes extremes;
  extremes.highest_minimum = v + load.cost;
  extremes.lowest_fill = Int128{unreachable} - load.step - load.cost;
  extremes.highest = Int128{unreachable} + load.step + load.cost + v;
  // A block of labels reads taps up to a block beyond the table, less the least, and adds v to
  // them; decoding multiplies a slope by a difference of labels.
  constexpr std::int64_t block = 8;
  const Int128 beyond = 2 * v + load.cost + (Int128{load.labels} + block) * load.step;
  extremes.highest = std::max(extremes.highest, beyond);
  extremes.lowest = -beyond;
  return extremes;
}

KernelExtremes stencil_extremes(const KernelLoad& load, std::int64_t unreachable) {
  // The messages of up to six offsets are added up for all lanes of a strip beside, though one lane
  // is wanted: in the others they are of different nodes.
  constexpr std::int64_t offsets = 6;
  const Int128 run = Int128{load.labels} * load.step;
  KernelExtremes extremes = wavefront_extremes(load, unreachable);
  // A tail that falls goes on falling from "no label" as far as it begins from the labels.
  extremes.lowest_fill = Int128{unreachable} - run - load.cost;
  extremes.highest = std::max<Int128>(extremes.highest, Int128{offsets} * load.message);
  extremes.lowest = std::min<Int128>(extremes.lowest, -(Int128{offsets} * load.message));
  return extremes;
}

template <class Value>
bool kernels_fit(const KernelLoad& load) {
  constexpr Int128 most = std::numeric_limits<Value>::max();
  constexpr std::int32_t most_lanes = kMostBytes / static_cast<std::int32_t>(sizeof(Value));
  // Decoding adds up to w H per edge to the belief, which holds a message of that size already.
  if (2 * Int128{load.belief} >= unreachable<Value>) return false;
  if (load.belief > unreachable<Value> / 4) return false;
  for (const KernelExtremes& e :
       {label_kernel_extremes(load, most_lanes, unreachable<Value>),
        wavefront_extremes(load, unreachable<Value>), stencil_extremes(load, unreachable<Value>)})
    if (e.highest > most || e.lowest < -most || e.lowest_fill <= e.highest_minimum ||
        (sizeof(Value) == 8 && e.highest - e.lowest > most))
      return false;
  return true;
}

template bool kernels_fit<std::int32_t>(const KernelLoad&);
template bool kernels_fit<std::int64_t>(const KernelLoad&);

KernelLoad kernel_load(const ConvexTable& table, std::int64_t unary, std::int64_t weight,
                       std::int64_t weight_sum, std::int64_t chains, bool cuts) {
  const std::int64_t labels = table.h.labels(), cost = largest_value(table);
  const std::int64_t message = message_per_weight(cost, table.steepest, labels, cuts);
  return {unary + weight_sum * message,
          weight * message,
          weight * cost,
          weight * table.steepest,
          labels,
          chains,
          0};
}

KernelLoad kernel_load(const ConvexProblem& problem, bool cuts) {
  // Of every table, per unit of weight: tables may differ as much as weights do.
  struct Unit {
    std::int64_t message, cost, step;
  };
  std::vector<Unit> units;
  for (const ConvexTable& table : problem.tables) {
    const std::int64_t cost = largest_value(table);
    units.push_back(
        {message_per_weight(cost, table.steepest, problem.labels, cuts), cost, table.steepest});
  }
  KernelLoad load{1, 0, 0, 0, problem.labels, 1, 0};
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    if (!problem.takes_part(i)) continue;
    std::int64_t belief = problem.largest_unary(i);
    for (const Incidence* n = problem.graph.begin(i); n != problem.graph.end(i); ++n) {
      const std::int64_t w = problem.weight[n->edge];
      const Unit& unit = units[problem.table_of_edge.empty() ? 0 : problem.table_of_edge[n->edge]];
      belief += w * unit.message;
      load.message = std::max(load.message, w * unit.message);
      load.cost = std::max(load.cost, w * unit.cost);
      load.step = std::max(load.step, w * unit.step);
    }
    load.belief = std::max(load.belief, belief);
    load.total += belief;
    load.chains =
        std::max<std::int64_t>(load.chains, problem.graph.end(i) - problem.graph.begin(i));
  }
  return load;
}

template <class Value>
std::int64_t finest_scale(const KernelLoad& load, std::int64_t finest) {
  // A node adds no more than four times its belief to a bound, there and back.
  constexpr std::int64_t most_total = std::int64_t{1} << 60;
  std::int64_t scale = finest;
  while (scale > 0 && (std::max(load.total, load.belief) > most_total / scale ||
                       !kernels_fit<Value>(load.times(scale))))
    scale /= 2;
  return scale;
}

template std::int64_t finest_scale<std::int32_t>(const KernelLoad&, std::int64_t);
template std::int64_t finest_scale<std::int64_t>(const KernelLoad&, std::int64_t);

MessagePlan plan_messages(const KernelLoad& load, std::int64_t finest) {
  const std::int64_t narrow = finest_scale<std::int32_t>(load, finest);
  if (narrow >= kCoarsestNarrowScale) return {narrow, false};
  const std::int64_t wide = finest_scale<std::int64_t>(load, finest);
  if (wide > 0) return {wide, true};
  throw std::overflow_error(
      "costs must be small enough for message passing: all of them together may come to at most "
      "2^57; divide all costs by a common factor");
}

}  // namespace rangemoves
