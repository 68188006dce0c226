// The nodes of any graph in rows, so that several threads can walk over them in the order of
// sweeps.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "rangemoves/problem/neighbourhood.hpp"
#include "rangemoves/run/pipeline.hpp"

namespace rangemoves {

class NodeRows {
 public:
  // `threads`: at most so many; fewer where there is not enough to do for them.
  NodeRows(const Neighbourhood& graph, int threads, Control& control);

  int threads() const { return threads_; }

  // work(first, last, thread) on all nodes, by their ranks, row by row; within a piece the order is
  // the worker's. Returns the sum of what it returns. most_threads: where there is little to do.
  template <class Work>
  std::int64_t walk(bool forward, Control& control, Work&& work, int most_threads = INT_MAX) const {
    const Pipeline& rows = forward ? forward_ : backward_;
    return rows.run(std::min(threads_, most_threads), control,
                    [&](std::int32_t row, std::int32_t first, std::int32_t last, int thread) {
                      // A backward sweep numbers rows and positions from the end.
                      const std::int64_t start =
                          static_cast<std::int64_t>(forward ? row : rows.rows - 1 - row) * row_;
                      const std::int64_t from = start + (forward ? first : row_ - last),
                                         to = start + (forward ? last : row_ - first);
                      const auto a =
                          static_cast<std::int32_t>(std::min<std::int64_t>(from, nodes_));
                      const auto b = static_cast<std::int32_t>(std::min<std::int64_t>(to, nodes_));
                      return work(a, b, thread);
                    });
  }

 private:
  std::int32_t nodes_;
  int threads_;
  std::int32_t row_;  // nodes that follow each other, to be walked by one thread
  Pipeline forward_, backward_;

  void find_dependencies(const Neighbourhood& graph, Control& control);
};

}  // namespace rangemoves
