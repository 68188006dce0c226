// Minimum cut by incremental breadth-first search (Goldberg, Hed, Kaplan, Tarjan, Werneck, "Maximum
// flows by incremental breadth-first search", 2011).
//
// Two breadth-first trees grow towards each other level by level, one from the nodes with excess,
// one from those with deficit. Where they meet, flow is sent along the path through both; a node
// whose arc to its parent has no room left looks for another parent, one level closer to the root
// if it can, else at the level it finds, else it leaves the tree. Distances never shrink, which
// bounds the work. All excess that is not needed stays where it is: after messages have done most
// of the work this touches far less than pushing everything about (pseudoflow.hpp), which is the
// better of the two on a raw graph.
//
// Regions that no arc joins are cut side by side. A large one is cut in pieces first, as if there
// were no arcs between them, then as a whole from the flow that they leave: the pieces fit a cache,
// and threads can share them.
//
// Over any graph of flow_graph.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "rangemoves/flow/flow_graph.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace incremental_bfs_details {

constexpr std::int32_t none = -1;

// An orphan has no parent: its sibling field links the orphans of one distance.
template <class Graph>
struct Node {
  std::int32_t parent = none, parent_arc = 0, first_child = none, next_sibling = none;
  typename Graph::Cursor cursor{};
};

// Cleared memory, set by whoever cuts a region: several threads then bring in its pages.
template <class Graph>
struct State {
  Graph& graph;
  SharedMemory memory;
  PlacedArray<std::int32_t> distance;  // in the source tree > 0, in the sink tree < 0, free 0
  PlacedArray<Node<Graph>> nodes;
  PlacedArray<std::int64_t> excess;  // capacity left between a node and its terminal
};

// Cuts one region after the other. Several of these may work on regions of their own at once.
template <class Graph>
class Search {
 public:
  Search(State<Graph>& state, Watch& watch)
      : graph_(state.graph),
        distance_(state.distance.data()),
        nodes_(state.nodes.data()),
        excess_(state.excess.data()),
        watch_(watch) {}

  // The first time that a region, or a piece of one, is cut.
  void run(const FlowRegion& region) {
    for (std::int32_t v = region.first; v < region.last; ++v) excess_[v] = graph_.excess(v);
    run_again(region);
  }

  // From the flow that cuts of pieces have left. Arcs that leave the region are not used.
  void run_again(const FlowRegion& region) {
    begin(region);
    while (true) {
      // The smaller frontier goes next.
      const bool source_next = frontier_[1].size() <= frontier_[0].size();
      if (source_next ? grow<true>() : grow<false>()) continue;
      // Nothing more can be reached from the terminal whose tree has ended: what neither tree holds
      // is on the other side.
      if (!source_next)
        for (std::int32_t v = region.first; v < region.last; ++v)
          if (distance_[v] == 0) distance_[v] = 1;
      return;
    }
  }

 private:
  Graph& graph_;
  std::int32_t* distance_;
  Node<Graph>* nodes_;
  std::int64_t* excess_;
  Watch& watch_;
  FlowRegion region_{0, 0};
  std::vector<std::int32_t> frontier_[2], next_frontier_;
  std::int32_t depth_[2] = {1, 1};     // of the sink tree, of the source tree
  std::vector<std::int32_t> orphans_;  // by distance: head of the list of orphans
  std::int32_t first_orphans_ = 0;
  std::uint32_t steps_ = 0;
  int growing_ = -1;

  // Steps count neighbours and children, so that polls come often at nodes with many of them too.
  void count_step() {
    if ((++steps_ & 0x3f) == 0) watch_.poll();
  }

  void begin(const FlowRegion& region) {
    region_ = region;
    frontier_[0].clear();
    frontier_[1].clear();
    depth_[0] = depth_[1] = 1;
    for (std::int32_t v = region.first; v < region.last; ++v) {
      if (((v - region.first) & 0xffff) == 0) watch_.poll();
      nodes_[v] = {};
      distance_[v] = 0;
      if (excess_[v] == 0) continue;
      distance_[v] = excess_[v] > 0 ? 1 : -1;
      frontier_[excess_[v] > 0].push_back(v);
    }
  }

  bool is_outside(std::int32_t v) const { return v < region_.first || v >= region_.last; }

  template <bool source>
  static std::int32_t signed_distance(std::int32_t d) {
    return source ? d : -d;
  }
  // Room for flow away from the root: out of v in the source tree, into v in the sink tree.
  template <bool source, class Room>
  static std::int64_t away(const Room& room) {
    return source ? room.out() : room.in();
  }
  // Room of the tree arc between v and its parent.
  template <bool source>
  std::int64_t room_to_parent(std::int32_t v) const {
    const Node<Graph>& node = nodes_[v];
    return source ? graph_.in(v, node.parent, node.parent_arc)
                  : graph_.out(v, node.parent, node.parent_arc);
  }

  void hang(std::int32_t v, std::int32_t parent, std::int32_t arc_to_parent) {
    nodes_[v].parent = parent;
    nodes_[v].parent_arc = arc_to_parent;
    nodes_[v].next_sibling = nodes_[parent].first_child;
    nodes_[parent].first_child = v;
  }

  void unhang(std::int32_t v) {
    std::int32_t* link = &nodes_[nodes_[v].parent].first_child;
    while (*link != v) link = &nodes_[*link].next_sibling;
    *link = nodes_[v].next_sibling;
    nodes_[v].parent = none;
  }

  // One more level. False where the tree can grow no further.
  template <bool source>
  bool grow() {
    growing_ = source;
    const std::int32_t level = depth_[source];
    next_frontier_.clear();
    for (std::size_t k = 0; k < frontier_[source].size(); ++k) {
      const std::int32_t v = frontier_[source][k];
      if (distance_[v] != signed_distance<source>(level)) continue;
      typename Graph::Cursor cursor{};
      while (distance_[v] == signed_distance<source>(level) &&
             graph_.scan(v, cursor, [&](std::int32_t w, std::int32_t arc, const auto& room) {
               return reach<source>(v, w, arc, room, level);
             })) {
      }
      count_step();
    }
    frontier_[source].swap(next_frontier_);
    ++depth_[source];
    growing_ = -1;
    return !frontier_[source].empty();
  }

  // Looks along one arc out of v; true where flow was sent along it, so that it has to be looked at
  // again.
  template <bool source, class Room>
  bool reach(std::int32_t v, std::int32_t w, std::int32_t arc, const Room& room,
             std::int32_t level) {
    if (is_outside(w)) return false;
    const std::int32_t d = signed_distance<source>(distance_[w]);
    if (d > 0 || away<source>(room) <= 0) return false;
    if (d == 0) {
      distance_[w] = signed_distance<source>(level + 1);
      nodes_[w].cursor = {};
      hang(w, v, graph_.reverse(v, arc));
      next_frontier_.push_back(w);
      return false;
    }
    if (source)
      augment(v, w, arc);
    else
      augment(w, v, graph_.reverse(v, arc));
    return true;
  }

  // Sends what fits from the root above s, over the arc (s, t), to the root above t.
  void augment(std::int32_t s, std::int32_t t, std::int32_t arc) {
    std::int64_t amount = graph_.out(s, t, arc);
    amount = bottleneck<true>(s, amount);
    amount = bottleneck<false>(t, amount);
    graph_.push(s, t, arc, amount);
    send<true>(s, amount);
    adopt_orphans<true>();
    send<false>(t, amount);
    adopt_orphans<false>();
  }

  template <bool source>
  std::int64_t bottleneck(std::int32_t v, std::int64_t amount) const {
    for (; nodes_[v].parent != none; v = nodes_[v].parent)
      amount = std::min(amount, room_to_parent<source>(v));
    return std::min(amount, std::abs(excess_[v]));
  }

  template <bool source>
  void send(std::int32_t v, std::int64_t amount) {
    while (nodes_[v].parent != none) {
      const std::int32_t up = nodes_[v].parent, arc = nodes_[v].parent_arc;
      if (source)
        graph_.push(up, v, graph_.reverse(v, arc), amount);
      else
        graph_.push(v, up, arc, amount);
      if (room_to_parent<source>(v) == 0) {
        unhang(v);
        add_orphan(v);
      }
      v = up;
    }
    excess_[v] -= source ? amount : -amount;
    if (excess_[v] == 0) add_orphan(v);
  }

  void add_orphan(std::int32_t v) {
    const std::int32_t d = std::abs(distance_[v]);
    if (static_cast<std::size_t>(d) >= orphans_.size())
      orphans_.resize(static_cast<std::size_t>(d) + 1, none);
    nodes_[v].next_sibling = orphans_[d];
    orphans_[d] = v;
    first_orphans_ = std::min(first_orphans_, d);
  }

  // Closest to the root first, so that possible parents have been dealt with.
  template <bool source>
  void adopt_orphans() {
    for (std::size_t d = static_cast<std::size_t>(std::max(first_orphans_, 1)); d < orphans_.size();
         ++d)
      while (orphans_[d] != none) {
        const std::int32_t v = orphans_[d];
        orphans_[d] = nodes_[v].next_sibling;
        adopt<source>(v);
        count_step();
      }
    first_orphans_ = INT32_MAX;
  }

  template <bool source>
  void adopt(std::int32_t v) {
    const std::int32_t d = signed_distance<source>(distance_[v]);
    // A new parent on the level above, from where the last search stopped.
    const auto parent_at = [&](std::int32_t u, std::int32_t arc, const auto& room) {
      if (is_outside(u) || distance_[u] != signed_distance<source>(d - 1) ||
          away<!source>(room) <= 0)
        return false;
      hang(v, u, arc);
      return true;
    };
    if (d > 1 && graph_.scan(v, nodes_[v].cursor, parent_at)) return;

    // The closest there is: nobody is closer than this node itself was.
    std::int32_t closest = INT32_MAX, parent = none, parent_arc = 0;
    typename Graph::Cursor cursor{};
    graph_.scan(v, cursor, [&](std::int32_t u, std::int32_t arc, const auto& room) {
      if (is_outside(u)) return false;
      const std::int32_t du = signed_distance<source>(distance_[u]);
      if (du <= 0 || du >= closest || away<!source>(room) <= 0) return false;
      closest = du;
      parent = u;
      parent_arc = arc;
      return du == d;
    });
    while (nodes_[v].first_child != none) {
      const std::int32_t child = nodes_[v].first_child;
      nodes_[v].first_child = nodes_[child].next_sibling;
      nodes_[child].parent = none;
      add_orphan(child);
    }
    nodes_[v].cursor = {};
    const std::int32_t limit = depth_[source] + (growing_ == source ? 1 : 0);
    if (parent == none || closest + 1 > limit) {
      distance_[v] = 0;
      return;
    }
    distance_[v] = signed_distance<source>(closest + 1);
    hang(v, parent, parent_arc);
    if (closest + 1 == depth_[source])
      frontier_[source].push_back(v);
    else if (closest == depth_[source])
      next_frontier_.push_back(v);
  }
};

}  // namespace incremental_bfs_details

template <class Graph>
class IncrementalBfs {
  static_assert(is_flow_graph<Graph>, "see flow_graph.hpp");

 public:
  IncrementalBfs(Graph& graph, Control& control)
      : state_{graph, {}, {}, {}, {}}, control_(control) {}

  void run() {
    allocate();
    share({{0, state_.graph.nodes()}}, 1,
          [](auto& search, const FlowRegion& all) { search.run(all); });
  }

  // Every piece by itself, then the regions of several pieces: the cut is the same for any number
  // of threads. The regions hold all nodes.
  void run(const std::vector<FlowRegion>& regions, int threads) {
    allocate();
    std::vector<FlowRegion> large;
    for (std::size_t k = 1; k < regions.size(); ++k) {
      if (!regions[k].goes_on) continue;
      if (!regions[k - 1].goes_on) large.push_back(regions[k - 1]);
      large.back().last = regions[k].last;
    }
    share(regions, threads, [](auto& search, const FlowRegion& piece) { search.run(piece); });
    share(large, threads, [](auto& search, const FlowRegion& region) { search.run_again(region); });
  }

  // Capacity left between a node and its terminal.
  std::int64_t excess(std::int32_t v) const { return state_.excess[v]; }

  bool on_source_side(std::int32_t v) const { return state_.distance[v] > 0; }

  // Bytes per node besides the graph, for estimates of memory. Frontiers count half: they never
  // hold all nodes at once.
  static constexpr std::size_t bytes_per_node() {
    return sizeof(Node) + sizeof(std::int64_t) + 2 * sizeof(std::int32_t);
  }
  // The same in memory that is mapped as it is.
  static std::int64_t bytes(std::int64_t nodes) {
    constexpr std::size_t each = sizeof(Node) + sizeof(std::int64_t) + sizeof(std::int32_t);
    return taken_bytes(nodes * static_cast<std::int64_t>(each)) +
           nodes * static_cast<std::int64_t>(sizeof(std::int32_t));
  }

 private:
  using Node = incremental_bfs_details::Node<Graph>;
  incremental_bfs_details::State<Graph> state_;
  Control& control_;

  void allocate() {
    const std::size_t n = static_cast<std::size_t>(state_.graph.nodes());
    state_.memory.plan(state_.distance, n);
    state_.memory.plan(state_.nodes, n);
    state_.memory.plan(state_.excess, n);
    state_.memory.allocate(&control_);
  }

  // work(search, region), large ones first: whoever is done takes the next one.
  template <class Work>
  void share(std::vector<FlowRegion> regions, int threads, const Work& work) {
    std::stable_sort(regions.begin(), regions.end(), [](const FlowRegion& a, const FlowRegion& b) {
      return a.last - a.first > b.last - b.first;
    });
    const auto count = static_cast<std::int32_t>(regions.size());
    std::atomic<std::int32_t> next{0};
    in_parallel(std::max(1, std::min(threads, count)), control_, [&](int, Watch& watch) {
      incremental_bfs_details::Search<Graph> search(state_, watch);
      for (std::int32_t k; (k = next.fetch_add(1)) < count;)
        work(search, regions[static_cast<std::size_t>(k)]);
    });
  }
};

}  // namespace rangemoves
