// Rows behind each other: several threads walk through consecutive rows at once, each far enough
// behind the rows it depends on. The result is the same as one thread's, for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

// A row may work on position p once `row` has finished position p + lead (or its end).
struct RowDependency {
  std::int32_t row, lead;
};

struct Pipeline {
  // Positions per piece of work: threads wait for, and report, whole pieces.
  static constexpr std::int32_t kPiece = 32;

  std::int32_t rows = 0;
  std::int32_t length = 0;                             // positions per row
  std::vector<std::vector<RowDependency>> depends_on;  // on rows with a smaller number

  // work(row, first, last, thread) on pieces of every row, in order within a row. Returns the sum
  // of what it returns.
  std::int64_t run(
      int threads, Control& control,
      const std::function<std::int64_t(std::int32_t, std::int32_t, std::int32_t, int)>& work) const;
};

}  // namespace rangemoves
