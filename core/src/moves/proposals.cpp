#include "rangemoves/moves/proposals.hpp"

#include "rangemoves/surrogate/convexify.hpp"

namespace rangemoves {

namespace {
// Labellings that differ in more than this part of the variables are combined by whole components,
// not fused.
constexpr double kMostDifferent = 0.5;
}  // namespace

bool Proposals::offer(const Labelling& y, const std::string& step) {
  loop_.begin_iteration();
  const Labelling& x = loop_.labels();
  std::int64_t different = 0;
  for (std::int32_t i = 0; i < loop_.energy().graph.nodes(); ++i)
    different += loop_.energy().takes_part(i) && x[i] != y[i];
  Labelling candidate = y;
  if (static_cast<double>(different) <= kMostDifferent * static_cast<double>(loop_.taking_part()))
    candidate = fusion_(x, y);
  else if (loop_.energy()(y) > loop_.value())
    fusion_.take_components(candidate = x, y);
  else
    fusion_.take_components(candidate, x);
  loop_.set_step(step);
  return loop_.finish_proposal(candidate, loop_.energy()(candidate), different);
}

void Proposals::descend(void (*method)(MoveLoop&), const Labelling& start, const std::string& step,
                        std::int64_t most_iterations, Strategy strategy) {
  loop_.set_step(step);
  offer(loop_.descend(method, start, most_iterations, strategy), "fusion with " + step);
}

bool suits_gswapf(const Energy& energy) {
  return energy.g.all([](const Table& g) { return has_flat_tails(g, convex_range(g)); });
}

}  // namespace rangemoves
