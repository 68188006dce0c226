#include "rangemoves/stereo/view_sweeps.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace rangemoves {

namespace view_plain {
extern const ViewKernels table;
}
#ifdef RANGEMOVES_X86
namespace view_avx2 {
extern const ViewKernels table;
}
namespace view_avx512 {
extern const ViewKernels table;
}
#endif

const ViewKernels& view_kernels(const char* level) {
#ifdef RANGEMOVES_X86
  if (std::strcmp(level, "avx512") == 0) return view_avx512::table;
  if (std::strcmp(level, "avx2") == 0) return view_avx2::table;
#endif
  (void)level;
  return view_plain::table;
}

void turn_costs_right(std::uint8_t* costs, std::int64_t width, std::int64_t labels,
                      std::int64_t stride, std::int64_t min_disparity, std::int64_t first_row,
                      std::int64_t last_row) {
  std::vector<std::uint8_t> left(static_cast<std::size_t>(width * stride));
  for (std::int64_t y = first_row; y < last_row; ++y) {
    std::uint8_t* row = costs + y * width * stride;
    std::copy(row, row + width * stride, left.begin());
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t k = 0; k < labels; ++k) {
        const std::int64_t match = x + k + min_disparity;
        row[x * stride + k] = match < 0 || match >= width
                                  ? kOutsideCost
                                  : left[static_cast<std::size_t>(match * stride + k)];
      }
    }
  }
}

std::int64_t view_energy(const ViewProblem& p, const std::int32_t* labels) {
  std::int64_t energy = 0;
  for (std::int64_t y = 0; y < p.height; ++y) {
    for (std::int64_t x = 0; x < p.width; ++x) {
      const std::int64_t pixel = y * p.width + x;
      const auto jump = [&](std::int64_t other) {
        return std::min(std::abs(labels[pixel] - labels[other]), p.truncation);
      };
      energy += std::int64_t{kViewScale} * p.costs[pixel * p.stride + labels[pixel]];
      if (x + 1 < p.width) energy += std::int64_t{p.right[pixel]} * jump(pixel + 1);
      if (y + 1 < p.height) energy += std::int64_t{p.down[pixel]} * jump(pixel + p.width);
    }
  }
  return energy;
}

}  // namespace rangemoves
