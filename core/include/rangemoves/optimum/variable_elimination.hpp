// The exact optimum of narrow problems by dynamic programming: variables are taken out one after
// the other, each replaced by a table over the neighbours it has left (Bertele and Brioschi 1972).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

struct ExactOptimum {
  Labelling labels;
  std::int64_t value;
};

// Nothing where it would take tables with more than `most` entries together, at least one of them
// per variable. Labels that are left out stay out. poll: called now and then; may throw.
std::optional<ExactOptimum> eliminate_variables(const LazyMessages<std::int64_t>& problem,
                                                std::int64_t most,
                                                const std::function<void()>& poll);

}  // namespace rangemoves
