#include "rangemoves/problem/neighbourhood.hpp"

#include <stdexcept>
#include <utility>

#include "rangemoves/problem/csr.hpp"

namespace rangemoves {

Neighbourhood::Neighbourhood(std::int32_t nodes, std::vector<std::int32_t> tail,
                             std::vector<std::int32_t> head, std::int32_t row, Control* control)
    : nodes_(nodes), row_(row), tail_(std::move(tail)), head_(std::move(head)) {
  if (tail_.size() != head_.size()) throw std::invalid_argument("tail and head differ in length");
  if (tail_.size() > static_cast<std::size_t>(Incidence::kMostEdges))
    throw std::overflow_error("more than 2^30 - 1 edges");
  incidence_.resize(2 * tail_.size());
  build_csr(
      nodes_, edges(), first_,
      [&](std::int64_t e) {
        if (control && (e & 0xfffff) == 0xfffff) control->poll();
        const std::int32_t i = tail_[e], j = head_[e];
        if (i < 0 || j < 0 || i >= nodes_ || j >= nodes_ || i == j)
          throw std::invalid_argument("an edge must join two different nodes of the problem");
        return std::pair(i, j);
      },
      [&](std::int64_t e, std::int64_t there, std::int64_t back) {
        // No edge has a larger number; said so that the compiler knows it.
        const auto edge = static_cast<std::int32_t>(e);
        incidence_[there] = {edge & Incidence::kMostEdges, true, head_[e]};
        incidence_[back] = {edge & Incidence::kMostEdges, false, tail_[e]};
      });
}

}  // namespace rangemoves
