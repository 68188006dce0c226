// A small problem as messages leave it: costs above the bound, none of them negative, over the
// labels that are still there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

// A cost for every choice of labels of a few variables, those of the last one running fastest.
// Labels are counted among those that are left.
struct CostFunction {
  std::vector<std::int32_t> scope;
  std::vector<std::int64_t> values;
};

struct ReducedCosts {
  std::vector<std::vector<std::int32_t>> left;  // per variable: its labels
  // Together with the bound they are the value of a labelling. Variables with one label are in no
  // scope.
  std::vector<CostFunction> functions;
  std::int64_t bound = 0;

  std::int64_t choices(std::int32_t i) const {
    return static_cast<std::int64_t>(left[static_cast<std::size_t>(i)].size());
  }
};

// From the messages to earlier nodes. One cost of cut - bound makes a labelling too expensive, so
// higher ones are lowered to that: huge costs, as of what is forbidden, would make sums overflow.
// Nothing where a variable has no label left, or where all functions together could still come to
// more than 2^61.
std::optional<ReducedCosts> reduced_costs(const LazyMessages<std::int64_t>& problem,
                                          std::int64_t cut);

}  // namespace rangemoves
