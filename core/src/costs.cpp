#include "rangemoves/costs.hpp"

#include <stdexcept>

namespace rangemoves {

void CostVolume::set(std::int32_t i, int l, std::int64_t cost) {
  const auto at =
      static_cast<std::size_t>(i) * static_cast<std::size_t>(labels_) + static_cast<std::size_t>(l);
  if (wide_) {
    wide_costs_[at] = cost;
    return;
  }
  if (cost > INT32_MAX || cost < INT32_MIN)
    throw std::overflow_error(
        "the unary term of a move does not fit 32 bits: scale the costs down");
  narrow_costs_[at] = static_cast<std::int32_t>(cost);
}

}  // namespace rangemoves
