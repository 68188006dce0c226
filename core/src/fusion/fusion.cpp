#include "rangemoves/fusion/fusion.hpp"

namespace rangemoves {

Fusion::Fusion(const Energy& energy, Control& control)
    : energy_(energy), move_(energy, Nonsubmodular::qpbo, 1, control), components_(energy) {}

Labelling Fusion::operator()(const Labelling& x, const Labelling& y) {
  Labelling fused = x;
  move_.clear();
  for (std::int32_t i = 0; i < energy_.graph.nodes(); ++i)
    if (x[i] != y[i]) move_.add(i, x[i], y[i], 0);
  for (const LabelChange& change : move_.solve(x)) fused[change.node] = change.label;
  take_components(fused, y);
  return fused;
}

std::int64_t Fusion::take_components(Labelling& x, const Labelling& y) {
  std::int64_t taken = 0;
  const auto every = [](std::int64_t i) { return static_cast<std::int32_t>(i); };
  components_.visit(x, y, energy_.graph.nodes(), every,
                    [&](const std::vector<std::int32_t>& variables, std::int64_t change) {
                      if (change >= 0) return;
                      ++taken;
                      for (const std::int32_t i : variables) x[i] = y[i];
                    });
  return taken;
}

}  // namespace rangemoves
