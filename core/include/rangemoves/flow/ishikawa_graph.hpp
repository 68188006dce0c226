// The Ishikawa graph of a convex problem, restricted to a band of labels per variable, with
// messages already taken out.
//
// Variable i with labels low..high has a node for each level a = low+1 .. high; (i,a) is on the
// source side iff x_i >= a. Levels below the band are the source, levels above it the sink. Up the
// column run the reduced unary terms (theta + messages, less their minimum), down the column
// infinite arcs; between columns run the cells of staircase.hpp. The graph is implicit: no arc head
// is stored. Columns that edges join, however many lie between, are a region: its nodes, links and
// cells lie together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "rangemoves/flow/flow_graph.hpp"
#include "rangemoves/flow/staircase.hpp"
#include "rangemoves/messages/types.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

// Flow: type of capacities between columns. Value: type of messages.
template <class Flow, class Value>
class IshikawaGraph {
 public:
  // Which of a node's arcs to look at next: the column first, then the links to its neighbours.
  struct Cursor {
    std::int32_t slot = 0, level = 0;
  };

  // All costs are multiplied by `scale`, as the messages are. threads: how many the walk has.
  IshikawaGraph(const ConvexProblem& problem, std::int64_t scale, const Band& band,
                const MessageWalk<Value>& messages, int threads, Control& control);

  std::int32_t nodes() const { return nodes_; }
  std::int64_t cells() const { return static_cast<std::int64_t>(cells_.size()); }
  // Edges whose ends both have nodes.
  std::int64_t joined() const { return static_cast<std::int64_t>(links_.size()) / 2; }
  std::int64_t excess(std::int32_t v) const { return excess_[v]; }
  const std::vector<FlowRegion>& regions() const { return regions_; }

  // visit(head, arc, room) from the cursor on, until it returns true; the cursor then stays on that
  // arc. room.out() is the residual capacity towards the head, room.in() the one back: looked up
  // only if asked for.
  template <class Visit>
  bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
    const Column& column = columns_[column_of_[v]];
    const std::int32_t level = v - column.first;
    if (cursor.slot == 0) {
      if (cursor.level == 0) {
        if (level > 0 && visit(v - 1, down, ColumnRoom{infinite, &up_[v - 1]})) return true;
        cursor.level = 1;
      }
      if (level + 1 < column.count && visit(v + 1, up, ColumnRoom{-1, &up_[v]})) return true;
      cursor = {1, 0};
    }
    for (std::int32_t s = cursor.slot - 1; s < column.links; ++s) {
      const Link& link = links_[column.first_link + s];
      // The other end's levels that share a cell with capacity with this level.
      const std::int32_t from = std::max(std::max(level + link.from, 0), cursor.level);
      const std::int32_t to = std::min(level + link.to, link.count - 1);
      const Cell* cells = cells_.data() + link.cells + (link.is_tail ? level * link.row : level);
      const std::int32_t step = link.is_tail ? 1 : link.row;
      for (std::int32_t l = from; l <= to; ++l) {
        if (visit(link.first + l, s, CellRoom{cells + l * step, link.is_tail})) {
          cursor = {s + 1, l};
          return true;
        }
      }
      cursor.level = 0;
    }
    cursor.slot = column.links + 1;
    return false;
  }

  // Residual capacities of the arc from v to its head, there and back.
  std::int64_t out(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    if (arc == up) return up_[v];
    if (arc == down) return infinite;
    return cell_of(v, head, arc).out();
  }
  std::int64_t in(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    if (arc == up) return infinite;
    if (arc == down) return up_[head];
    return cell_of(v, head, arc).in();
  }

  void push(std::int32_t v, std::int32_t head, std::int32_t arc, std::int64_t amount) {
    if (arc == up) {
      up_[v] -= amount;
    } else if (arc == down) {
      up_[head] += amount;
    } else {
      const Column& column = columns_[column_of_[v]];
      Link& link = links_[column.first_link + arc];
      const std::int32_t mine = v - column.first, other = head - link.first;
      Cell& cell = cells_[link.is_tail ? link.cells + mine * link.row + other
                                       : link.cells + other * link.row + mine];
      const Flow flow = static_cast<Flow>(link.is_tail ? amount : -amount);
      link.carries_flow = true;
      cell.forward = static_cast<Flow>(cell.forward - flow);
      cell.backward = static_cast<Flow>(cell.backward + flow);
    }
  }

  std::int32_t reverse(std::int32_t v, std::int32_t arc) const {
    if (arc == up) return down;
    if (arc == down) return up;
    return links_[columns_[column_of_[v]].first_link + arc].reverse;
  }

  // The labelling of a cut: the highest level on the source side.
  template <class OnSourceSide>
  Labelling labelling(OnSourceSide&& on_source_side) const {
    Labelling x(band_.low.begin(), band_.low.end());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::int32_t l = 0; l < columns_[i].count && on_source_side(columns_[i].first + l); ++l)
        ++x[i];
    return x;
  }

  // Returns unused boundary capacity: cells to levels beyond the band count as saturated until
  // here, and what flows through them lowers the bound of the labels there. excess_left(v):
  // capacity between v and its terminal that the flow did not use.
  template <class ExcessLeft>
  void give_back(ExcessLeft&& excess_left) {
    uses_outside_.assign(columns_.size(), 0);
    for (std::size_t v = 0; v < from_outside_.size(); ++v) {
      const std::int64_t left = excess_left(static_cast<std::int32_t>(v));
      const std::int64_t not_from = std::min(std::max<std::int64_t>(left, 0), from_outside_[v]);
      const std::int64_t not_to = std::min(std::max<std::int64_t>(-left, 0), to_outside_[v]);
      if (not_from < from_outside_[v] || not_to < to_outside_[v]) uses_outside_[column_of_[v]] = 1;
      from_outside_[v] = not_from;
      to_outside_[v] = not_to;
    }
  }

  // After give_back: flags variables so that every edge with flow has one at an end.
  std::vector<std::uint8_t> ends_of_flow() const {
    const Neighbourhood& graph = problem_.graph;
    std::vector<std::uint8_t> flags(columns_.size(), 0);
    for (const std::int32_t i : with_nodes_)
      for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
        const bool seen_from_tail = !n->is_tail && columns_[n->other].count > 0;
        if (!seen_from_tail && !is_idle(n->edge))
          flags[static_cast<std::size_t>(graph.tail(n->edge))] = 1;
      }
    return flags;
  }

  // Adds what flowed over an edge to its messages (the ones the graph was made from): a net flow f
  // from (i,a) to (j,b) means p(l) += f for l >= a and q(m) -= f for m >= b, and keeps R >= 0.
  // After give_back, once per edge. What was given back goes to a node's edges in the order in
  // which they come. thread: of the walk.
  void add_flow(const EdgeMessages<Value>& messages, int thread);

  static std::int64_t bytes(const ConvexProblem& problem, const Band& band);

  // The same for given numbers of nodes and cells. joined: edges whose ends both have more than one
  // label; `narrow`: the band does not hold all labels. of_array: what an array of so many bytes
  // counts; bands do not depend on how a system maps memory, estimates do.
  static std::int64_t bytes(std::int64_t variables, std::int64_t edges, std::int64_t joined,
                            std::int64_t nodes, std::int64_t cells, bool narrow,
                            std::int64_t (*of_array)(std::int64_t) = asked_bytes) {
    const auto size = [](std::size_t of) { return static_cast<std::int64_t>(of); };
    const std::int64_t shared =
        nodes * size(sizeof(std::int32_t) + (narrow ? 4 : 2) * sizeof(std::int64_t)) +
        cells * size(sizeof(Cell)) + joined * size(2 * sizeof(Link)) +
        edges * size(sizeof(std::int32_t) + sizeof(std::uint8_t));
    return of_array(shared) + of_array(variables * size(sizeof(Column))) +
           variables * size(3 * sizeof(std::int32_t) + 2 * sizeof(std::uint8_t));
  }

 private:
  static constexpr std::int32_t up = -1, down = -2;
  static constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 2;

  struct Cell {
    Flow forward, backward;  // residual capacities, from the tail's column to the head's and back
  };
  struct CellRoom {
    const Cell* cell;
    bool is_tail;
    std::int64_t out() const { return is_tail ? cell->forward : cell->backward; }
    std::int64_t in() const { return is_tail ? cell->backward : cell->forward; }
  };
  // Down a column there is always room.
  struct ColumnRoom {
    std::int64_t down;  // negative: this is the arc up
    const std::int64_t* up;
    std::int64_t out() const { return down > 0 ? down : *up; }
    std::int64_t in() const { return down > 0 ? *up : infinite; }
  };
  struct Column {
    std::int32_t first, count;  // node of level low+1; high - low
    std::int32_t first_link, links;
  };
  struct Link {
    std::int64_t cells;         // cell (first node of the tail, first node of the head)
    std::int32_t first, count;  // of the other end
    std::int32_t row;           // from one node of the tail to the next
    std::int32_t from, to;      // the other end's levels that matter, relative to mine
    std::int32_t reverse;       // this edge among the other end's links
    bool is_tail;
    bool carries_flow;  // set when flow is pushed from this side, never cleared
  };

  const ConvexProblem& problem_;
  std::int64_t scale_;
  Band band_;
  std::int32_t nodes_ = 0;
  LargeVector<Column> columns_;
  SharedMemory memory_;  // of all arrays that are placed
  PlacedArray<Link> links_;
  static constexpr std::int32_t kPiece = 1 << 16;  // nodes of a piece of a region, or more
  std::vector<FlowRegion> regions_;
  std::vector<std::int32_t> with_nodes_;  // variables, in the order of their nodes
  PlacedArray<std::int32_t> column_of_;
  PlacedArray<std::int64_t> up_, excess_;
  // Capacity from and to levels beyond the band; after give_back, the unused part of it.
  PlacedArray<std::int64_t> from_outside_, to_outside_;
  std::vector<std::uint8_t> uses_outside_;  // per variable: whether give_back left any in use
  PlacedArray<std::uint8_t> passes_by_;     // per edge: flow from below one band to above the other
  PlacedArray<Cell> cells_;
  PlacedArray<std::int32_t> link_of_tail_;  // per edge: the tail's link, or 0; numbered from 1
  // What a thread needs for the edge that it is shown.
  struct Scratch {
    Staircase<Value> staircase;
    std::vector<std::int64_t> sent, received;  // per label
  };
  std::vector<Scratch> scratch_;

  CellRoom cell_of(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    const Column& column = columns_[column_of_[v]];
    const Link& link = links_[column.first_link + arc];
    const std::int32_t mine = v - column.first, other = head - link.first;
    return {&cells_[link.is_tail ? link.cells + mine * link.row + other
                                 : link.cells + other * link.row + mine],
            link.is_tail};
  }
  // The tail's link of an edge, null where it has none.
  const Link* link_of(std::int64_t e) const {
    const std::int32_t at = link_of_tail_[static_cast<std::size_t>(e)];
    return at == 0 ? nullptr : &links_[static_cast<std::size_t>(at - 1)];
  }
  // Both ends have one label only: nothing flows.
  bool is_fixed(std::int64_t e) const {
    return columns_[problem_.graph.tail(e)].count == 0 &&
           columns_[problem_.graph.head(e)].count == 0;
  }
  // After give_back: no flow on this edge. True of most edges, so add_flow can skip them.
  bool is_idle(std::int64_t e) const {
    const std::int32_t i = problem_.graph.tail(e), j = problem_.graph.head(e);
    if (passes_by_[e] || uses_outside_[i] || uses_outside_[j]) return false;
    const Link* tail = link_of(e);
    if (!tail) return true;
    const Link& link = *tail;
    return !link.carries_flow && !links_[columns_[j].first_link + link.reverse].carries_flow;
  }
  void find_regions();
  void lay_out_columns(Control& control);
  void allocate(std::int64_t links, std::int64_t cells, Control& control);
  void lay_out_links();
  // visit(incidence) for the edges of which a variable with nodes is the tail, and the head has
  // nodes too.
  template <class Visit>
  void for_each_joined(std::int32_t tail, Visit&& visit) const {
    const Neighbourhood& graph = problem_.graph;
    for (const Incidence* n = graph.begin(tail); n != graph.end(tail); ++n)
      if (n->is_tail && problem_.weight[n->edge] > 0 && columns_[n->other].count > 0) visit(*n);
  }
  void fill(const MessageWalk<Value>& messages, Control& control);
  template <class Work>
  void for_each_column(Control& control, Work&& work);
  void fill_cells(const EdgeMessages<Value>& messages, Staircase<Value>& staircase);
  void fill_outside(std::int64_t e, const Staircase<Value>& staircase);
  void add_passing(std::int64_t e, Scratch& scratch);
};

extern template class IshikawaGraph<std::int32_t, std::int32_t>;
extern template class IshikawaGraph<std::int16_t, std::int64_t>;
extern template class IshikawaGraph<std::int32_t, std::int64_t>;
extern template class IshikawaGraph<std::int64_t, std::int64_t>;

}  // namespace rangemoves
