#include "rangemoves/staircase.hpp"

#include <algorithm>
#include <stdexcept>

namespace rangemoves {

void Staircase::build(const ConvexTable& table, std::int64_t w, MessageVector p, MessageVector q,
                      int first, int last, int near) {
  table_ = &table;
  w_ = w;
  first_ = first;
  const int labels = table.h.labels();
  if (last < first) return;
  steps_.resize(static_cast<std::size_t>(last - first + 1));
  const auto R = [&](int a, int b) { return w * table.h(a - b) - p[a] - q[b]; };
  // Every zero lies on such a path (row a+1 and column b+1 have zeros too, and zeros form a
  // lattice): begin at any.
  int a = first - 1, b = near;
  while (b < labels && R(a, b) != 0) ++b;
  if (b == labels)
    for (b = near - 1; b >= 0 && R(a, b) != 0;) --b;
  while (a < last) {
    if (b >= 0 && b + 1 < labels && R(a + 1, b + 1) == 0) {
      ++a, ++b;
      steps_[static_cast<std::size_t>(a - first)] = {b, true, R(a, b - 1)};
    } else if (b >= 0 && R(a + 1, b) == 0) {
      ++a;
      steps_[static_cast<std::size_t>(a - first)] = {b, false, 0};
    } else if (b >= 0 && b + 1 < labels && R(a, b + 1) == 0) {
      ++b;
    } else {
      throw std::logic_error("staircase: the messages are not tight");
    }
  }
}

void tighten(const ConvexTable& table, std::int64_t w, MessageVector p, MessageVector q) {
  const int labels = table.h.labels();
  for (int a = 0; a < labels; ++a) {
    std::int64_t least = w * table.h(a) - q[0];
    for (int b = 1; b < labels; ++b) least = std::min(least, w * table.h(a - b) - q[b]);
    p[a] = static_cast<std::int32_t>(least);
  }
  for (int b = 0; b < labels; ++b) {
    std::int64_t least = w * table.h(-b) - p[0];
    for (int a = 1; a < labels; ++a) least = std::min(least, w * table.h(a - b) - p[a]);
    q[b] = static_cast<std::int32_t>(least);
  }
}

}  // namespace rangemoves
