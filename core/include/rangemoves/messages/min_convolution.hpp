// out(l) = min_k (v(k) + w h(l - k)), in doubles: a message on one edge.
//
// h is straight beyond its last bend on either side. There the best k of a label is also that of
// the next label, unless a new one is better: one scan a side, a minimum so far where h is flat, as
// truncated priors are. Only the differences between the last bends are tried one by one. The
// kernels do the same in integers, on vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "rangemoves/problem/convex_problem.hpp"

namespace rangemoves {

// `to_tail`: labels l are those of the edge's tail, k those of its head; else h takes k - l.
inline void min_convolution(const ConvexTable& table, std::int32_t w, bool to_tail, const double* v,
                            double* out) {
  const int labels = table.h.labels();
  const int left = to_tail ? table.left : table.right, right = to_tail ? table.right : table.left;
  const auto cost = [&](int d) { return static_cast<double>(w * table.h(to_tail ? d : -d)); };
  std::fill(out, out + labels, std::numeric_limits<double>::infinity());
  double least = std::numeric_limits<double>::infinity();
  if (const double far = cost(std::min(right, labels - 1)); far == cost(labels - 1)) {
    for (int l = right; l < labels; ++l) out[l] = least = std::min(least, v[l - right] + far);
  } else {
    for (int l = right, best = 0; l < labels; ++l) {
      const int k = l - right;
      if (v[k] + cost(right) < v[best] + cost(l - best)) best = k;
      out[l] = v[best] + cost(l - best);
    }
  }
  least = std::numeric_limits<double>::infinity();
  if (const double far = cost(std::max(-left, 1 - labels)); far == cost(1 - labels)) {
    for (int l = labels - 1 - left; l >= 0; --l) {
      least = std::min(least, v[l + left] + far);
      out[l] = std::min(out[l], least);
    }
  } else {
    for (int l = labels - 1 - left, best = labels - 1; l >= 0; --l) {
      const int k = l + left;
      if (v[k] + cost(-left) < v[best] + cost(l - best)) best = k;
      out[l] = std::min(out[l], v[best] + cost(l - best));
    }
  }
  for (int d = 1 - left; d < right; ++d) {
    const double here = cost(d);
    const int begin = std::max(0, d), end = std::min(labels, labels + d);
    for (int l = begin; l < end; ++l) {
      const double value = v[l - d] + here;
      out[l] = value < out[l] ? value : out[l];
    }
  }
}

}  // namespace rangemoves
