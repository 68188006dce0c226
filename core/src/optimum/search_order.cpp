#include "rangemoves/optimum/search_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace rangemoves {

namespace {

// At most so many variables are tried as the first one; the best order is taken.
constexpr std::size_t kStarts = 64;

using Neighbours = std::vector<std::set<std::int32_t>>;

Neighbours neighbours_of(const ReducedCosts& costs) {
  Neighbours neighbours(costs.left.size());
  for (const CostFunction& function : costs.functions)
    for (const std::int32_t i : function.scope)
      for (const std::int32_t j : function.scope)
        if (i != j) neighbours[static_cast<std::size_t>(i)].insert(j);
  return neighbours;
}

std::vector<std::int32_t> with_choice(const ReducedCosts& costs) {
  std::vector<std::int32_t> variables;
  for (std::size_t i = 0; i < costs.left.size(); ++i)
    if (costs.left[i].size() > 1) variables.push_back(static_cast<std::int32_t>(i));
  return variables;
}

// An order that begins with one variable and goes on with what leaves the fewest combinations of
// labels that matter.
class NarrowOrder {
 public:
  NarrowOrder(const ReducedCosts& costs, const Neighbours& neighbours, std::int32_t start)
      : costs_(costs), neighbours_(neighbours), open_(neighbours.size()), done_(open_.size(), 0) {
    for (std::size_t i = 0; i < open_.size(); ++i) open_[i] = neighbours[i].size();
    const std::vector<std::int32_t> variables = with_choice(costs);
    for (std::int32_t next = start; order.size() < variables.size();) {
      take(next);
      next = -1;
      double least = std::numeric_limits<double>::infinity();
      for (const std::int32_t i : near_.empty() ? variables : near_) {
        if (done_[static_cast<std::size_t>(i)]) continue;
        const double change = width_after(i);
        if (change >= least) continue;
        least = change;
        next = i;
      }
    }
  }

  std::vector<std::int32_t> order;
  double work = 0;  // sum over the places of the combinations of labels that matter there, about

 private:
  const ReducedCosts& costs_;
  const Neighbours& neighbours_;
  std::vector<std::size_t> open_;  // neighbours without a label
  std::vector<std::uint8_t> done_;
  std::vector<std::int32_t> near_;  // without a label, beside those that have one
  double width_ = 0;                // logarithm of the combinations that matter

  double log_choices(std::int32_t i) const {
    return std::log2(static_cast<double>(costs_.choices(i)));
  }

  double width_after(std::int32_t i) const {
    double width = width_ + (open_[static_cast<std::size_t>(i)] > 0 ? log_choices(i) : 0);
    for (const std::int32_t j : neighbours_[static_cast<std::size_t>(i)])
      if (done_[static_cast<std::size_t>(j)] && open_[static_cast<std::size_t>(j)] == 1)
        width -= log_choices(j);
    return width;
  }

  void take(std::int32_t i) {
    work += std::exp2(std::min(width_ + log_choices(i), 1000.0));
    width_ = width_after(i);
    order.push_back(i);
    done_[static_cast<std::size_t>(i)] = 1;
    near_.erase(std::remove(near_.begin(), near_.end(), i), near_.end());
    for (const std::int32_t j : neighbours_[static_cast<std::size_t>(i)]) {
      --open_[static_cast<std::size_t>(j)];
      if (!done_[static_cast<std::size_t>(j)] &&
          std::find(near_.begin(), near_.end(), j) == near_.end())
        near_.push_back(j);
    }
  }
};

}  // namespace

std::vector<std::int32_t> narrow_order(const ReducedCosts& costs) {
  const Neighbours neighbours = neighbours_of(costs);
  const std::vector<std::int32_t> variables = with_choice(costs);
  std::vector<std::int32_t> best;
  double least = std::numeric_limits<double>::infinity();
  const std::size_t step = variables.size() / kStarts + 1;
  for (std::size_t k = 0; k < variables.size(); k += step) {
    NarrowOrder found(costs, neighbours, variables[k]);
    if (found.work >= least && !best.empty()) continue;
    least = found.work;
    best = std::move(found.order);
  }
  return best;
}

std::vector<std::int32_t> elimination_order(const ReducedCosts& costs) {
  Neighbours neighbours = neighbours_of(costs);
  const auto log_entries = [&](std::int32_t i) {
    double sum = std::log2(static_cast<double>(costs.choices(i)));
    for (const std::int32_t j : neighbours[static_cast<std::size_t>(i)])
      sum += std::log2(static_cast<double>(costs.choices(j)));
    return sum;
  };
  std::vector<double> size(costs.left.size(), 0);
  std::set<std::pair<double, std::int32_t>> by_size;
  for (const std::int32_t i : with_choice(costs))
    by_size.emplace(size[static_cast<std::size_t>(i)] = log_entries(i), i);
  std::vector<std::int32_t> order;
  while (!by_size.empty()) {
    const std::int32_t i = by_size.begin()->second;
    by_size.erase(by_size.begin());
    order.push_back(i);
    const std::set<std::int32_t> around = std::move(neighbours[static_cast<std::size_t>(i)]);
    for (const std::int32_t j : around) {
      const auto at = static_cast<std::size_t>(j);
      neighbours[at].insert(around.begin(), around.end());
      neighbours[at].erase(i);
      neighbours[at].erase(j);
      by_size.erase({size[at], j});
      by_size.emplace(size[at] = log_entries(j), j);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace rangemoves
