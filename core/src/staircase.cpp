#include "rangemoves/staircase.hpp"

#include <algorithm>

namespace rangemoves {

void Staircase::build(const ConvexTable& table, std::int64_t w, MessageVector p, MessageVector q,
                      int first, int last, int near) {
  table_ = &table;
  w_ = w;
  first_ = first;
  climb([&](int a, int b) { return w * table.h(a - b) - p[a] - q[b]; }, table.h.labels(), first,
        last, near, stairs_);
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
