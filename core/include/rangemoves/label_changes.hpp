// When the problem of a move last changed, by label: a move of those that have certain labels now
// is worth another try only if one of them came, went or got another neighbour since the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rangemoves/energy.hpp"

namespace rangemoves {

class LabelChanges {
 public:
  explicit LabelChanges(const Energy& energy)
      : graph_(energy.graph), touched_(static_cast<std::size_t>(energy.labels), 0) {}

  void note(const Labelling& before, const Labelling& after) {
    ++now_;
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      if (before[i] == after[i]) continue;
      touched_[before[i]] = touched_[after[i]] = now_;
      for (const Incidence* at = graph_.begin(i); at != graph_.end(i); ++at)
        touched_[after[at->other]] = now_;
    }
  }

  std::int64_t now() const { return now_; }
  std::int64_t of(int label) const { return touched_[label]; }
  std::int64_t of_range(int low, int high) const {
    return *std::max_element(touched_.begin() + low, touched_.begin() + high + 1);
  }

 private:
  const Neighbourhood& graph_;
  std::vector<std::int64_t> touched_;
  std::int64_t now_ = 0;
};

}  // namespace rangemoves
