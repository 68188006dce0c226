// Fusion (Lempitsky, Rother, Roth, Blake 2010): of two labellings every variable takes the label of
// one or of the other, so that the whole is at least as good as the better of both.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/control.hpp"
#include "rangemoves/energy.hpp"

namespace rangemoves {

class Fusion {
 public:
  Fusion(const Energy& energy, Control& control);

  // The result is never worse than x.
  Labelling operator()(const Labelling& x, const Labelling& y);

  // The connected components of {x != y} do not touch: each is taken over where that alone lowers
  // the energy. Returns how many were.
  std::int64_t take_components(Labelling& x, const Labelling& y);

 private:
  const Energy& energy_;
  Control& control_;
  std::vector<std::int32_t> local_;  // per variable: its number among those that differ, or -1
  std::vector<std::int32_t> nodes_;

  void take_persistent(Labelling& x, const Labelling& y);
};

}  // namespace rangemoves
