#include "rangemoves/problem/neighbourhood.hpp"

#include <stdexcept>
#include <utility>

namespace rangemoves {

Neighbourhood::Neighbourhood(std::int32_t nodes, std::vector<std::int32_t> tail,
                             std::vector<std::int32_t> head, std::int32_t row, Control* control)
    : nodes_(nodes), row_(row), tail_(std::move(tail)), head_(std::move(head)) {
  if (tail_.size() != head_.size()) throw std::invalid_argument("tail and head differ in length");
  if (tail_.size() >= static_cast<std::size_t>(INT32_MAX))
    throw std::overflow_error("more than 2^31 - 2 edges");
  const auto poll = [&](std::size_t e) {
    if (control && (e & 0xfffff) == 0xfffff) control->poll();
  };
  first_.assign(static_cast<std::size_t>(nodes_) + 1, 0);
  for (std::size_t e = 0; e < tail_.size(); ++e) {
    poll(e);
    const std::int32_t i = tail_[e], j = head_[e];
    if (i < 0 || j < 0 || i >= nodes_ || j >= nodes_ || i == j)
      throw std::invalid_argument("an edge must join two different nodes of the problem");
    ++first_[i + 1];
    ++first_[j + 1];
  }
  for (std::int32_t i = 0; i < nodes_; ++i) first_[i + 1] += first_[i];
  incidence_.resize(2 * tail_.size());
  std::vector<std::int64_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t e = 0; e < tail_.size(); ++e) {
    poll(e);
    const std::int32_t i = tail_[e], j = head_[e], edge = static_cast<std::int32_t>(e);
    incidence_[at[i]++] = {edge, j, true};
    incidence_[at[j]++] = {edge, i, false};
  }
}

}  // namespace rangemoves
