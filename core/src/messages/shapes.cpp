#include "rangemoves/messages/shapes.hpp"

#include <algorithm>
#include <utility>

namespace rangemoves {

namespace {

std::int64_t largest(const Table& h) { return h.least() + h.spread(); }

bool is_vee(const Table& h) {
  const int end = h.labels() - 1;
  const std::int64_t cap = largest(h);
  if (end == 0 || h(0) != 0 || h(1) < 0 || h(-1) < 0) return false;
  for (int d = 1; d <= end; ++d)
    if (h(d) != std::min(d * h(1), cap) || h(-d) != std::min(d * h(-1), cap)) return false;
  return true;
}

bool is_rising(const Table& h) {
  for (int d = 1; d < h.labels(); ++d)
    if (h(d) < h(d - 1) || h(-d) < h(1 - d)) return false;
  return true;
}

}  // namespace

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
  EdgeShape<Value>& s = from_tail_;
  s.taps = tail_taps_.data() + 1;
  s.left = left;
  s.right = right;
  s.at_left = value(-left);
  s.at_right = value(right);
  s.slope_left = value(-left - 1) - value(-left);
  s.slope_right = value(right + 1) - value(right);
  s.pairs = pairs;
  s.is_capped = is_capped;
  s.rise_left = value(-1);
  s.rise_right = value(1);
  s.cap = static_cast<Value>(largest(h));
  s.is_vee = is_vee(h);
  s.is_rising = left > 0 && right > 0 && is_rising(h);
  s.taps_are_convex = true;
  for (int d = 2 - left; d < right - 1; ++d)
    s.taps_are_convex = s.taps_are_convex && h.second_difference(d) >= 0;

  from_head_ = from_tail_;
  from_head_.taps = head_taps_.data() + 1;
  std::swap(from_head_.left, from_head_.right);
  std::swap(from_head_.at_left, from_head_.at_right);
  std::swap(from_head_.slope_left, from_head_.slope_right);
  std::swap(from_head_.rise_left, from_head_.rise_right);
}

template class ShapePair<std::int32_t>;
template class ShapePair<std::int64_t>;

}  // namespace rangemoves
