// Flow along shortest paths, from one node with excess after the other. With few such nodes, as in
// most binary moves, it visits a small part of the graph only. With many a max-flow algorithm is
// faster, and settle() prepares its work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rangemoves/flow/binary_graph.hpp"

namespace rangemoves {

// Watcher: whose poll() is called now and then, and may throw.
template <class Capacity>
class ShortestPaths {
 public:
  explicit ShortestPaths(BinaryGraph<Capacity>& graph) : graph_(graph) {}

  // For estimates of memory.
  static constexpr std::size_t bytes_per_node() { return 3 * sizeof(std::int32_t); }

  // Forgets that flow was sent.
  void clear() { sent_ = false; }

  // True once a search has sent flow since clear().
  bool sent() const { return sent_; }

  // Breadth-first augmentation from each source. False if it gave up, because there are too many
  // sources or the budget of steps is spent; flow already sent is kept. True: no deficit can be
  // reached any more.
  template <class Watcher>
  bool run_from_few(std::int64_t steps_per_node, Watcher& watcher) {
    std::int64_t sources = 0;
    for (std::int32_t v = 0; v < graph_.nodes(); ++v) sources += graph_.excess(v) > 0;
    return sources <= graph_.nodes() / 16 + 1 && run(steps_per_node, watcher);
  }
  template <class Watcher>
  bool run(std::int64_t steps_per_node, Watcher& watcher) {
    mark_.assign(static_cast<std::size_t>(graph_.nodes()), 0);
    if (arc_to_.empty()) {
      arc_to_.resize(static_cast<std::size_t>(graph_.most_nodes()));
      queue_.reserve(arc_to_.size());
    }
    std::int64_t left = steps_per_node * graph_.nodes();
    std::int32_t round = 0;
    for (std::int32_t v = 0; v < graph_.nodes(); ++v)
      while (graph_.excess(v) > 0 && mark_[v] != cut_off) {
        if (left < 0) return false;
        if (!search(v, ++round, left, watcher))
          for (const std::int32_t u : queue_) mark_[u] = cut_off;
      }
    return true;
  }

  // After a run that did not give up: whether a node can be reached from an excess that was left.
  bool on_source_side(std::int32_t v) const { return mark_[v] == cut_off; }

  // Preprocessing: forward and backward passes over the nodes first .. end-1 let neighbouring
  // excess and deficit cancel. Each node hands what it has on to those ahead, in equal parts as far
  // as they fit. Cheaper than a flow, which then has less to do.
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

 private:
  static constexpr std::int32_t cut_off = INT32_MAX;
  // More than a node of a grid or a volume has.
  static constexpr std::int32_t arcs_per_step = 32;

  BinaryGraph<Capacity>& graph_;
  bool sent_ = false;
  std::uint32_t steps_ = 0;
  LargeVector<std::int32_t> mark_, arc_to_, queue_;

  template <class IsAhead>
  void hand_on(std::int32_t v, IsAhead&& is_ahead) {
    if (graph_.excess(v) == 0) return;
    const std::int32_t first = graph_.first_arc(v), end = graph_.end_arc(v);
    std::int32_t ahead = 0;
    for (std::int32_t a = first; a < end; ++a) ahead += is_ahead(graph_.head(a));
    const std::int64_t share = graph_.excess(v) / std::max({1, ahead, end - first - ahead});
    for (std::int32_t a = first; a < end; ++a) {
      if (!is_ahead(graph_.head(a))) continue;
      const std::int64_t amount =
          std::clamp<std::int64_t>(share, -graph_.room_back(a), graph_.room(a));
      graph_.send(a, amount);
      graph_.add_excess(v, -amount);
      graph_.add_excess(graph_.head(a), amount);
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
      if ((++steps_ & 0xff) == 0) watcher.poll();
      // A node with very many neighbours takes as long as many nodes.
      left -= 1 + (graph_.end_arc(at) - graph_.first_arc(at)) / arcs_per_step;
      for (std::int32_t a = graph_.first_arc(at); a < graph_.end_arc(at); ++a) {
        const std::int32_t u = graph_.head(a);
        if (graph_.room(a) <= 0 || mark_[u] == round || mark_[u] == cut_off) continue;
        mark_[u] = round;
        arc_to_[u] = a;
        queue_.push_back(u);
        if (graph_.excess(u) >= 0) continue;
        found = true;
        if (!augment(v, u) || graph_.excess(v) == 0) return true;
      }
    }
    return found;
  }

  // False: an arc on the way has lost its room since it was found.
  bool augment(std::int32_t from, std::int32_t to) {
    std::int64_t amount = std::min(graph_.excess(from), -graph_.excess(to));
    for (std::int32_t u = to; u != from; u = graph_.tail(arc_to_[u]))
      amount = std::min<std::int64_t>(amount, graph_.room(arc_to_[u]));
    if (amount == 0) return false;
    sent_ = true;
    for (std::int32_t u = to; u != from; u = graph_.tail(arc_to_[u]))
      graph_.send(arc_to_[u], amount);
    graph_.add_excess(from, -amount);
    graph_.add_excess(to, amount);
    return true;
  }
};

}  // namespace rangemoves
