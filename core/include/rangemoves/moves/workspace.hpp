// What a run leaves for the next one over the same graph: the engine with its messages, and the
// messages on the prior. A problem that has changed a little is then solved again in a fraction of
// the time.
#pragma once

#include <memory>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"

namespace rangemoves {

struct Workspace {
  std::shared_ptr<Engine> engine;
  std::unique_ptr<Trws> messages;
  // By how much the last sweep of a run raised the bound, in units of the energy: sweeps of the
  // next run are as good when they raise it by no more. Negative where there was none.
  double last_gain = -1;
};

}  // namespace rangemoves
