// The Ishikawa graph of a convex problem, restricted to a band of labels per variable, with
// messages already taken out.
//
// Variable i with labels low..high has one node for each level a = low+1 .. high; (i,a) is on the
// source side iff x_i >= a. Levels below the band are the source, levels above it the sink. Up the
// column run the reduced unary terms (theta + messages, less their minimum), down the column
// infinite arcs; between columns run the cells of staircase.hpp. The graph is implicit: no arc head
// is stored, and of a cell only the forward residual (both directions add up to w * bend, which is
// known).
//
// Messages from a pseudoflow. A net flow f from (i,a) to (j,b) means p(l) += f for l >= a and q(m)
// -= f for m >= b, and keeps R >= 0. Excess left at a node may run down its column for nothing:
// with excess only on the source side and deficit only on the sink side the reduced unary terms
// still have their minimum at the cut. So the messages of a pseudoflow prove as much as those of a
// flow.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "rangemoves/convex_problem.hpp"
#include "rangemoves/staircase.hpp"

namespace rangemoves {

// Where the messages of an edge come from. They must be tight.
class MessageSource {
 public:
  virtual ~MessageSource() = default;
  virtual void read(std::int64_t edge, std::int64_t* p, std::int64_t* q) = 0;
};

// Labels low..high of every variable.
struct Band {
  std::vector<std::int32_t> low, high;
};

template <class Cell>
class IshikawaGraph {
 public:
  // Which of a node's arcs to look at next: the column first, then the links to its neighbours.
  struct Cursor {
    std::int16_t slot = 0, level = 0;
  };

  IshikawaGraph(const ConvexProblem& problem, std::int64_t scale, const Band& band,
                MessageSource& messages)
      : problem_(problem), scale_(scale), band_(band) {
    lay_out();
    fill(messages);
  }

  std::int32_t nodes() const { return nodes_; }
  std::int64_t excess(std::int32_t v) const { return excess_[v]; }

  template <class Visit>
  bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
    const Column& column = columns_[column_of_[v]];
    const std::int32_t level = v - column.first;
    if (cursor.slot == 0) {
      if (cursor.level == 0) {
        if (level > 0 && visit(v - 1, down)) return true;
        cursor.level = 1;
      }
      if (level + 1 < column.count && visit(v + 1, up)) return true;
      cursor = {1, 0};
    }
    for (std::int32_t s = cursor.slot - 1; s < column.links; ++s) {
      const Link& link = links_[column.first_link + s];
      // The other end's levels that share a cell with capacity with this level.
      const std::int32_t from =
          std::max(std::max(level + link.from, 0), static_cast<std::int32_t>(cursor.level));
      const std::int32_t to = std::min(level + link.to, link.count - 1);
      for (std::int32_t l = from; l <= to; ++l) {
        if (visit(link.first + l, s)) {
          cursor = {static_cast<std::int16_t>(s + 1), static_cast<std::int16_t>(l)};
          return true;
        }
      }
      cursor.level = 0;
    }
    cursor.slot = static_cast<std::int16_t>(column.links + 1);
    return false;
  }

  std::int64_t residual(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    if (arc == up) return up_[v];
    if (arc == down) return infinite;
    const Column& column = columns_[column_of_[v]];
    const Link& link = links_[column.first_link + arc];
    const std::int32_t mine = v - column.first, other = head - link.first;
    if (link.is_tail) return cells_[link.cells + mine * link.row + other];
    // (my level) - (other level) in labels, seen from the tail, is what the capacity depends on.
    const std::int32_t d = other - mine + link.offset;
    return link.weight * link.bend[d] - cells_[link.cells + other * link.row + mine];
  }

  void push(std::int32_t v, std::int32_t head, std::int32_t arc, std::int64_t amount) {
    if (arc == up) {
      up_[v] -= amount;
    } else if (arc == down) {
      up_[head] += amount;
    } else {
      const Column& column = columns_[column_of_[v]];
      const Link& link = links_[column.first_link + arc];
      const std::int32_t mine = v - column.first, other = head - link.first;
      if (link.is_tail)
        cells_[link.cells + mine * link.row + other] -= static_cast<Cell>(amount);
      else
        cells_[link.cells + other * link.row + mine] += static_cast<Cell>(amount);
    }
  }

  std::int32_t reverse(std::int32_t v, std::int32_t arc) const {
    if (arc == up) return down;
    if (arc == down) return up;
    return links_[columns_[column_of_[v]].first_link + arc].reverse;
  }

  // The node of level a (low < a <= high), for reading the cut.
  std::int32_t node(std::int32_t i, std::int32_t a) const {
    return columns_[i].first + a - band_.low[i] - 1;
  }

  // The labelling of a cut: the highest level on the source side.
  template <class OnSourceSide>
  Labelling labelling(OnSourceSide&& on_source_side) const {
    Labelling x(band_.low.begin(), band_.low.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Column& column = columns_[i];
      for (std::int32_t l = 0; l < column.count && on_source_side(column.first + l); ++l) ++x[i];
    }
    return x;
  }

  // Adds what flowed over edge e to its messages (the ones the graph was made from).
  void add_flow(std::int64_t e, std::int64_t* p, std::int64_t* q) const;

  static std::int64_t bytes(const ConvexProblem& problem, const Band& band);

 private:
  static constexpr std::int32_t up = -1, down = -2;
  static constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 4;

  struct Column {
    std::int32_t first, count;  // node of level low+1; high - low
    std::int32_t first_link, links;
  };
  struct Link {
    const std::int64_t* bend;  // points at difference zero
    std::int64_t cells;        // cell (first level of the tail, first level of the head)
    std::int64_t weight;
    std::int32_t first, count;  // of the other end
    std::int32_t row;           // from one level of the tail to the next
    std::int32_t from, to;      // the other end's levels that matter, relative to mine
    std::int32_t offset;        // low(tail) - low(head)
    std::int32_t reverse;       // this edge among the other end's links
    std::int32_t edge;
    bool is_tail;
  };

  const ConvexProblem& problem_;
  std::int64_t scale_;
  Band band_;
  std::int32_t nodes_ = 0;
  std::vector<Column> columns_;
  std::vector<Link> links_;
  std::vector<std::int32_t> column_of_;
  std::vector<std::int64_t> up_, excess_;
  std::vector<Cell> cells_;
  std::vector<std::int64_t> link_of_tail_;  // per edge: the tail's link, or -1

  void lay_out();
  void fill(MessageSource& messages);
};

extern template class IshikawaGraph<std::int16_t>;
extern template class IshikawaGraph<std::int32_t>;
extern template class IshikawaGraph<std::int64_t>;

}  // namespace rangemoves
