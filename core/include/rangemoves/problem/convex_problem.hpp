// What every engine solves exactly: unary terms, a convex function on every edge that is switched
// on, and for every variable an interval of labels it may take. A move is such a problem.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/problem/energy.hpp"

namespace rangemoves {

// A convex h with the capacities of section 3 read off it.
struct ConvexTable {
  Table h;
  std::vector<std::int64_t> bend;  // h(d+1) - 2 h(d) + h(d-1) for d = -(L-2) .. L-2
  int left = 0, right = 0;         // bend(d) = 0 for d < -left and for d > right
  std::int64_t steepest = 0;       // largest absolute step of h
  bool rests_at_zero = false;      // h(0) = min h = 0: with no messages the edge is already tight

  explicit ConvexTable(Table table);

  // The same of any table: sweeps, unlike cuts, do not need it to be convex.
  static ConvexTable of_any(Table table);

  std::int64_t bend_at(int d) const { return bend[static_cast<std::size_t>(d + h.labels() - 2)]; }

 private:
  ConvexTable() = default;
  void read_off();
};

struct ConvexProblem {
  const Neighbourhood& graph;
  int labels;
  UnaryTerms unary;                         // N x L
  std::vector<std::int32_t> weight;         // per edge; 0: the edge is off
  std::vector<ConvexTable> tables;          // one, or several when edges differ
  std::vector<std::int32_t> table_of_edge;  // empty: all edges use tables[0]
  std::vector<std::int32_t> low,
      high;  // interval of every variable; low = high: it does not take part
  // What label 0 is called outside: moves one after the other may have different labels.
  int first_label = 0;

  const ConvexTable& table(std::int64_t e) const {
    return tables[table_of_edge.empty() ? 0 : static_cast<std::size_t>(table_of_edge[e])];
  }
  bool takes_part(std::int32_t i) const { return low[i] < high[i]; }

  std::int64_t energy(const Labelling& x) const;

  // The largest absolute unary cost of a variable among the labels it may take.
  std::int64_t largest_unary(std::int32_t i) const;
};

}  // namespace rangemoves
