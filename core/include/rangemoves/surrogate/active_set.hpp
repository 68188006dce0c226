// Who may move: a set of variables with no edge beyond the convex range inside it (the paper's
// criterion on active variables), as large as the strategy can make it.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/run/settings.hpp"
#include "rangemoves/surrogate/convexify.hpp"

namespace rangemoves {

using Mask = std::vector<std::uint8_t>;

struct ActiveSetChoice {
  Strategy strategy = Strategy::alternate;
  std::int64_t iteration = 0;
  int low = 0, high = 0;  // for Strategy::range
  const Mask* favour =
      nullptr;  // of two ends that clash the favoured one stays, whatever the strategy says
  std::uint64_t seed = 0;  // for Strategy::random
};

// Walks the edges; of two active ends that clash one goes. Then every dropped variable that clashes
// with nobody inside comes back, so that the set is maximal; in the order of the variables, or for
// Strategy::random in a random one.
Mask active_set(const Neighbourhood& graph, const Labelling& x, const PerEdge<ConvexRange>& ranges,
                const ActiveSetChoice& choice);

}  // namespace rangemoves
