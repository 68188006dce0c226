#include "rangemoves/problem/costs.hpp"

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

std::int64_t* UnaryTerms::own_row(std::int32_t i) {
  if (place_.empty()) place_.assign(static_cast<std::size_t>(variables_), -1);
  const auto labels = static_cast<std::size_t>(labels_);
  std::int32_t& place = place_[static_cast<std::size_t>(i)];
  if (place < 0) {
    const CostRow row = this->row(i);
    const std::size_t at = rows_.size();
    rows_.resize(at + labels);
    for (int l = 0; l < labels_; ++l) rows_[at + static_cast<std::size_t>(l)] = row[l];
    place = static_cast<std::int32_t>(at / labels);
  }
  return rows_.data() + static_cast<std::size_t>(place) * labels;
}

}  // namespace rangemoves
