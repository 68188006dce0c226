#include "rangemoves/optimum/islands.hpp"

#include <utility>

#include "rangemoves/problem/csr.hpp"

namespace rangemoves {

IslandMap::IslandMap(const OrderedGraph& graph)
    : others_(2 * graph.edges.size()),
      inside_(static_cast<std::size_t>(graph.nodes), 0),
      seen_(static_cast<std::size_t>(graph.nodes), 0) {
  const auto edge = [&](std::int64_t e) -> const OrderedEdge& {
    return graph.edges[static_cast<std::size_t>(e)];
  };
  build_csr(
      graph.nodes, static_cast<std::int64_t>(graph.edges.size()), first_,
      [&](std::int64_t e) { return std::pair(edge(e).earlier, edge(e).later); },
      [&](std::int64_t e, std::int64_t there, std::int64_t back) {
        others_[static_cast<std::size_t>(there)] = edge(e).later;
        others_[static_cast<std::size_t>(back)] = edge(e).earlier;
      });
}

bool IslandMap::add_around(std::int32_t i, std::size_t count) {
  near_.assign(1, i);
  seen_[static_cast<std::size_t>(i)] = ++searches_;
  bool is_new = false;
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const auto at = static_cast<std::size_t>(near_[k]);
    is_new = is_new || !inside_[at];
    inside_[at] = 1;
    for (std::int64_t n = first_[at]; n < first_[at + 1]; ++n) {
      const std::int32_t other = others_[static_cast<std::size_t>(n)];
      if (near_.size() == count) break;
      if (seen_[static_cast<std::size_t>(other)] == searches_) continue;
      seen_[static_cast<std::size_t>(other)] = searches_;
      near_.push_back(other);
    }
  }
  return is_new;
}

void IslandMap::add_all() {
  for (std::size_t i = 0; i < inside_.size(); ++i) inside_[i] = first_[i] < first_[i + 1];
}

std::vector<IslandNodes> IslandMap::parts(std::vector<std::int32_t>& owner) const {
  owner.assign(inside_.size(), -1);
  std::vector<IslandNodes> parts;
  for (std::size_t start = 0; start < inside_.size(); ++start) {
    if (!inside_[start] || owner[start] >= 0) continue;
    const auto id = static_cast<std::int32_t>(parts.size());
    IslandNodes nodes{static_cast<std::int32_t>(start)};
    owner[start] = id;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto at = static_cast<std::size_t>(nodes[k]);
      for (std::int64_t n = first_[at]; n < first_[at + 1]; ++n) {
        const auto other = static_cast<std::size_t>(others_[static_cast<std::size_t>(n)]);
        if (!inside_[other] || owner[other] >= 0) continue;
        owner[other] = id;
        nodes.push_back(static_cast<std::int32_t>(other));
      }
    }
    std::sort(nodes.begin(), nodes.end());
    parts.push_back(std::move(nodes));
  }
  return parts;
}

}  // namespace rangemoves
