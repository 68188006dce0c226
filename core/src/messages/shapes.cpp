#include "rangemoves/messages/shapes.hpp"

#include <algorithm>

namespace rangemoves {

template <class Value>
ShapePair<Value>::ShapePair(const ConvexTable& table) {
  const Table& h = table.h;
  const int left = table.left, right = table.right, end = h.labels() - 1;
  const auto value = [&](int d) { return static_cast<Value>(h(std::max(-end, std::min(end, d)))); };
  // One value in front: the kernels count from the centre, which without taps lies before the
  // first.
  tail_taps_.push_back(0);
  head_taps_.push_back(0);
  for (int d = 1 - left; d < right; ++d) tail_taps_.push_back(value(d));
  for (int d = 1 - right; d < left; ++d) head_taps_.push_back(value(-d));
  int pairs = left == right && left > 0 ? left - 1 : -1;
  bool is_capped = value(-left) == value(right) && value(-left - 1) == value(-left) &&
                   value(right + 1) == value(right);
  for (int d = 1 - left; d < right; ++d) {
    if (value(d) != value(-d)) pairs = -1;
    is_capped = is_capped && value(d) <= value(right);
  }
  from_tail_ = {tail_taps_.data() + 1,
                left,
                right,
                value(-left),
                value(right),
                value(-left - 1) - value(-left),
                value(right + 1) - value(right),
                pairs,
                is_capped};
  from_head_ = {head_taps_.data() + 1,
                right,
                left,
                from_tail_.at_right,
                from_tail_.at_left,
                from_tail_.slope_right,
                from_tail_.slope_left,
                pairs,
                is_capped};
}

template class ShapePair<std::int32_t>;
template class ShapePair<std::int64_t>;

}  // namespace rangemoves
