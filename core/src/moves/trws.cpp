// TRW-S as a method: an iteration is a sweep there and back, and its labelling is taken if it is
// the best so far. To read one off by itself costs nearly half of what a sweep does, on images less
// than a tenth while the next sweep reads the same messages. Where only the bound is wanted, most
// sweeps need no labelling.
#include "rangemoves/messages/tree_reweighted.hpp"

#include <optional>

#include "rangemoves/fusion/fusion.hpp"
#include "rangemoves/moves/methods.hpp"

namespace rangemoves {

void trws(MoveLoop& loop) {
  loop.default_iterations(100);
  Trws& messages = loop.messages();
  loop.raise_bound(messages.lower_bound());
  // Messages kept from a run before are about as good as they were then once a sweep brings no more
  // than twice what its last one did.
  Workspace& workspace = loop.workspace();
  const double enough = 2 * workspace.last_gain;
  // The labels of the run before are still good wherever costs are as they were: of those and of
  // what a sweep finds the better parts are taken.
  std::optional<Fusion> fusion;
  if (workspace.last_gain >= 0) fusion.emplace(loop.energy(), loop.control());
  std::int64_t sweeps = 0;
  for (double bound = 0;;) {
    loop.begin_iteration();
    if (fusion && sweeps == 0)
      messages.sweep_near_new_costs(enough, loop.control());
    else
      messages.sweep(loop.control());
    loop.raise_bound(messages.lower_bound());
    // The first sweep of a run brings back what the bound was before the costs were changed.
    if (sweeps++ > 0) workspace.last_gain = messages.exact_bound() - bound;
    bound = messages.exact_bound();
    if (sweeps % loop.settings().decode_every != 0) {
      loop.finish_proposal(loop.labels(), loop.value(), loop.taking_part());
      continue;
    }
    // While labels are read off the next sweep begins, if there is one. The first ones do not wait
    // for that: a limit of time may leave no others.
    const bool ends = sweeps > 1 && workspace.last_gain <= enough;
    const bool is_first = sweeps == loop.settings().decode_every;
    Trws::Decoded found = ends || is_first || loop.is_last_iteration()
                              ? messages.decode(loop.control())
                              : messages.decode_and_begin_sweep(loop.control());
    if (fusion) {
      found.x = (*fusion)(loop.labels(), found.x);
      found.energy = loop.energy()(found.x);
    }
    loop.finish_proposal(found.x, found.energy, loop.taking_part());
    if (ends) return;
  }
}

}  // namespace rangemoves
