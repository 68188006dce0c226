// Fusion (Lempitsky, Rother, Roth, Blake 2010): of two labellings every variable takes the label of
// one or of the other, so that the whole is at least as good as the better of both.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/fusion/binary_move.hpp"
#include "rangemoves/fusion/label_delta.hpp"

namespace rangemoves {

class Fusion {
 public:
  Fusion(const Energy& energy, Control& control);

  // The result is never worse than x: QPBO decides for most variables, whole components for the
  // others.
  Labelling operator()(const Labelling& x, const Labelling& y);

  // The connected components of {x != y} do not touch: each is taken over where that alone lowers
  // the energy. Returns how many were.
  std::int64_t take_components(Labelling& x, const Labelling& y);

  // Bytes kept from one fusion to the next, for estimates of memory.
  static constexpr std::int64_t bytes(std::int64_t variables) {
    return variables * static_cast<std::int64_t>(BinaryMove::bytes_kept_per_node() +
                                                 sizeof(std::uint8_t) + sizeof(std::int32_t));
  }

 private:
  const Energy& energy_;
  BinaryMove move_;
  ChangedComponents components_;
};

}  // namespace rangemoves
