// The graph of a binary move: one node per variable, one arc each way per edge, the residuals
// beside the heads. Its memory, enough for a move of all variables, is kept from one move to the
// next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rangemoves/large_memory.hpp"

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
    return sizeof(std::int64_t) + 4 * sizeof(std::int32_t);
  }
  static constexpr std::size_t bytes_per_edge() { return 2 * sizeof(Slot); }

  // Forgets everything but the memory.
  void clear() {
    nodes_ = 0;
    sent_ = false;
  }

  // Nodes come in order, each followed by its arcs.
  void add_node() {
    excess_[nodes_++] = 0;
    first_[nodes_] = first_[nodes_ - 1];
  }

  void set_excess(std::int32_t v, std::int64_t amount) { excess_[v] = amount; }
  void add_excess(std::int32_t v, std::int64_t amount) { excess_[v] += amount; }

  // An arc of the newest node to one that is yet to come: returns its place.
  std::int32_t open() { return first_[nodes_]++; }

  // The arc of the newest node that answers the one an earlier node has in that place.
  std::int32_t close(std::int32_t earlier, std::int32_t place, Capacity from_earlier,
                     Capacity to_earlier) {
    const std::int32_t here = first_[nodes_]++;
    slots_[here] = {earlier, place, to_earlier};
    slots_[place] = {nodes_ - 1, here, from_earlier};
    return here;
  }

  // Whether any flow was sent from few since everything was forgotten.
  bool sent() const { return sent_; }

  // Augments along shortest paths, from one node with excess after the other: where few have any,
  // as in most moves, this sees a small part of the graph only. Gives up where many have, or, with
  // what it has done so far, after so many steps a node. True: no deficit can be reached any more.
  template <class Watcher>
  bool send_from_few(std::int64_t steps_per_node, Watcher& watcher) {
    const auto sources = std::count_if(excess_.begin(), excess_.begin() + nodes_,
                                       [](std::int64_t e) { return e > 0; });
    return sources <= nodes() / 16 + 1 && send(steps_per_node, watcher);
  }
  template <class Watcher>
  bool send(std::int64_t steps_per_node, Watcher& watcher) {
    mark_.assign(static_cast<std::size_t>(nodes_), 0);
    if (arc_to_.empty()) {
      arc_to_.resize(excess_.size());
      queue_.reserve(excess_.size());
    }
    std::int64_t left = steps_per_node * nodes();
    std::int32_t round = 0;
    for (std::int32_t v = 0; v < nodes(); ++v)
      while (excess_[v] > 0 && mark_[v] != cut_off) {
        if (left < 0) return false;
        if (!search(v, ++round, left, watcher))
          for (const std::int32_t u : queue_) mark_[u] = cut_off;
      }
    return true;
  }

  // Hands all excess and all deficit on from node to node of first .. end-1, to those ahead in
  // equal parts and as far as they fit, there and back again: what noise has put side by side
  // cancels out. Cheaper than a flow, which then has less to do.
  template <class Watcher>
  void settle(std::int32_t first, std::int32_t end, int times, Watcher& watcher) {
    for (int k = 0; k < times; ++k) {
      for (std::int32_t v = first; v < end; ++v) {
        hand_on(v, [&](std::int32_t u) { return u > v && u < end; });
        if ((v & 0xff) == 0) watcher.poll();
      }
      for (std::int32_t v = end - 1; v >= first; --v) {
        hand_on(v, [&](std::int32_t u) { return u < v && u >= first; });
        if ((v & 0xff) == 0) watcher.poll();
      }
    }
  }

  // Whether a node can be reached from an excess that was left.
  bool on_source_side(std::int32_t v) const { return mark_[v] == cut_off; }

  // What a max-flow algorithm asks for (maxflow.hpp).
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

  static constexpr std::int32_t cut_off = INT32_MAX;

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

  template <class IsAhead>
  void hand_on(std::int32_t v, IsAhead&& is_ahead) {
    if (excess_[v] == 0) return;
    std::int32_t ahead = 0;
    for (std::int32_t a = first_[v]; a < first_[v + 1]; ++a) ahead += is_ahead(slots_[a].head);
    const std::int64_t share = excess_[v] / std::max({1, ahead, first_[v + 1] - first_[v] - ahead});
    for (std::int32_t a = first_[v]; a < first_[v + 1]; ++a) {
      if (!is_ahead(slots_[a].head)) continue;
      const std::int64_t amount = std::clamp<std::int64_t>(share, -in(0, 0, a), slots_[a].residual);
      push(0, 0, a, amount);
      excess_[v] -= amount;
      excess_[slots_[a].head] += amount;
    }
  }

  // Sends excess of v to the deficits that are closest. False: there is none that it can reach.
  template <class Watcher>
  bool search(std::int32_t v, std::int32_t round, std::int64_t& left, Watcher& watcher) {
    bool found = false;
    queue_.assign(1, v);
    mark_[v] = round;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const std::int32_t at = queue_[k];
      for (std::int32_t a = first_[at]; a < first_[at + 1]; ++a) {
        const std::int32_t u = slots_[a].head;
        if (slots_[a].residual <= 0 || mark_[u] == round || mark_[u] == cut_off) continue;
        mark_[u] = round;
        arc_to_[u] = a;
        queue_.push_back(u);
        if (excess_[u] >= 0) continue;
        found = true;
        if (!augment(v, u) || excess_[v] == 0) return true;
      }
      if ((--left & 0xff) == 0) watcher.poll();
    }
    return found;
  }

  // False: an arc on the way has lost its room since it was found.
  bool augment(std::int32_t from, std::int32_t to) {
    std::int64_t amount = std::min(excess_[from], -excess_[to]);
    for (std::int32_t u = to; u != from; u = tail(arc_to_[u]))
      amount = std::min<std::int64_t>(amount, slots_[arc_to_[u]].residual);
    if (amount == 0) return false;
    sent_ = true;
    for (std::int32_t u = to; u != from; u = tail(arc_to_[u])) push(0, 0, arc_to_[u], amount);
    excess_[from] -= amount;
    excess_[to] += amount;
    return true;
  }
  std::int32_t tail(std::int32_t arc) const { return slots_[slots_[arc].sister].head; }

  std::int32_t nodes_ = 0;
  bool sent_ = false;
  LargeVector<std::int64_t> excess_;
  LargeVector<std::int32_t> first_;
  LargeVector<Slot> slots_;
  LargeVector<std::int32_t> mark_, arc_to_, queue_;  // of the search
};

}  // namespace rangemoves
