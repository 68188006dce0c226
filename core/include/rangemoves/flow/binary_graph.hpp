// The graph of a binary move: one node per variable, one arc each way per edge, the residuals
// beside the heads. Its memory, enough for a move of all variables, is kept from one move to the
// next.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

// Capacity is 32 bits wide where the sum of two opposite capacities always fits, else 64.
template <class Capacity>
class BinaryGraph {
 public:
  using Cursor = std::int32_t;

  BinaryGraph(std::int64_t most_nodes, std::int64_t most_edges)
      : excess_(static_cast<std::size_t>(most_nodes)),
        first_(static_cast<std::size_t>(most_nodes) + 1, 0),
        slots_(2 * static_cast<std::size_t>(most_edges)) {}

  // For estimates of memory.
  static constexpr std::size_t bytes_per_node() {
    return sizeof(std::int64_t) + sizeof(std::int32_t);
  }
  static constexpr std::size_t bytes_per_edge() { return 2 * sizeof(Slot); }

  // Removes all nodes; the memory is kept.
  void clear() { nodes_ = 0; }

  // Nodes come in order, each followed by its arcs.
  void add_node() {
    excess_[nodes_++] = 0;
    first_[nodes_] = first_[nodes_ - 1];
  }

  void set_excess(std::int32_t v, std::int64_t amount) { excess_[v] = amount; }
  void add_excess(std::int32_t v, std::int64_t amount) { excess_[v] += amount; }

  // Adds an arc from the newest node to a later one and returns its place; close() completes it.
  std::int32_t open() { return first_[nodes_]++; }

  // Adds the arc back from the newest node to the earlier one whose arc open() put at `place`.
  std::int32_t close(std::int32_t earlier, std::int32_t place, Capacity from_earlier,
                     Capacity to_earlier) {
    const std::int32_t here = first_[nodes_]++;
    slots_[here] = {earlier, place, to_earlier};
    slots_[place] = {nodes_ - 1, here, from_earlier};
    return here;
  }

  // Direct access to a node's arcs, for searches in which scan() would cost too much.
  std::int32_t first_arc(std::int32_t v) const { return first_[v]; }
  std::int32_t end_arc(std::int32_t v) const { return first_[v + 1]; }
  std::int32_t head(std::int32_t arc) const { return slots_[arc].head; }
  std::int32_t tail(std::int32_t arc) const { return slots_[slots_[arc].sister].head; }
  std::int64_t room(std::int32_t arc) const { return slots_[arc].residual; }
  std::int64_t room_back(std::int32_t arc) const { return slots_[slots_[arc].sister].residual; }
  void send(std::int32_t arc, std::int64_t amount) { push(0, 0, arc, amount); }
  std::int64_t most_nodes() const { return static_cast<std::int64_t>(excess_.size()); }

  // As a flow graph (flow_graph.hpp).
  std::int32_t nodes() const { return nodes_; }
  std::int64_t excess(std::int32_t v) const { return excess_[v]; }

  template <class Visit>
  bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
    return scan_part(v, cursor, 0, nodes_, visit);
  }

  std::int64_t out(std::int32_t, std::int32_t, std::int32_t arc) const {
    return slots_[arc].residual;
  }
  std::int64_t in(std::int32_t, std::int32_t, std::int32_t arc) const {
    return slots_[slots_[arc].sister].residual;
  }
  void push(std::int32_t, std::int32_t, std::int32_t arc, std::int64_t amount) {
    Slot& slot = slots_[arc];
    slot.residual -= static_cast<Capacity>(amount);
    slots_[slot.sister].residual += static_cast<Capacity>(amount);
  }
  std::int32_t reverse(std::int32_t, std::int32_t arc) const { return slots_[arc].sister; }

  // The graph of the nodes first .. end-1 alone: flows in parts without a node in common can be
  // found at the same time.
  class Part {
   public:
    using Cursor = BinaryGraph::Cursor;

    Part(BinaryGraph& whole, std::int32_t first, std::int32_t end)
        : whole_(whole), first_(first), end_(end) {}

    std::int32_t nodes() const { return end_ - first_; }
    std::int64_t excess(std::int32_t v) const { return whole_.excess_[first_ + v]; }
    template <class Visit>
    bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
      return whole_.scan_part(first_ + v, cursor, first_, end_, visit);
    }
    std::int64_t out(std::int32_t, std::int32_t, std::int32_t arc) const {
      return whole_.out(0, 0, arc);
    }
    std::int64_t in(std::int32_t, std::int32_t, std::int32_t arc) const {
      return whole_.in(0, 0, arc);
    }
    void push(std::int32_t, std::int32_t, std::int32_t arc, std::int64_t amount) {
      whole_.push(0, 0, arc, amount);
    }
    std::int32_t reverse(std::int32_t, std::int32_t arc) const { return whole_.reverse(0, arc); }

   private:
    BinaryGraph& whole_;
    std::int32_t first_, end_;
  };

 private:
  struct Room {
    const BinaryGraph& graph;
    std::int32_t arc;
    std::int64_t out() const { return graph.out(0, 0, arc); }
    std::int64_t in() const { return graph.in(0, 0, arc); }
  };

  struct Slot {
    std::int32_t head, sister;
    Capacity residual;
  };

  // The arcs of v to nodes first .. end-1, whose heads are counted from `first`.
  template <class Visit>
  bool scan_part(std::int32_t v, Cursor& cursor, std::int32_t first, std::int32_t end,
                 Visit&& visit) const {
    const std::int32_t arcs = first_[v], count = first_[v + 1] - arcs;
    for (; cursor < count; ++cursor) {
      const std::int32_t arc = arcs + cursor, head = slots_[arc].head;
      if (head < first || head >= end) continue;
      if (visit(head - first, arc, Room{*this, arc})) return true;
    }
    return false;
  }

  std::int32_t nodes_ = 0;
  LargeVector<std::int64_t> excess_;
  LargeVector<std::int32_t> first_;
  LargeVector<Slot> slots_;
};

}  // namespace rangemoves
