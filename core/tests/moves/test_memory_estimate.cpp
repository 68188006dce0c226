// Estimates of memory: positive, larger for larger problems, and with the messages in them.
#include "rangemoves/moves/memory_estimate.hpp"

#include <stdexcept>
#include <string>

#include "check.hpp"
#include "rangemoves/messages/storage.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

ProblemSize grid_of(std::int64_t height, std::int32_t width) {
  ProblemSize size;
  size.variables = height * width;
  size.edges = 2 * height * width - height - width;
  size.row = width;
  size.largest_unary = 1000;
  size.largest_weight = 10;
  size.largest_degree = 40;
  return size;
}

const char* const kMethods[] = {"auto",   "gswap", "gswapf", "expansion",      "swap", "rswap",
                                "rswape", "rexp",  "irgc",   "irgc+expansion", "trws", "best"};

void grows() {
  const Settings settings;
  const PerEdge<Table> narrow(oracles::truncated(16, 2, 16)), wide(oracles::truncated(32, 2, 16));
  for (const char* method : kMethods) {
    const std::int64_t small = estimate_memory(grid_of(100, 120), narrow, method, settings);
    expect(small > 0, method);
    // Rows are rounded up to whole vectors: not quite four times as much for four times the size.
    const std::int64_t large = estimate_memory(grid_of(200, 240), narrow, method, settings);
    expect(large > 3 * small && large < 5 * small, method);
    expect(estimate_memory(grid_of(100, 120), wide, method, settings) >= small, method);
    ProblemSize more_edges = grid_of(100, 120);
    more_edges.row = 0;
    const std::int64_t graph = estimate_memory(more_edges, narrow, method, settings);
    more_edges.edges *= 2;
    expect(estimate_memory(more_edges, narrow, method, settings) > graph, method);
  }
}

void contains_messages() {
  const Settings settings;
  const PerEdge<Table> g(oracles::truncated(16, 2, 16));
  const ProblemSize size = grid_of(100, 120);
  const std::int64_t messages = grid_message_bytes(size.variables, size.row, 16, false);
  for (const char* method : {"auto", "gswap", "gswapf", "irgc", "irgc+expansion", "trws", "best"})
    expect(estimate_memory(size, g, method, settings) > messages, method);
  Settings bound;
  bound.bound_sweeps = 1;
  const PerEdge<Table> many(oracles::truncated(256, 2, 16));
  const std::int64_t moves = estimate_memory(size, many, "rswap", settings),
                     sweeps = estimate_memory(size, many, "trws", settings);
  expect(moves < sweeps && estimate_memory(size, many, "rswap", bound) == sweeps,
         "sweeps for a bound end before the moves begin");

  ProblemSize any = size;
  any.row = 0;
  const std::int64_t any_messages = graph_message_bytes(any.variables, any.edges, 16, false);
  expect(estimate_memory(any, g, "trws", settings) > any_messages,
         "without rows the messages are those of a graph");
}

void large_costs_need_wide_messages() {
  const Settings settings;
  const PerEdge<Table> g(oracles::truncated(16, 2, 16));
  ProblemSize size = grid_of(100, 120);
  const std::int64_t narrow = estimate_memory(size, g, "trws", settings);
  size.largest_unary = std::int64_t{1} << 40;
  size.wide_costs = true;
  expect(estimate_memory(size, g, "trws", settings) > narrow, "64 bits a label");
}

void a_narrow_band_takes_less() {
  const Settings settings;
  const PerEdge<Table> g(oracles::truncated(16, 2, 16));
  ProblemSize size = grid_of(100, 120);
  const std::int64_t whole = estimate_memory(size, g, "gswap", settings);
  size.nodes_per_variable = 1;
  size.cells_per_edge = 2;
  size.joined = 0.5;
  expect(estimate_memory(size, g, "gswap", settings) < whole, "a cut of few labels");
}

// Their ends know each other: two links for every edge.
void joined_edges_count() {
  const Settings settings;
  const PerEdge<Table> g(oracles::truncated(16, 2, 16));
  ProblemSize size = grid_of(100, 120);
  size.nodes_per_variable = 1;
  size.cells_per_edge = 1;
  size.joined = 0.25;
  const std::int64_t few = estimate_memory(size, g, "rswap", settings);
  size.joined = 1;
  const std::int64_t all = estimate_memory(size, g, "rswap", settings);
  expect(all > few + size.edges * 3 / 4 * 64 && all < few + size.edges * 3 / 4 * 128, "by links");
}

// Where a cut is about all variables, how many nodes it would like to have makes no difference up
// to what it may take.
void whole_cuts_have_a_budget() {
  const Settings settings;
  const PerEdge<Table> g(oracles::truncated(16, 2, 16));
  ProblemSize size = grid_of(100, 120);
  size.nodes_per_variable = 1;
  size.cells_per_edge = 1;
  size.joined = 1;
  const std::int64_t narrow = estimate_memory(size, g, "ishikawa", settings);
  size.cuts_whole = true;
  const std::int64_t whole = estimate_memory(size, g, "ishikawa", settings);
  size.nodes_per_variable = 2;
  expect(whole > narrow && estimate_memory(size, g, "ishikawa", settings) == whole, "the budget");
}

void settings_matter() {
  const PerEdge<Table> g(oracles::truncated(16, 2, 100));
  const ProblemSize size = grid_of(100, 120);
  Settings narrow;
  narrow.width = 2;
  expect(estimate_memory(size, g, "rexp", narrow) < estimate_memory(size, g, "rexp", {}),
         "narrower ranges have fewer states");
  Settings extended;
  extended.extend = 5;
  expect(estimate_memory(size, g, "rswape", extended) > estimate_memory(size, g, "rswape", {}),
         "wider ranges have more labels");
}

void unknown_methods_are_refused() {
  bool refused = false;
  try {
    estimate_memory(grid_of(4, 5), oracles::truncated(4, 1, 2), "no such method", {});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect(refused, "a method that is in no table");
}

}  // namespace

int main() {
  grows();
  contains_messages();
  large_costs_need_wide_messages();
  a_narrow_band_takes_less();
  joined_edges_count();
  whole_cuts_have_a_budget();
  settings_matter();
  unknown_methods_are_refused();
  return 0;
}
