// Labellings found elsewhere, fused with the current one: how best and auto combine several
// methods. What is fused is never worse than either of both.
#pragma once

#include <cstdint>
#include <string>

#include "rangemoves/fusion/fusion.hpp"
#include "rangemoves/moves/loop.hpp"

namespace rangemoves {

class Proposals {
 public:
  explicit Proposals(MoveLoop& loop) : loop_(loop), fusion_(loop.energy(), loop.control()) {}

  // Fuses y into the current labelling; the loop takes the result if it is lower. Returns whether
  // it did.
  bool offer(const Labelling& y, const std::string& step);

  // Runs another method from another start; offers what it finds on its way, and fuses its end.
  void descend(void (*method)(MoveLoop&), const Labelling& start, const std::string& step,
               std::int64_t most_iterations, Strategy strategy = Strategy::alternate);

 private:
  MoveLoop& loop_;
  Fusion fusion_;
};

// Whether gswapf may leave out edges beyond the convex range of their priors.
bool suits_gswapf(const Energy& energy);

}  // namespace rangemoves
