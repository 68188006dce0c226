// Alpha-expansion in cycles, for whoever wants to do something between them.
#pragma once

#include "rangemoves/moves/turns.hpp"

namespace rangemoves {

class ExpansionCycles {
 public:
  explicit ExpansionCycles(MoveLoop& loop);

  // Tries every label that may have something to offer. Returns whether one had.
  bool run();

  // To be called when the labelling was changed by somebody else.
  void labels_changed() { turns_.labels_changed(loop_.labels()); }

 private:
  MoveLoop& loop_;
  BinaryMove move_;
  Turns turns_;
  bool scatter_;  // the labels, rather than going up through them
};

}  // namespace rangemoves
