// How much memory a run will take, before it allocates any.
#pragma once

#include <cstdint>
#include <string>

#include "rangemoves/moves/loop.hpp"

namespace rangemoves {

// What matters of a problem: all variables count as alike, and so do all edges.
struct ProblemSize {
  std::int64_t variables = 0, edges = 0;
  std::int32_t row = 0;             // of a grid; 0 for any other graph
  std::int64_t largest_unary = 0;   // absolute
  std::int64_t largest_weight = 0;  // of an edge
  std::int64_t largest_degree = 0;  // sum of the weights of one variable's edges
  bool wide_costs = false;          // unary costs of 64 bits
  // Of the largest cut of a band; negative: the cut holds all labels. joined: the part of the edges
  // whose ends both have nodes.
  double nodes_per_variable = -1, cells_per_edge = -1, joined = -1;
  bool cuts_whole = false;  // the cut is about all variables: it may use all of its budget
};

// Bytes for the first move of a method, with all variables active, besides the caller's own arrays.
// How many labels a cut holds depends on the costs: the caller may know (see ProblemSize).
std::int64_t estimate_memory(const ProblemSize& size, const PerEdge<Table>& g,
                             const std::string& method, const Settings& settings);

}  // namespace rangemoves
