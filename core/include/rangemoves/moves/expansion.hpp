// Alpha-expansion in cycles, for whoever wants to do something between them.
#pragma once

#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

class ExpansionCycles {
 public:
  explicit ExpansionCycles(MoveLoop& loop);

  // Tries every label that may have something to offer. Returns whether one had.
  bool run();

  // To be called when the labelling was changed by somebody else.
  void labels_changed() { ++changes_; }

 private:
  MoveLoop& loop_;
  BinaryMove move_;
  std::vector<std::int64_t> exhausted_;  // per label: since which change it has nothing to offer
  std::int64_t changes_ = 0, cycle_ = 0;
};

}  // namespace rangemoves
