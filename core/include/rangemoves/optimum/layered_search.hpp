// All labellings below a cut, one variable after the other: of those that agree in whatever matters
// for the variables to come only the cheapest is kept, and none that cannot end below the cut, as
// the tables of mini-buckets show.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "rangemoves/optimum/mini_buckets.hpp"

namespace rangemoves {

struct LayeredResult {
  // No labelling costs less: the cut, or the least value where that is below the cut. Where a layer
  // was too wide it is only what the tables prove.
  std::int64_t bound = 0;
  bool is_complete = true;  // no layer was too wide
  // The cheapest that was found below the cut.
  std::optional<Labelling> labels;
  std::int64_t value = 0;
  std::int64_t states = 0;  // that were kept, in all layers
};

// What to do with a layer of more states than there may be: keep the best of them, which may still
// end in a good labelling, or give up.
enum class TooWide { keep_best, give_up };

// widest: states of a layer. poll: called now and then; may throw.
LayeredResult search_layers(const ReducedCosts& costs, const MiniBuckets& buckets, std::int64_t cut,
                            std::size_t widest, TooWide too_wide,
                            const std::function<void()>& poll);

}  // namespace rangemoves
