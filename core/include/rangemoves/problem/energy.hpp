// The problem in integers: E(x) = sum_i theta_i(x_i) + sum_ij w_ij g(x_i - x_j).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "rangemoves/problem/costs.hpp"
#include "rangemoves/problem/neighbourhood.hpp"

namespace rangemoves {

using Labelling = std::vector<std::int32_t>;

struct LabelChange {
  std::int32_t node, label;
};

// g (or h) on the integers -(L-1) .. L-1.
class Table {
 public:
  Table() = default;
  // An edge with an offset o costs g(d + o): its table is shifted, and what g has at zero lies at
  // centre = -o, which may be beyond the table.
  explicit Table(std::vector<std::int64_t> values, int centre = 0)
      : values_(std::move(values)),
        labels_(static_cast<int>(values_.size() / 2 + 1)),
        centre_(std::clamp(centre, 1 - labels_, labels_ - 1)) {}

  int labels() const { return labels_; }
  // The difference inside the table that is nearest to the middle of the prior.
  int centre() const { return centre_; }
  std::int64_t operator()(int d) const {
    return values_[static_cast<std::size_t>(d + labels_ - 1)];
  }
  std::int64_t& at(int d) { return values_[static_cast<std::size_t>(d + labels_ - 1)]; }

  std::int64_t least() const { return *std::min_element(values_.begin(), values_.end()); }
  // The largest value less the least.
  std::int64_t spread() const {
    return *std::max_element(values_.begin(), values_.end()) - least();
  }
  // The largest absolute step from one difference to the next.
  std::int64_t steepest() const {
    std::int64_t most = 0;
    for (std::size_t k = 1; k < values_.size(); ++k)
      most = std::max(most, std::abs(values_[k] - values_[k - 1]));
    return most;
  }

  // g(d+1) - 2 g(d) + g(d-1); what lies beyond the table is never asked for.
  std::int64_t second_difference(int d) const {
    return (*this)(d + 1) - 2 * (*this)(d) + (*this)(d - 1);
  }

 private:
  std::vector<std::int64_t> values_{0};
  int labels_ = 1;
  int centre_ = 0;
};

inline bool is_convex(const Table& h) {
  for (int d = -(h.labels() - 2); d <= h.labels() - 2; ++d)
    if (h.second_difference(d) < 0) return false;
  return true;
}

// Something that every edge has one of, of a few kinds: the same for all edges, or by an index.
template <class Thing>
class PerEdge {
 public:
  using Index = std::shared_ptr<const std::vector<std::int32_t>>;

  PerEdge() = default;
  PerEdge(Thing same_for_all) { kinds_.push_back(std::move(same_for_all)); }
  // No index: all edges are of the first kind.
  PerEdge(std::vector<Thing> kinds, Index index)
      : kinds_(std::move(kinds)), index_(std::move(index)) {}

  const std::vector<Thing>& kinds() const { return kinds_; }
  const Index& index() const { return index_; }
  std::size_t kind(std::int64_t e) const {
    return index_ ? static_cast<std::size_t>((*index_)[static_cast<std::size_t>(e)]) : 0;
  }
  const Thing& operator[](std::int64_t e) const { return kinds_[kind(e)]; }

  // make(thing) of every kind, for the same edges.
  template <class Make>
  auto map(Make&& make) const {
    std::vector<decltype(make(kinds_.front()))> made;
    for (const Thing& thing : kinds_) made.push_back(make(thing));
    return PerEdge<decltype(make(kinds_.front()))>(std::move(made), index_);
  }
  template <class Ask>
  bool all(Ask&& ask) const {
    return std::all_of(kinds_.begin(), kinds_.end(), std::forward<Ask>(ask));
  }

 private:
  std::vector<Thing> kinds_;
  Index index_;
};

struct Energy {
  const Neighbourhood& graph;
  int labels;             // L
  CostView theta;         // N x L
  const std::int32_t* w;  // one per edge, > 0
  PerEdge<Table> g;
  // Which variables are the caller's; null: all. The others, which a mask left out, have no edges
  // and the same cost with every label. Moves may give them any label, but no trace counts them.
  const bool* mask = nullptr;

  bool takes_part(std::int32_t i) const { return !mask || mask[i]; }
  std::int64_t taking_part() const {
    return mask ? std::count(mask, mask + graph.nodes(), true) : graph.nodes();
  }

  // What an edge costs at difference d = x_tail - x_head.
  std::int64_t pair(std::int64_t e, int d) const { return w[e] * g[e](d); }

  // What an edge costs as seen from one of its ends, which has label `mine` while the other has
  // `theirs`. For a neighbour that does not take part in a move this is a unary term.
  std::int64_t seen_from(const Incidence& at, int mine, int theirs) const {
    return pair(at.edge, at.is_tail ? mine - theirs : theirs - mine);
  }

  std::int64_t operator()(const Labelling& x) const { return with_tables(x, g); }

  // The same sum with other functions on the edges (E^h of the paper).
  std::int64_t with_tables(const Labelling& x, const PerEdge<Table>& h) const {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < graph.nodes(); ++i) sum += theta(i, x[i]);
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      sum += w[e] * h[e](x[graph.tail(e)] - x[graph.head(e)]);
    return sum;
  }
};

}  // namespace rangemoves
