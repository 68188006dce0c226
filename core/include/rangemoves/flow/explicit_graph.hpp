// An ordinary sparse graph with stored arcs, for cuts that have no structure to exploit.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/problem/csr.hpp"

namespace rangemoves {

class ExplicitGraph {
 public:
  using Cursor = std::int32_t;

  struct Arc {
    std::int32_t tail, head;
    std::int64_t capacity, reverse_capacity;
  };

  // terminal(v) = capacity from the source less capacity to the sink: what runs straight through v
  // is no choice.
  ExplicitGraph(std::vector<std::int64_t> terminal, const std::vector<Arc>& arcs)
      : terminal_(std::move(terminal)),
        head_(2 * arcs.size()),
        sister_(2 * arcs.size()),
        residual_(2 * arcs.size()) {
    const auto arc_at = [&](std::int64_t k) -> const Arc& {
      return arcs[static_cast<std::size_t>(k)];
    };
    build_csr(
        nodes(), static_cast<std::int64_t>(arcs.size()), first_,
        [&](std::int64_t k) { return std::pair(arc_at(k).tail, arc_at(k).head); },
        [&](std::int64_t k, std::int32_t there, std::int32_t back) {
          const Arc& arc = arc_at(k);
          head_[there] = arc.head;
          head_[back] = arc.tail;
          residual_[there] = arc.capacity;
          residual_[back] = arc.reverse_capacity;
          sister_[there] = back;
          sister_[back] = there;
        });
  }

  std::int32_t nodes() const { return static_cast<std::int32_t>(terminal_.size()); }
  std::int64_t excess(std::int32_t v) const { return terminal_[v]; }

  template <class Visit>
  bool scan(std::int32_t v, Cursor& cursor, Visit&& visit) const {
    for (const std::int32_t end = first_[v + 1] - first_[v]; cursor < end; ++cursor) {
      const std::int32_t arc = first_[v] + cursor;
      if (visit(head_[arc], arc, Room{residual_[arc], residual_[sister_[arc]]})) return true;
    }
    return false;
  }

  std::int64_t out(std::int32_t, std::int32_t, std::int32_t arc) const { return residual_[arc]; }
  std::int64_t in(std::int32_t, std::int32_t, std::int32_t arc) const {
    return residual_[sister_[arc]];
  }

  void push(std::int32_t, std::int32_t, std::int32_t arc, std::int64_t amount) {
    residual_[arc] -= amount;
    residual_[sister_[arc]] += amount;
  }

  std::int32_t reverse(std::int32_t, std::int32_t arc) const { return sister_[arc]; }

 private:
  struct Room {
    std::int64_t there, back;
    std::int64_t out() const { return there; }
    std::int64_t in() const { return back; }
  };

  std::vector<std::int64_t> terminal_;
  std::vector<std::int32_t> first_, head_, sister_;
  std::vector<std::int64_t> residual_;
};

}  // namespace rangemoves
