#include "rangemoves/costs.hpp"

namespace rangemoves {

void CostVolume::set(std::int32_t i, int l, std::int64_t cost) {
  const auto at =
      static_cast<std::size_t>(i) * static_cast<std::size_t>(labels_) + static_cast<std::size_t>(l);
  if (!wide_ && (cost > INT32_MAX || cost < INT32_MIN)) {
    wide_costs_.assign(narrow_costs_.begin(), narrow_costs_.end());
    narrow_costs_ = {};
    wide_ = true;
  }
  if (wide_)
    wide_costs_[at] = cost;
  else
    narrow_costs_[at] = static_cast<std::int32_t>(cost);
}

}  // namespace rangemoves
