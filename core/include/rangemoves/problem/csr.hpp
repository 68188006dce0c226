// Lists by node from a list of pairs (compressed sparse rows): of each pair both ends get an entry,
// in the order of the pairs.
#pragma once

#include <cstdint>
#include <vector>

namespace rangemoves {

// ends(k): the two nodes of pair k = 0 .. pairs-1. first: receives the position of each node's
// first entry, and the number of entries at the end. place(k, there, back): is called with the
// positions of the pair's two entries, for its first node and for its second.
template <class First, class Ends, class Place>
void build_csr(std::int64_t nodes, std::int64_t pairs, First& first, Ends&& ends, Place&& place) {
  using Index = typename First::value_type;
  first.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (std::int64_t k = 0; k < pairs; ++k) {
    const auto [a, b] = ends(k);
    ++first[static_cast<std::size_t>(a) + 1];
    ++first[static_cast<std::size_t>(b) + 1];
  }
  for (std::size_t v = 0; v + 1 < first.size(); ++v) first[v + 1] += first[v];
  std::vector<Index> at(first.begin(), first.end() - 1);
  for (std::int64_t k = 0; k < pairs; ++k) {
    const auto [a, b] = ends(k);
    const Index there = at[static_cast<std::size_t>(a)]++;
    const Index back = at[static_cast<std::size_t>(b)]++;
    place(k, there, back);
  }
}

}  // namespace rangemoves
