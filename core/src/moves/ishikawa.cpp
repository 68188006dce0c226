// Ishikawa 2003: with a convex prior one cut over all labels of all variables is the global
// optimum.
#include <stdexcept>

#include "rangemoves/moves/methods.hpp"
#include "rangemoves/surrogate/choice.hpp"

namespace rangemoves {

void ishikawa(MoveLoop& loop) {
  const Energy& energy = loop.energy();
  if (!is_convex(energy)) throw std::invalid_argument("ishikawa needs a convex prior");
  const Mask everyone(static_cast<std::size_t>(energy.graph.nodes()), 1);
  loop.make(choose_active(energy, loop.labels(), everyone, 0, energy.labels - 1,
                          SurrogateTables(energy.g), loop.control()),
            loop.taking_part());
  loop.claim_optimal();
}

}  // namespace rangemoves
