// The problem in integers: E(x) = sum_i theta_i(x_i) + sum_ij w_ij g(x_i - x_j).
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/costs.hpp"
#include "rangemoves/neighbourhood.hpp"

namespace rangemoves {

using Labelling = std::vector<std::int32_t>;

struct LabelChange {
  std::int32_t node, label;
};

// g (or h) on the integers -(L-1) .. L-1.
class Table {
 public:
  Table() = default;
  explicit Table(std::vector<std::int64_t> values)
      : values_(std::move(values)), labels_(static_cast<int>(values_.size() / 2 + 1)) {}

  int labels() const { return labels_; }
  std::int64_t operator()(int d) const {
    return values_[static_cast<std::size_t>(d + labels_ - 1)];
  }
  std::int64_t& at(int d) { return values_[static_cast<std::size_t>(d + labels_ - 1)]; }

  // g(d+1) - 2 g(d) + g(d-1); what lies beyond the table is never asked for.
  std::int64_t second_difference(int d) const {
    return (*this)(d + 1) - 2 * (*this)(d) + (*this)(d - 1);
  }

 private:
  std::vector<std::int64_t> values_{0};
  int labels_ = 1;
};

struct Energy {
  const Neighbourhood& graph;
  int labels;             // L
  CostView theta;         // N x L
  const std::int32_t* w;  // one per edge, > 0
  Table g;

  std::int64_t operator()(const Labelling& x) const { return with_table(x, g); }

  // The same sum with another function on every edge (E^h of the paper).
  std::int64_t with_table(const Labelling& x, const Table& h) const {
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < graph.nodes(); ++i) sum += theta(i, x[i]);
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      sum += w[e] * h(x[graph.tail(e)] - x[graph.head(e)]);
    return sum;
  }
};

}  // namespace rangemoves
