// Who is next to whom. A grid and an arbitrary graph are both a list of edges with an adjacency
// built from it: no method knows which of the two it is working on.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/control.hpp"
#include "rangemoves/large_memory.hpp"

namespace rangemoves {

// One edge as seen from one of its ends.
struct Incidence {
  std::int32_t edge;
  std::int32_t other;
  bool is_tail;  // whether the node that looks is the tail: the cost of an edge is g(x_tail -
                 // x_head)
};

class Neighbourhood {
 public:
  // `row` is a hint: so many consecutive nodes form one row (threads take the nodes row by row).
  // `control`, where given, may stop the work on a long list.
  Neighbourhood(std::int32_t nodes, std::vector<std::int32_t> tail, std::vector<std::int32_t> head,
                std::int32_t row, Control* control = nullptr);

  std::int32_t nodes() const { return nodes_; }
  std::int64_t edges() const { return static_cast<std::int64_t>(tail_.size()); }
  std::int32_t tail(std::int64_t e) const { return tail_[e]; }
  std::int32_t head(std::int64_t e) const { return head_[e]; }
  std::int32_t row() const { return row_; }

  const Incidence* begin(std::int32_t i) const { return incidence_.data() + first_[i]; }
  const Incidence* end(std::int32_t i) const { return incidence_.data() + first_[i + 1]; }

 private:
  std::int32_t nodes_, row_;
  std::vector<std::int32_t> tail_, head_;
  LargeVector<std::int64_t> first_;
  LargeVector<Incidence> incidence_;  // of a node: in the order of the edge list
};

}  // namespace rangemoves
