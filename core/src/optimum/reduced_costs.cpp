#include "rangemoves/optimum/reduced_costs.hpp"

#include <algorithm>
#include <utility>

namespace rangemoves {

namespace {

using Problem = LazyMessages<std::int64_t>;

constexpr double kLargestSum = 2305843009213693952.0;  // 2^61

class Reduction {
 public:
  Reduction(const Problem& problem, std::int64_t cut)
      : problem_(problem), most_(std::max<std::int64_t>(0, cut - problem.bound())) {}

  std::optional<ReducedCosts> run() {
    for (std::int32_t i = 0; i < problem_.nodes(); ++i) {
      std::vector<std::int32_t>& left = found_.left.emplace_back();
      for (int l = 0; l < problem_.labels(); ++l)
        if (problem_.has(i, l)) left.push_back(l);
      if (left.empty()) return std::nullopt;
    }
    problem_.beliefs([&](std::int32_t i, const std::int64_t* belief, auto&& implied) {
      add_variable(i, belief);
      for (std::int32_t k = 0; k < problem_.node(i).before; ++k)
        add_edge(problem_.arcs(i)[k].edge, implied(k));
    });
    if (largest_sum_ > kLargestSum) return std::nullopt;
    return std::move(found_);
  }

 private:
  const Problem& problem_;
  const std::int64_t most_;  // what a cost may be
  ReducedCosts found_;
  double largest_sum_ = 0;

  const std::vector<std::int32_t>& left(std::int32_t i) const {
    return found_.left[static_cast<std::size_t>(i)];
  }

  void add(CostFunction function) {
    for (std::int64_t& value : function.values) value = std::min(value, most_);
    const auto [least, most] = std::minmax_element(function.values.begin(), function.values.end());
    largest_sum_ += static_cast<double>(*most);
    if (function.scope.empty()) found_.bound += *least;
    if (!function.scope.empty() && *most > 0) found_.functions.push_back(std::move(function));
  }

  void add_variable(std::int32_t i, const std::int64_t* belief) {
    std::int64_t least = belief[left(i).front()];
    for (const std::int32_t l : left(i)) least = std::min(least, belief[l]);
    CostFunction own;
    if (left(i).size() > 1) own.scope = {i};
    for (const std::int32_t l : left(i)) own.values.push_back(belief[l] - least);
    found_.bound += least;
    add(std::move(own));
  }

  // What an edge costs above the messages to both of its ends.
  void add_edge(std::int64_t e, const std::int64_t* to_later) {
    const OrderedEdge& edge = problem_.graph().edges[static_cast<std::size_t>(e)];
    const std::int64_t* to_earlier = problem_.message(e, false);
    CostFunction rest;
    for (const std::int32_t i : {edge.earlier, edge.later})
      if (left(i).size() > 1) rest.scope.push_back(i);
    for (const std::int32_t a : left(edge.earlier))
      for (const std::int32_t b : left(edge.later))
        rest.values.push_back(problem_.cost(edge, a, b) - to_earlier[a] - to_later[b]);
    add(std::move(rest));
  }
};

}  // namespace

std::optional<ReducedCosts> reduced_costs(const Problem& problem, std::int64_t cut) {
  return Reduction(problem, cut).run();
}

}  // namespace rangemoves
