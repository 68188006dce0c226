// Columns of equal height, and between some of them a cell for every pair of levels: the graph of a
// move in which all variables choose among as many states. No arc head is stored.
//
// Node (v, s), s = 0 .. levels-1, is v * levels + s. Down a column there is always room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "rangemoves/problem/csr.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

class ColumnGraph {
 public:
  struct Cursor {
    std::int32_t slot = 0, level = 0;
  };
  // Capacities from a level of the tail's column to one of the head's, and back.
  struct Cell {
    std::int64_t forward, backward;
  };
  struct Edge {
    std::int32_t tail, head;  // columns
  };

  // excess: source capacity less sink capacity of every node; to_next: capacity from every node to
  // the next one of its column; cells: of edge after edge, levels x levels, by level of the tail
  // first.
  ColumnGraph(std::int32_t levels, const std::vector<Edge>& edges,
              const LargeVector<std::int64_t>& excess, LargeVector<std::int64_t>& to_next,
              LargeVector<Cell>& cells)
      : levels_(levels), links_(2 * edges.size()), excess_(excess), up_(to_next), cells_(cells) {
    const std::int64_t columns = static_cast<std::int64_t>(excess.size()) / levels;
    build_csr(
        columns, static_cast<std::int64_t>(edges.size()), first_link_,
        [&](std::int64_t e) {
          const Edge& edge = edges[static_cast<std::size_t>(e)];
          return std::pair(edge.tail, edge.head);
        },
        [&](std::int64_t e, std::int32_t there, std::int32_t back) {
          const auto [tail, head] = edges[static_cast<std::size_t>(e)];
          const std::int64_t first_cell = e * levels_ * levels_;
          links_[there] = {first_cell, head * levels_, back - first_link_[head], true};
          links_[back] = {first_cell, tail * levels_, there - first_link_[tail], false};
        });
  }

  // For estimates of memory: what it allocates besides its arguments.
  static constexpr std::size_t bytes_per_edge() { return 2 * sizeof(Link); }

  std::int32_t nodes() const { return static_cast<std::int32_t>(excess_.size()); }
  std::int64_t excess(std::int32_t v) const { return excess_[v]; }

  template <class Visit>
  bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
    const std::int32_t column = v / levels_, level = v - column * levels_;
    if (cursor.slot == 0) {
      if (cursor.level == 0) {
        if (level > 0 && visit(v - 1, down, Room{unlimited, up_[v - 1]})) return true;
        cursor.level = 1;
      }
      if (level + 1 < levels_ && visit(v + 1, up, Room{up_[v], unlimited})) return true;
      cursor = {1, 0};
    }
    const std::int32_t first = first_link_[column], links = first_link_[column + 1] - first;
    for (std::int32_t s = cursor.slot - 1; s < links; ++s) {
      const Link& link = links_[first + s];
      const Cell* cells = cells_.data() + link.cells + (link.is_tail ? level * levels_ : level);
      const std::int32_t step = link.is_tail ? 1 : levels_;
      for (std::int32_t l = cursor.level; l < levels_; ++l) {
        const Cell& cell = cells[l * step];
        const Room room =
            link.is_tail ? Room{cell.forward, cell.backward} : Room{cell.backward, cell.forward};
        if (visit(link.first + l, s, room)) {
          cursor = {s + 1, l};
          return true;
        }
      }
      cursor.level = 0;
    }
    cursor = {links + 1, 0};
    return false;
  }

  std::int64_t out(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    if (arc == up) return up_[v];
    if (arc == down) return unlimited;
    const Link& link = link_of(v, arc);
    const Cell& cell = cells_[cell_at(link, v, head)];
    return link.is_tail ? cell.forward : cell.backward;
  }
  std::int64_t in(std::int32_t v, std::int32_t head, std::int32_t arc) const {
    if (arc == up) return unlimited;
    if (arc == down) return up_[head];
    const Link& link = link_of(v, arc);
    const Cell& cell = cells_[cell_at(link, v, head)];
    return link.is_tail ? cell.backward : cell.forward;
  }

  void push(std::int32_t v, std::int32_t head, std::int32_t arc, std::int64_t amount) {
    if (arc == up) {
      up_[v] -= amount;
    } else if (arc == down) {
      up_[head] += amount;
    } else {
      const Link& link = link_of(v, arc);
      Cell& cell = cells_[cell_at(link, v, head)];
      const std::int64_t flow = link.is_tail ? amount : -amount;
      cell.forward -= flow;
      cell.backward += flow;
    }
  }

  std::int32_t reverse(std::int32_t v, std::int32_t arc) const {
    if (arc == up) return down;
    if (arc == down) return up;
    return link_of(v, arc).reverse;
  }

 private:
  static constexpr std::int32_t up = -1, down = -2;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 2;

  struct Room {
    std::int64_t there, back;
    std::int64_t out() const { return there; }
    std::int64_t in() const { return back; }
  };
  struct Link {
    std::int64_t cells;
    std::int32_t first;    // node of the other column
    std::int32_t reverse;  // this edge among the other column's links
    bool is_tail;
  };

  std::int32_t levels_;
  LargeVector<std::int32_t> first_link_;  // per column
  LargeVector<Link> links_;
  const LargeVector<std::int64_t>& excess_;
  LargeVector<std::int64_t>& up_;
  LargeVector<Cell>& cells_;

  const Link& link_of(std::int32_t v, std::int32_t arc) const {
    return links_[first_link_[v / levels_] + arc];
  }
  std::size_t cell_at(const Link& link, std::int32_t v, std::int32_t head) const {
    const std::int32_t mine = v % levels_, other = head - link.first;
    return static_cast<std::size_t>(
        link.cells + (link.is_tail ? mine * levels_ + other : other * levels_ + mine));
  }
};

}  // namespace rangemoves
