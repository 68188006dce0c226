// The optimum of a small problem by tables: larger and larger mini-buckets, and a search by what
// they say, until nothing is left below the cut or it would take too long. Unlike sweeps that does
// well where edges push labels apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

struct TableResult {
  // No labelling costs less.
  std::int64_t bound = 0;
  bool is_closed = false;  // the search came to its end: the bound is not below the cut
  // The best that was found below the cut.
  std::optional<Labelling> labels;
  std::int64_t value = 0;
  // What was done, counted in visits of variables in sweeps that take about as long.
  std::int64_t work = 0;
  // The tables of that bound, none where messages alone prove it, in the order in which they are
  // filled: of each how many variables it has, and these, the one that is taken out last.
  std::vector<std::int32_t> tables;
  int rounds = 0;  // as in TablePlan
};

// How much it may do, counted as TableResult::work, and about how many bytes it may take.
struct TableLimits {
  std::int64_t work = INT64_MAX, bytes = INT64_MAX;
};

// cut: labellings that cost as much or more need not be found. A labelling below it lowers the cut
// to its value less the margin. The tables hold what the messages to earlier nodes leave of the
// costs. poll: called now and then; may throw.
TableResult search_by_tables(const LazyMessages<std::int64_t>& problem, std::int64_t cut,
                             std::int64_t margin, const TableLimits& limits,
                             const std::function<void()>& poll);

}  // namespace rangemoves
