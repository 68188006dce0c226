// The choice function of a move (section 1 of the paper): from the current labelling and who is
// active, the convex problem whose solution is the best labelling that the move may choose.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/active_set.hpp"
#include "rangemoves/control.hpp"
#include "rangemoves/convex_problem.hpp"

namespace rangemoves {

// The surrogate of every edge: one table for all, or one for each difference inside the convex
// range (chord).
class SurrogateTables {
 public:
  static SurrogateTables same_for_all(Table h);
  static SurrogateTables chords(const Table& g, ConvexRange range);

  const std::vector<ConvexTable>& tables() const { return tables_; }
  // Which table an edge at difference d uses.
  std::int32_t of(int d) const { return tables_.size() == 1 ? 0 : d + left_; }

 private:
  std::vector<ConvexTable> tables_;
  int left_ = 0;
};

// Active variables choose among low..high, all others keep their label. An edge inside the set
// costs h, an edge across its border g, as a unary term.
ConvexProblem choose_active(const Energy& energy, const Labelling& x, const Mask& active, int low,
                            int high, const SurrogateTables& surrogate, Control& control);

// Which edges lie within the convex range.
std::vector<std::uint8_t> close_edges(const Energy& energy, const Labelling& x, ConvexRange range);

// All variables choose among all labels. The given edges cost h, the others are left out.
ConvexProblem choose_edges(const Energy& energy, const Labelling& x,
                           const std::vector<std::uint8_t>& edges, const SurrogateTables& surrogate,
                           Control& control);

}  // namespace rangemoves
