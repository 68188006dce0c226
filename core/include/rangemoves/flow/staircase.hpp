// The residual graph of one edge in closed form.
//
// With messages p(a), q(b) on an edge, R(a,b) = w h(a-b) - p(a) - q(b). When R >= 0 and every row
// and column of it has a zero, the zeros of the submodular R form a lattice and a monotone path of
// zeros with steps (1,0), (0,1), (1,1) joins (0,0) to (L-1,L-1). A cell (a,b) of the Ishikawa graph
// (both levels 1..L-1) has capacity w * bend(a-b): off the path all of it points one way, and a
// cell that the path crosses diagonally is split R(a,b-1) forward, R(a-1,b) backward. p = q = 0
// gives the ordinary Ishikawa graph back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "rangemoves/messages/types.hpp"
#include "rangemoves/problem/convex_problem.hpp"

namespace rangemoves {

// Where the path goes from a-1 to a: at height b, or diagonally from b-1 to b.
struct Stair {
  int b;
  bool diagonal;
  std::int64_t split;

  // The part of a cell of row a that points forward.
  std::int64_t forward(int column, std::int64_t capacity) const {
    if (column < b || (column == b && !diagonal)) return capacity;
    return column == b ? split : 0;
  }
};

// The stairs from row first - 1 to row last, through the zeros of R, which has one in each of its
// rows and columns. `near`: where in row first - 1 a zero is looked for first. Returns the one that
// was found.
template <class Residual>
int climb(Residual&& R, int labels, int first, int last, int near, std::vector<Stair>& stairs) {
  stairs.resize(static_cast<std::size_t>(std::max(0, last - first + 1)));
  // Every zero lies on such a path (row a+1 and column b+1 have zeros too, and zeros form a
  // lattice): begin at any.
  int a = first - 1, b = near;
  while (b < labels && R(a, b) != 0) ++b;
  if (b == labels)
    for (b = near - 1; b >= 0 && R(a, b) != 0;) --b;
  if (b < 0) throw std::logic_error("staircase: the messages are not tight");
  const int start = b;
  while (a < last) {
    if (b + 1 < labels && R(a + 1, b + 1) == 0) {
      ++a, ++b;
      stairs[static_cast<std::size_t>(a - first)] = {b, true, R(a, b - 1)};
    } else if (R(a + 1, b) == 0) {
      ++a;
      stairs[static_cast<std::size_t>(a - first)] = {b, false, 0};
    } else if (b + 1 < labels && R(a, b + 1) == 0) {
      ++b;
    } else {
      throw std::logic_error("staircase: the messages are not tight");
    }
  }
  return start;
}

template <class Value>
class Staircase {
 public:
  // p, q: tight messages, which must stay as they are while this is asked. The cells of rows first
  // .. last can be asked for afterwards. `near`: where in row first - 1 a zero is looked for first.
  void build(const ConvexTable& table, std::int64_t w, MessageVector<Value> p,
             MessageVector<Value> q, int first, int last, int near) {
    table_ = &table;
    w_ = w;
    p_ = p;
    q_ = q;
    first_ = first;
    start_ = climb([&](int a, int b) { return residual(a, b); }, table.h.labels(), first, last,
                   near, stairs_);
  }

  // Capacity of the cell from (tail, a) to (head, b) and back, and the part of it that points
  // forward.
  std::int64_t capacity(int a, int b) const { return w_ * table_->bend_at(a - b); }
  std::int64_t forward(int a, int b) const {
    return stairs_[static_cast<std::size_t>(a - first_)].forward(b, capacity(a, b));
  }

  // All that points forward from the tail's levels up to a to the head's above b, and all that
  // points back from the head's levels up to b to the tail's above a; first - 1 <= a <= last. The
  // two are R(a,b), and on one side of the path nothing points one way: so one of them is R and the
  // other is zero, and no cell need be looked at.
  std::int64_t forward_past(int a, int b) const { return b < zero(a) ? residual(a, b) : 0; }
  std::int64_t backward_past(int a, int b) const { return b > zero(a) ? residual(a, b) : 0; }

 private:
  const ConvexTable* table_ = nullptr;
  std::int64_t w_ = 0;
  MessageVector<Value> p_{}, q_{};
  int first_ = 0, start_ = 0;
  std::vector<Stair> stairs_;

  std::int64_t residual(int a, int b) const { return w_ * table_->h(a - b) - p_[a] - q_[b]; }
  // A column where R is zero in row a.
  int zero(int a) const {
    return a < first_ ? start_ : stairs_[static_cast<std::size_t>(a - first_)].b;
  }
};

// p(a) <- min_b (w h(a-b) - q(b)), then q(b) <- min_a (w h(a-b) - p(a)): afterwards R >= 0 with a
// zero in every row and column. Where R >= 0 held before, both only rise. Plain and quadratic: the
// reference for the fast kernels.
template <class Value>
void tighten(const ConvexTable& table, std::int64_t w, MessageVector<Value> p,
             MessageVector<Value> q) {
  const int labels = table.h.labels();
  for (int a = 0; a < labels; ++a) {
    std::int64_t least = w * table.h(a) - q[0];
    for (int b = 1; b < labels; ++b) least = std::min(least, w * table.h(a - b) - q[b]);
    p[a] = static_cast<Value>(least);
  }
  for (int b = 0; b < labels; ++b) {
    std::int64_t least = w * table.h(-b) - p[0];
    for (int a = 1; a < labels; ++a) least = std::min(least, w * table.h(a - b) - p[a]);
    q[b] = static_cast<Value>(least);
  }
}

}  // namespace rangemoves
