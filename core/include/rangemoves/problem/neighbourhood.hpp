// Who is next to whom: a list of edges with an adjacency built from it, and what kind of graph they
// make. No method needs to know which; what is faster or better on some kinds asks the topology.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rangemoves/run/control.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

// One edge as seen from one of its ends. There are four for every variable of a grid, so they are
// packed into eight bytes.
struct Incidence {
  static constexpr std::int32_t kMostEdges = INT32_MAX / 2;
  std::int32_t edge : 31;
  bool is_tail : 1;  // whether the node that looks is the tail: the cost of an edge is g(x_tail -
                     // x_head)
  std::int32_t other;
};

// The smallest kind that holds all edges: a grid may lack some of its edges, but has at least two
// rows and no two edges between the same nodes. Whatever has no cycle is a chain or a tree, several
// of them too; a chain's nodes have at most two neighbours.
struct Topology {
  enum class Kind { grid4, grid8, grid6, grid26, chain, tree, general };
  Kind kind = Kind::general;
  // A grid's node at (z, y, x) has the rank (z * height + y) * width + x. Elsewhere depth is 1 and
  // width is how many nodes, one after the other in the order, make a good piece of work.
  std::int32_t depth = 1, height = 1, width = 1;

  bool is_forest() const { return kind == Kind::chain || kind == Kind::tree; }
  bool is_grid() const { return !is_forest() && kind != Kind::general; }
};

class Neighbourhood {
 public:
  // `row`, where the caller knows it: the nodes are those of a grid in raster order, with rows of
  // this length; 0 where nothing is known. `control`, where given, may stop the work on a long
  // list.
  Neighbourhood(std::int32_t nodes, std::vector<std::int32_t> tail, std::vector<std::int32_t> head,
                std::int32_t row, Control* control = nullptr);

  std::int32_t nodes() const { return nodes_; }
  std::int64_t edges() const { return static_cast<std::int64_t>(tail_.size()); }
  std::int32_t tail(std::int64_t e) const { return tail_[e]; }
  std::int32_t head(std::int64_t e) const { return head_[e]; }

  const Incidence* begin(std::int32_t i) const { return incidence_.data() + first_[i]; }
  const Incidence* end(std::int32_t i) const { return incidence_.data() + first_[i + 1]; }

  // What this graph is, and in which order sweeps go over it. Found out when first asked for, which
  // only one thread at a time may do.
  const Topology& topology() const { return facts().topology; }
  // Position in the order of sweeps: the node's own number where the caller's order is kept.
  std::int32_t rank(std::int32_t i) const {
    const LargeVector<std::int32_t>& rank = facts().rank;
    return rank.empty() ? i : rank[i];
  }
  // The node at a position.
  std::int32_t at_rank(std::int32_t r) const {
    const LargeVector<std::int32_t>& at = facts().at;
    return at.empty() ? r : at[r];
  }
  bool keeps_order() const { return facts().rank.empty(); }
  // Whether nodes below each other in rows of the topology's width are near each other.
  bool has_rows() const { return keeps_order() || topology().is_grid(); }
  // Whether an edge leads onward in the order.
  bool tail_first(std::int64_t e) const { return rank(tail_[e]) < rank(head_[e]); }

  // Finds out now, where it can be interrupted.
  void find_topology(Control* control) const;

 private:
  struct Facts {
    Topology topology;
    LargeVector<std::int32_t> rank, at;  // both empty where the caller's order is kept
  };

  std::int32_t nodes_, row_;
  std::vector<std::int32_t> tail_, head_;
  LargeVector<std::int32_t> first_;
  LargeVector<Incidence> incidence_;  // of a node: in the order of the edge list
  mutable std::shared_ptr<const Facts> facts_;

  const Facts& facts() const {
    if (!facts_) find_topology(nullptr);
    return *facts_;
  }
};

}  // namespace rangemoves
