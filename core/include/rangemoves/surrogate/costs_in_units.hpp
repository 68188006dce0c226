// The costs of an energy in their own unit, so that all costs times some number are the same costs.
//
// The unit is what divides all products of weights and tables and all differences of unary costs.
// Differences that edges cannot make up for do not count, and are cut down to one unit more than
// edges can: the labels above them are in no best labelling, and whoever wrote the costs in large
// numbers may have cut them down too.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/problem/costs.hpp"
#include "rangemoves/problem/energy.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

class CostsInUnits {
 public:
  // h: what the edges cost, for a weight of 1. Keeps references to both.
  CostsInUnits(const Energy& energy, const PerEdge<Table>& h, Control& control);

  // What weights, tables and all other costs are to be divided by.
  std::int64_t of_weights() const { return of_weights_; }
  std::int64_t of_tables() const { return of_tables_; }
  std::int64_t of_all() const { return of_weights_ * of_tables_; }

  // No variable costs more units, with all its edges, however far h goes on as it ends.
  std::int64_t largest() const;

  // The unary costs in units, `times` each, less the least one of each variable.
  CostVolume unary(std::int64_t times, bool wide) const;

 private:
  const Energy& energy_;
  const PerEdge<Table>& h_;
  Control& control_;
  std::vector<std::int64_t> spreads_;  // of each table
  std::int64_t of_weights_ = 1, of_tables_ = 1;

  // visit(label, cost, cuts) for the labels of a variable: what it costs more than the least one,
  // in the units of the energy, is `cost` and one unit for each of so many differences cut down.
  template <class Visit>
  void for_each_label(std::int32_t i, Visit&& visit) const;
};

}  // namespace rangemoves
