// TRW-S as a method: an iteration is a sweep there and back, and its labelling is taken if it is
// the best so far.
#include "rangemoves/messages/tree_reweighted.hpp"

#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

void trws(MoveLoop& loop) {
  loop.default_iterations(100);
  Trws& messages = loop.messages();
  loop.raise_bound(messages.lower_bound());
  while (true) {
    loop.begin_iteration();
    messages.sweep(loop.control());
    loop.raise_bound(messages.lower_bound());
    const Labelling x = messages.decode(loop.control());
    loop.finish_proposal(x, loop.energy()(x), loop.energy().graph.nodes());
  }
}

}  // namespace rangemoves
