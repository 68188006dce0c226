#include "rangemoves/staircase.hpp"

#include <algorithm>
#include <stdexcept>

namespace rangemoves {

void Staircase::build(const ConvexTable& table, std::int64_t w, const std::int64_t* p,
                      const std::int64_t* q) {
  table_ = &table;
  w_ = w;
  const int labels = table.h.labels();
  steps_.resize(static_cast<std::size_t>(labels));
  const auto R = [&](int a, int b) { return w * table.h(a - b) - p[a] - q[b]; };
  int a = 0, b = 0;
  while (a + 1 < labels) {
    if (b + 1 < labels && R(a + 1, b + 1) == 0) {
      ++a, ++b;
      steps_[static_cast<std::size_t>(a)] = {b, true, R(a, b - 1)};
    } else if (R(a + 1, b) == 0) {
      ++a;
      steps_[static_cast<std::size_t>(a)] = {b, false, 0};
    } else if (b + 1 < labels && R(a, b + 1) == 0) {
      ++b;
    } else {
      throw std::logic_error("staircase: the messages are not tight");
    }
  }
}

void tighten(const ConvexTable& table, std::int64_t w, std::int64_t* p, std::int64_t* q) {
  const int labels = table.h.labels();
  for (int a = 0; a < labels; ++a) {
    p[a] = w * table.h(a) - q[0];
    for (int b = 1; b < labels; ++b) p[a] = std::min(p[a], w * table.h(a - b) - q[b]);
  }
  for (int b = 0; b < labels; ++b) {
    q[b] = w * table.h(-b) - p[0];
    for (int a = 1; a < labels; ++a) q[b] = std::min(q[b], w * table.h(a - b) - p[a]);
  }
}

}  // namespace rangemoves
