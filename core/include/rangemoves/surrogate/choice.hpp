// The choice function of a move (section 1 of the paper): from the current labelling and who is
// active, the convex problem whose solution is the best labelling that the move may choose.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/surrogate/active_set.hpp"

namespace rangemoves {

// The surrogate of every edge: one table for each kind of edge, or one for each difference inside
// the convex range of its kind (chord).
class SurrogateTables {
 public:
  explicit SurrogateTables(const PerEdge<Table>& h);
  static SurrogateTables chords(const PerEdge<Table>& g, const PerEdge<ConvexRange>& ranges);

  const std::vector<ConvexTable>& tables() const { return tables_; }
  // Which table edge e uses at difference d.
  std::int32_t of(std::int64_t e, int d) const { return first_[e] + (by_difference_ ? d : 0); }
  // Whether the table depends on the difference: then the optimum of one move is not the end.
  bool by_difference() const { return by_difference_; }

 private:
  SurrogateTables() = default;
  std::vector<ConvexTable> tables_;
  PerEdge<std::int32_t> first_;  // of the kind: its table at difference zero
  bool by_difference_ = false;
};

// Active variables choose among low..high, all others keep their label. An edge inside the set
// costs h, an edge across its border g, as a unary term.
ConvexProblem choose_active(const Energy& energy, const Labelling& x, const Mask& active, int low,
                            int high, const SurrogateTables& surrogate, Control& control);

// Which edges lie within the convex range.
std::vector<std::uint8_t> close_edges(const Energy& energy, const Labelling& x,
                                      const PerEdge<ConvexRange>& ranges);

// All variables choose among all labels. The given edges cost h, the others are left out.
ConvexProblem choose_edges(const Energy& energy, const Labelling& x,
                           const std::vector<std::uint8_t>& edges,
                           const SurrogateTables& surrogate);

}  // namespace rangemoves
