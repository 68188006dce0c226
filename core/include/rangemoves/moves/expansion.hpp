// Alpha-expansion, one cycle per call, so that irgc+expansion can interleave.
#pragma once

#include "rangemoves/moves/turns.hpp"

namespace rangemoves {

class ExpansionCycles {
 public:
  explicit ExpansionCycles(MoveLoop& loop);

  // Tries every label that may have something to offer. Returns whether one had.
  bool run();

  // To be called after another method has changed the labelling.
  void labels_changed() { turns_.labels_changed(loop_.labels()); }

 private:
  MoveLoop& loop_;
  BinaryMove move_;
  Turns turns_;
  bool scatter_;  // tries labels in scattered order instead of ascending
};

}  // namespace rangemoves
