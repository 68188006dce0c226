// Minimum cut by pseudoflow (Hochbaum, "The pseudoflow algorithm", 2008; highest label first).
//
// Every arc out of the source and into the sink is saturated at the start, so every node has an
// excess (positive or negative). Nodes hang in trees whose roots carry the excess; a root with a
// positive one is strong. The strong root of the highest label looks in its tree for a residual arc
// to a node one label lower, hangs itself there and sends its excess up towards the new root; where
// an arc on the way is too narrow the tree splits. When no node has the label below, the strong
// trees above it can no longer reach the sink: they are the source side of a minimum cut.
//
// The result is a pseudoflow: all capacities are kept, and excess is left on the source side only,
// deficit on the sink side only. For a cut nothing more is needed; ishikawa_graph.hpp says why
// messages can be read off it too.
//
// The algorithm is written once, over any graph of flow_graph.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rangemoves/flow/flow_graph.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

// Watcher: whose poll() is called now and then, and may throw.
template <class Graph, class Watcher = Control>
class Pseudoflow {
  static_assert(is_flow_graph<Graph>, "see flow_graph.hpp");

 public:
  Pseudoflow(Graph& graph, Watcher& control) : graph_(graph), control_(control) {}

  void run() {
    initialise();
    for (std::int32_t root = highest_strong_root(); root != none; root = highest_strong_root())
      process(root);
  }

  bool on_source_side(std::int32_t v) const { return label_[v] == lifted; }

  // After run(): of all least cuts, chooses the one with the most nodes on the source side.
  void widen_source_side() { lift_unreachable(); }

  // The excess that is left at a node: positive on the source side only, negative on the sink side
  // only.
  std::int64_t excess(std::int32_t v) const { return nodes_[v].excess; }

  // Bytes per node besides the graph, for estimates of memory.
  static constexpr std::size_t bytes_per_node() { return sizeof(Node) + sizeof(std::int32_t); }

 private:
  static constexpr std::int32_t none = -1;
  static constexpr std::int32_t lifted = INT32_MAX;

  Graph& graph_;
  Watcher& control_;
  // Fields used together share a cache line; labels have an array of their own, because scans read
  // the labels of neighbours and nothing else.
  struct Node {
    std::int64_t excess = 0;  // of roots; zero at every other node
    std::int32_t parent = none, parent_arc = 0, first_child = none, next = none, next_scan = none;
    typename Graph::Cursor cursor{};
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> label_;
  std::vector<std::int32_t>
      bucket_;                       // per label: the first strong root; the others follow by next_
  std::vector<std::int32_t> count_;  // per label: how many nodes have it
  std::int32_t highest_ = 0;
  std::int32_t steps_ = 0;

  // Steps count neighbours and children, so that polls come often at nodes with many of them too.
  void count_steps(std::int32_t steps) {
    if ((steps_ += steps) < 256) return;
    steps_ = 0;
    control_.poll();
  }

  void initialise() {
    const std::size_t n = static_cast<std::size_t>(graph_.nodes());
    assign_polling(label_, n, 0, control_);
    assign_polling(nodes_, n, Node{}, control_);
    for (std::size_t v = 0; v < n; ++v)
      nodes_[v].excess = graph_.excess(static_cast<std::int32_t>(v));
    lift_unreachable();
    bucket_.assign(2, none);
    count_.assign(2, 0);
    for (std::size_t v = 0; v < n; ++v) {
      if (label_[v] == lifted) continue;
      const bool strong = nodes_[v].excess > 0;
      label_[v] = strong ? 1 : 0;
      ++count_[label_[v]];
      if (strong) add_strong(static_cast<std::int32_t>(v));
    }
    highest_ = 1;
  }

  // Puts all nodes on the source side that cannot reach a deficit. Those that cannot at the start
  // never will, so that nobody needs to raise them label by label.
  void lift_unreachable() {
    const std::int32_t n = graph_.nodes();
    std::fill(label_.begin(), label_.end(), lifted);
    std::vector<std::int32_t> reached;
    const auto reach = [&](std::int32_t v) {
      label_[v] = 0;
      reached.push_back(v);
    };
    for (std::int32_t v = 0; v < n; ++v)
      if (nodes_[v].excess < 0) reach(v);
    while (!reached.empty()) {
      const std::int32_t v = reached.back();
      reached.pop_back();
      typename Graph::Cursor cursor{};
      graph_.scan(v, cursor, [&](std::int32_t u, std::int32_t, const auto& room) {
        if (label_[u] == lifted && room.in() > 0) reach(u);
        return false;
      });
      count_steps(1);
    }
  }

  void add_strong(std::int32_t root) {
    nodes_[root].next = bucket_[label_[root]];
    bucket_[label_[root]] = root;
  }

  std::int32_t take_strong(std::int32_t label) {
    const std::int32_t root = bucket_[label];
    bucket_[label] = nodes_[root].next;
    nodes_[root].next = none;
    return root;
  }

  std::int32_t highest_strong_root() {
    for (std::int32_t l = highest_; l > 0; --l) {
      if (bucket_[l] == none) continue;
      highest_ = l;
      if (count_[l - 1] > 0) return take_strong(l);
      while (bucket_[l] != none) lift(take_strong(l));
    }
    if (bucket_[0] == none) return none;
    while (bucket_[0] != none) {
      const std::int32_t root = take_strong(0);
      relabel(root);
      add_strong(root);
    }
    highest_ = 1;
    return take_strong(1);
  }

  // The whole tree is cut off from the sink for good.
  void lift(std::int32_t root) {
    post_order(root, [&](std::int32_t v) {
      --count_[label_[v]];
      label_[v] = lifted;
    });
  }

  // Calls leave(v) for every node of the tree, children before parents.
  template <class Leave>
  void post_order(std::int32_t root, Leave&& leave) {
    std::int32_t v = root;
    nodes_[v].next_scan = nodes_[v].first_child;
    while (true) {
      if (nodes_[v].next_scan != none) {
        const std::int32_t child = nodes_[v].next_scan;
        nodes_[v].next_scan = nodes_[child].next;
        v = child;
        nodes_[v].next_scan = nodes_[v].first_child;
        continue;
      }
      leave(v);
      count_steps(1);
      if (v == root) return;
      v = nodes_[v].parent;
    }
  }

  void relabel(std::int32_t v) {
    --count_[label_[v]];
    ++label_[v];
    if (static_cast<std::size_t>(label_[v]) >= count_.size()) {
      count_.push_back(0);
      bucket_.push_back(none);
    }
    ++count_[label_[v]];
    nodes_[v].cursor = {};
  }

  // Raises the label of a node once all its children have higher ones.
  void relabel_if_done(std::int32_t v) {
    for (; nodes_[v].next_scan != none; nodes_[v].next_scan = nodes_[nodes_[v].next_scan].next)
      if (label_[nodes_[v].next_scan] == label_[v]) return;
    relabel(v);
  }

  bool find_merger(std::int32_t v, std::int32_t& weak, std::int32_t& arc) {
    count_steps(1);
    const std::int32_t wanted = highest_ - 1;
    return graph_.scan(v, nodes_[v].cursor,
                       [&](std::int32_t head, std::int32_t a, const auto& room) {
                         if (label_[head] != wanted || room.out() <= 0) return false;
                         weak = head;
                         arc = a;
                         return true;
                       });
  }

  bool try_merge(std::int32_t root, std::int32_t v) {
    std::int32_t weak = none, arc = 0;
    if (!find_merger(v, weak, arc)) return false;
    merge(v, weak, arc);
    push_excess(root);
    return true;
  }

  // Depth first through the nodes of the root's own label.
  void process(std::int32_t root) {
    std::int32_t v = root;
    nodes_[v].next_scan = nodes_[v].first_child;
    if (try_merge(root, v)) return;
    relabel_if_done(v);
    while (v != none) {
      while (nodes_[v].next_scan != none) {
        const std::int32_t child = nodes_[v].next_scan;
        nodes_[v].next_scan = nodes_[child].next;
        v = child;
        nodes_[v].next_scan = nodes_[v].first_child;
        if (try_merge(root, v)) return;
        relabel_if_done(v);
      }
      v = nodes_[v].parent;
      if (v != none) relabel_if_done(v);
    }
    add_strong(root);
    ++highest_;
  }

  void remove_child(std::int32_t parent, std::int32_t child) {
    nodes_[child].parent = none;
    std::int32_t* link = &nodes_[parent].first_child;
    while (*link != child) link = &nodes_[*link].next;
    *link = nodes_[child].next;
    nodes_[child].next = none;
  }

  // Reverses the path from v to its root, then makes v a child of weak.
  void merge(std::int32_t v, std::int32_t weak, std::int32_t arc) {
    std::int32_t child = v, new_parent = weak, new_arc = arc, length = 1;
    for (;; ++length) {
      const std::int32_t old_parent = nodes_[child].parent, old_arc = nodes_[child].parent_arc;
      if (old_parent != none) remove_child(old_parent, child);
      nodes_[child].parent = new_parent;
      nodes_[child].parent_arc = new_arc;
      nodes_[child].next = nodes_[new_parent].first_child;
      nodes_[new_parent].first_child = child;
      if (old_parent == none) return count_steps(length);
      new_arc = graph_.reverse(child, old_arc);
      new_parent = child;
      child = old_parent;
    }
  }

  void push_excess(std::int32_t v) {
    std::int64_t before = 1;
    std::int32_t length = 0;
    for (; nodes_[v].excess != 0 && nodes_[v].parent != none; ++length) {
      const std::int32_t up = nodes_[v].parent;
      before = nodes_[up].excess;
      const std::int64_t room = graph_.out(v, up, nodes_[v].parent_arc);
      const std::int64_t amount = room < nodes_[v].excess ? room : nodes_[v].excess;
      graph_.push(v, up, nodes_[v].parent_arc, amount);
      nodes_[v].excess -= amount;
      nodes_[up].excess += amount;
      if (nodes_[v].excess > 0) {
        remove_child(up, v);
        add_strong(v);
      }
      v = up;
    }
    if (nodes_[v].excess > 0 && before <= 0) add_strong(v);
    count_steps(length);
  }
};

}  // namespace rangemoves
