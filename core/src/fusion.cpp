#include "rangemoves/fusion.hpp"

namespace rangemoves {

Fusion::Fusion(const Energy& energy, Control& control)
    : energy_(energy),
      move_(energy, Nonsubmodular::qpbo, 1, control),
      seen_(static_cast<std::size_t>(energy.graph.nodes()), 0) {}

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
  const Neighbourhood& graph = energy_.graph;
  std::int64_t taken = 0;
  for (std::int32_t seed = 0; seed < graph.nodes(); ++seed) {
    if (x[seed] == y[seed] || seen_[seed]) continue;
    nodes_.assign(1, seed);
    seen_[seed] = 1;
    std::int64_t difference = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const std::int32_t i = nodes_[k];
      difference += energy_.theta(i, y[i]) - energy_.theta(i, x[i]);
      for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at) {
        const std::int32_t j = at->other;
        const bool inside = x[j] != y[j];
        if (inside && !seen_[j]) {
          seen_[j] = 1;
          nodes_.push_back(j);
        }
        if (inside && !at->is_tail) continue;  // counted at the other end
        const int sign = at->is_tail ? 1 : -1;
        difference += energy_.pair(at->edge, sign * (y[i] - (inside ? y[j] : x[j]))) -
                      energy_.pair(at->edge, sign * (x[i] - x[j]));
      }
    }
    if (difference >= 0) continue;
    ++taken;
    for (const std::int32_t i : nodes_) {
      x[i] = y[i];
      seen_[i] = 0;
    }
  }
  seen_.assign(seen_.size(), 0);
  return taken;
}

}  // namespace rangemoves
