#include "rangemoves/problem/costs.hpp"

namespace rangemoves {

void CostVolume::widen() {
  wide_costs_.assign(narrow_costs_.begin(), narrow_costs_.end());
  narrow_costs_ = {};
  wide_ = true;
}

void CostVolume::set(std::int32_t i, int l, std::int64_t cost) {
  const auto at =
      static_cast<std::size_t>(i) * static_cast<std::size_t>(labels_) + static_cast<std::size_t>(l);
  if (!wide_ && (cost > INT32_MAX || cost < INT32_MIN)) widen();
  if (wide_)
    wide_costs_[at] = cost;
  else
    narrow_costs_[at] = static_cast<std::int32_t>(cost);
}

void CostVolume::append(const CostRow& row) {
  if (!wide_ && row.is_wide()) widen();
  row.visit([&](auto* from) {
    if (wide_)
      wide_costs_.insert(wide_costs_.end(), from, from + labels_);
    else
      narrow_costs_.insert(narrow_costs_.end(), from, from + labels_);
  });
}

void CostVolume::reserve(std::int64_t rows, bool wide) {
  if (wide && !wide_) widen();
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(labels_);
  if (wide_)
    wide_costs_.reserve(size);
  else
    narrow_costs_.reserve(size);
}

std::int32_t UnaryTerms::own_row(std::int32_t i) {
  if (place_.empty()) place_.assign(static_cast<std::size_t>(variables_), -1);
  std::int32_t& place = place_[static_cast<std::size_t>(i)];
  if (place < 0) {
    rows_.append(row(i));
    place = own_rows_++;
  }
  return place;
}

}  // namespace rangemoves
