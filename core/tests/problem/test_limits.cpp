// The argument of limits.hpp at its edge: the largest problems that it lets through give, in every
// kernel, width and type, what arithmetic that cannot overflow gives.
#include "rangemoves/problem/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "oracle_trws.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/lazy_messages.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/problem/value_limits.hpp"
#include "rangemoves/run/aligned.hpp"

using namespace rangemoves;

namespace {

// Shapes that strain different intermediates; multiplied up to the limit.
std::vector<Table> shapes(int labels) {
  const auto table = [&](auto&& g) {
    std::vector<std::int64_t> values;
    for (int d = 1 - labels; d < labels; ++d) values.push_back(g(d));
    return Table(values);
  };
  return {table([](int d) { return std::int64_t{std::abs(d)}; }),     // a long ramp
          table([](int d) { return std::int64_t{d == 0 ? 0 : 1}; }),  // one steep step
          table([](int d) { return std::int64_t{d} * d; }),           // taps only
          table([&](int d) { return std::int64_t{std::min(std::abs(d), labels / 2)}; }),  // a cap
          table([&](int d) { return std::int64_t{std::min(d * d, labels * labels / 4)}; }),
          table([&](int d) { return std::int64_t{labels} - std::abs(d); }),        // falling tails
          table([&](int d) { return std::int64_t{3 * labels + d}; }),              // one-sided
          table([&](int d) { return std::int64_t{-9 * labels + std::abs(d)}; })};  // far below zero
}

Table times(const Table& g, std::int64_t factor) {
  std::vector<std::int64_t> values;
  for (int d = 1 - g.labels(); d < g.labels(); ++d) values.push_back(factor * g(d));
  return Table(values);
}

// A problem whose unary costs go up and down between the limits.
ConvexProblem extreme(const Neighbourhood& graph, const Table& g, std::int64_t unary) {
  Control control;
  const int labels = g.labels();
  const auto n = static_cast<std::size_t>(graph.nodes());
  ConvexProblem problem{graph,
                        labels,
                        CostVolume(graph.nodes(), labels, true, control),
                        std::vector<std::int32_t>(static_cast<std::size_t>(graph.edges()), 1),
                        {ConvexTable::of_any(g)},
                        {},
                        std::vector<std::int32_t>(n, 0),
                        std::vector<std::int32_t>(n, labels - 1)};
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    for (int l = 0; l < labels; ++l) problem.unary.set(i, l, (i + l) % 2 == 0 ? unary : -unary);
  return problem;
}

// The largest factor with which the problem still fits; `share`: how much of that is unary.
template <class Value>
ConvexProblem largest(const Neighbourhood& graph, const Table& shape, std::int64_t share,
                      bool cuts = false) {
  std::int64_t factor = 0;
  for (std::int64_t step = std::int64_t{1} << 56; step > 0; step /= 2) {
    const std::int64_t next = factor + step;
    if (next > (std::int64_t{1} << 56)) continue;
    const KernelLoad load = kernel_load(extreme(graph, times(shape, 1), share), cuts);
    // Beyond what 64 bits hold nothing fits.
    if (Int128{load.total} * next > (Int128{1} << 61)) continue;
    if (finest_scale<Value>(load.times(next), 1) == 1) factor = next;
  }
  expect(factor > 0, "something fits");
  return extreme(graph, times(shape, factor), share * factor);
}

Neighbourhood star(std::int32_t leaves) {
  std::vector<std::int32_t> tail(static_cast<std::size_t>(leaves), 0), head;
  for (std::int32_t i = 1; i <= leaves; ++i) head.push_back(i);
  return Neighbourhood(leaves + 1, tail, head, 0);
}

// by_rows: however few the rows are.
template <class Value>
void at_the_limit(const Neighbourhood& graph, bool by_rows = false) {
  for (const int labels : {2, 3, 17, 40})
    for (const Table& shape : shapes(labels))
      for (const std::int64_t share : {0, 1, 1000}) {
        Control control;
        const ConvexProblem problem = largest<Value>(graph, shape, share);
        const Energy energy{graph, labels, problem.unary.base(), problem.weight.data(),
                            problem.tables.front().h};
        ScalarTrws<Int128> plain(energy, 1);
        const auto messages = by_rows ? make_stencil_messages<Value>(problem, 1, 1, control)
                                      : find_backend("cpu").make<Value>(problem, 1, 1, control);
        messages->load(problem, control);
        Labelling x(static_cast<std::size_t>(graph.nodes()), 0);
        for (int k = 0; k < 3; ++k) {
          for (const bool forward : {true, false})
            expect(messages->sweep(forward, nullptr, control) == plain.sweep(forward),
                   "the largest costs that fit do not overflow", labels);
          messages->decode(problem, x, control);
          expect(x == plain.decode(), "nor does the labelling", labels);
        }
      }
}

// A convolution whose input is as large as the argument says, with either sign.
template <class Value>
void convolutions(const Kernels<Value>& kernels) {
  const Neighbourhood graph = star(3);
  for (const int labels : {1, 2, 5, 16, 33})
    for (const Table& shape : shapes(labels)) {
      const ConvexProblem problem = largest<Value>(graph, shape, 1);
      const ConvexTable& table = problem.tables.front();
      const KernelLoad load = kernel_load(problem, false);
      const auto most = static_cast<Value>(load.belief + load.chains + load.message);
      const ShapePair<Value> pair(table);
      const std::int32_t stride = stride_for(labels, kernels.lanes);
      AlignedArray<Value> v(static_cast<std::size_t>(stride)), out(v.size()),
          scratch(static_cast<std::size_t>(scratch_size(stride)));
      for (const int period : {1, 2, 3}) {
        for (int l = 0; l < labels; ++l) v[static_cast<std::size_t>(l)] = l % period ? -most : most;
        kernels.convolve(pair.from_tail(), 1, v.data(), out.data(), labels, stride, scratch.data());
        for (int b = 0; b < labels; ++b) {
          Int128 least = Int128{v[0]} + table.h(-b);
          for (int a = 1; a < labels; ++a)
            least = std::min(least, Int128{v[static_cast<std::size_t>(a)]} + table.h(a - b));
          expect(out[static_cast<std::size_t>(b)] == least, "a convolution at the limit", labels);
        }
      }
    }
}

template <class Value>
LazyMessages<Value> lazy_messages(const ConvexProblem& problem) {
  Control control;
  return {ordered_graph(problem, 1, control), problem.tables, problem.labels, 1, nullptr};
}

// All labels of all variables but one, which lacks its first.
template <class Value>
void fill(const ConvexProblem& problem, LazyMessages<Value>& lazy) {
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    for (int l = 0; l < problem.labels; ++l)
      lazy.unary(problem.graph.rank(i))[l] = i == 1 && l == 0 && problem.labels > 2
                                                 ? unreachable<Value>
                                                 : static_cast<Value>(problem.unary(i, l));
  lazy.mark_all();
}

// 64 bits have room for what is at the limit of 32.
void lazy_sweeps_at_the_limit(const Neighbourhood& graph) {
  for (const int labels : {2, 3, 17, 40})
    for (const Table& shape : shapes(labels))
      for (const std::int64_t share : {0, 1, 1000}) {
        const ConvexProblem problem = largest<std::int32_t>(graph, shape, share);
        auto narrow = lazy_messages<std::int32_t>(problem);
        auto wide = lazy_messages<std::int64_t>(problem);
        fill(problem, narrow);
        fill(problem, wide);
        for (int k = 0; k < 6; ++k)
          expect(narrow.sweep(k % 2 == 0, 0, nullptr, nullptr) ==
                     wide.sweep(k % 2 == 0, 0, nullptr, nullptr),
                 "as many visits", labels);
        expect(narrow.bound() == wide.bound(), "the same bound", labels);
        expect(narrow.messages_to_earlier() == wide.messages_to_earlier(), "the same messages",
               labels);
      }
}

// Pairs of messages that cuts are made of, from the largest that sweeps can leave.
template <class Value>
std::vector<std::int64_t> tight_pairs(const ConvexProblem& problem, bool by_rows) {
  Control control;
  const auto messages = by_rows ? make_stencil_messages<Value>(problem, 1, 1, control)
                                : find_backend("cpu").make<Value>(problem, 1, 1, control);
  messages->load(problem, control);
  const auto most = static_cast<double>(kernel_load(problem, true).cost);
  std::vector<double> message(static_cast<std::size_t>(problem.labels));
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    for (int l = 0; l < problem.labels; ++l)
      message[static_cast<std::size_t>(l)] = (e + l) % 3 == 0 ? most : -most;
    messages->write(e, message.data());
  }
  std::vector<std::int64_t> found(2 *
                                  static_cast<std::size_t>(problem.graph.edges() * problem.labels));
  messages->edges().for_each_tight(problem, [&](const EdgeMessages<Value>& pair) {
    for (int l = 0; l < problem.labels; ++l) {
      const auto at = 2 * static_cast<std::size_t>(pair.edge * problem.labels + l);
      found[at] = pair.p[l];
      found[at + 1] = pair.q[l];
    }
  });
  return found;
}

void tight_pairs_at_the_limit(const Neighbourhood& graph, bool by_rows) {
  for (const int labels : {2, 3, 17, 40})
    for (const Table& shape : shapes(labels)) {
      const ConvexProblem problem = largest<std::int32_t>(graph, shape, 1, true);
      expect(tight_pairs<std::int32_t>(problem, by_rows) ==
                 tight_pairs<std::int64_t>(problem, by_rows),
             "pairs of messages do not overflow", labels);
    }
}

// What the kernels were once given: two labels, whose ramp over the lanes beyond was not counted.
void ramps_beyond_the_labels_count() {
  KernelLoad load{1 << 27, 1 << 27, 1 << 27, 1 << 27, 2, 1};
  const KernelExtremes extremes = label_kernel_extremes(load, 16, unreachable<std::int32_t>);
  expect(extremes.highest > std::numeric_limits<std::int32_t>::max(), "16 lanes overflow");
  expect(!kernels_fit<std::int32_t>(load), "so it does not fit");
  expect(kernels_fit<std::int64_t>(load), "64 bits have room");
}

// Minima of 64 bits may be found by the sign of a difference, so that must fit too.
void differences_fit_64_bits() {
  const KernelLoad load{1 << 20, (std::int64_t{1} << 60) / 5 * 6, 1, 1, 2, 1};
  const KernelExtremes extremes = stencil_extremes(load, unreachable<std::int64_t>);
  constexpr Int128 most = std::numeric_limits<std::int64_t>::max();
  expect(extremes.highest <= most && extremes.lowest >= -most, "each by itself fits");
  expect(extremes.highest - extremes.lowest > most, "the difference does not");
  expect(!kernels_fit<std::int64_t>(load), "so it is too large");
}

void more_lanes_need_more_room() {
  const KernelLoad load{1000, 1000, 1000, 1000, 2, 1};
  Int128 highest = 0;
  for (const std::int32_t lanes : {2, 4, 8, 16, 32}) {
    const KernelExtremes e = label_kernel_extremes(load, lanes, unreachable<std::int32_t>);
    expect(e.highest > highest && e.lowest_fill > e.highest_minimum, "lane by lane");
    highest = e.highest;
  }
}

void plans() {
  KernelLoad load{1000, 100, 100, 10, 20, 4, 100000};
  expect(plan_messages(load, 1024).scale == 1024 && !plan_messages(load, 1024).wide, "32 bits");
  load.belief = std::int64_t{1} << 26;
  expect(plan_messages(load, 1024).wide, "too coarse for 32 bits");
  load.total = std::int64_t{1} << 62;
  bool refused = false;
  try {
    plan_messages(load, 1024);
  } catch (const std::overflow_error&) {
    refused = true;
  }
  expect(refused, "sums beyond 64 bits are refused");
}

// One heavy edge does not count for the variables that it does not touch.
void each_edge_counts_with_its_own_table() {
  const Neighbourhood chain = oracles::grid(1, 4);
  const std::vector<Table> light = shapes(3);
  ConvexProblem problem = extreme(chain, light[0], 5);
  const KernelLoad one = kernel_load(problem, false);
  problem.tables.push_back(ConvexTable::of_any(times(light[0], 1000)));
  problem.table_of_edge = {0, 0, 1};
  const KernelLoad two = kernel_load(problem, false);
  expect(one.cost == 2 && two.cost == 2000 && two.step == 1000, "the largest of all");
  expect(two.belief == one.belief + 1998, "of the variable in the middle");
  expect(two.total == one.total + 2 * 1998, "at both ends of the heavy edge, and nowhere else");
}

}  // namespace

int main() {
  const Neighbourhood grid = oracles::grid(5, 4), chain = oracles::grid(1, 9), hub = star(70);
  const Neighbourhood diagonals = oracles::volume(1, 5, 4, 2), volume = oracles::volume(2, 3, 3, 1),
                      all_around = oracles::volume(2, 3, 3, 3);
  Random random(3);
  const Neighbourhood graph = oracles::random_graph(random, 9, 24);
  for (const Level* const* level = available_levels(); *level; ++level) {
    choose_level(**level);
    convolutions((*level)->narrow);
    convolutions((*level)->wide);
    for (const Neighbourhood* n : {&grid, &chain, &hub, &graph}) {
      at_the_limit<std::int32_t>(*n);
      at_the_limit<std::int64_t>(*n);
      lazy_sweeps_at_the_limit(*n);
      tight_pairs_at_the_limit(*n, false);
    }
    for (const Neighbourhood* n : {&grid, &diagonals, &volume, &all_around}) {
      at_the_limit<std::int32_t>(*n, true);
      at_the_limit<std::int64_t>(*n, true);
      tight_pairs_at_the_limit(*n, true);
    }
  }
  choose_best_level();
  ramps_beyond_the_labels_count();
  differences_fit_64_bits();
  more_lanes_need_more_room();
  plans();
  each_edge_counts_with_its_own_table();
}
