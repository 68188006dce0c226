#include "rangemoves/fusion.hpp"

#include "rangemoves/explicit_graph.hpp"
#include "rangemoves/incremental_bfs.hpp"

namespace rangemoves {

Fusion::Fusion(const Energy& energy, Control& control)
    : energy_(energy),
      control_(control),
      local_(static_cast<std::size_t>(energy.graph.nodes()), -1) {}

Labelling Fusion::operator()(const Labelling& x, const Labelling& y) {
  Labelling fused = x;
  take_persistent(fused, y);
  take_components(fused, y);
  return fused;
}

// QPBO (Boros, Hammer 2002): every variable twice, the second time with its choices exchanged.
// Where a minimum cut puts the two on different sides the choice is persistent: to make it lowers
// the energy or leaves it, whatever the others do. All others stay with x.
void Fusion::take_persistent(Labelling& x, const Labelling& y) {
  const Neighbourhood& graph = energy_.graph;
  nodes_.clear();
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (x[i] != y[i]) {
      local_[i] = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back(i);
    }
  const auto n = static_cast<std::int32_t>(nodes_.size());
  std::vector<std::int64_t> excess(2 * nodes_.size(), 0);  // what x costs more than y
  std::vector<ExplicitGraph::Arc> arcs;
  for (std::int32_t v = 0; v < n; ++v) {
    const std::int32_t i = nodes_[v];
    const std::int32_t* theta = energy_.theta + static_cast<std::int64_t>(i) * energy_.labels;
    excess[v] += std::int64_t{theta[x[i]]} - theta[y[i]];
    for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at) {
      const std::int32_t j = at->other, u = local_[j];
      const std::int64_t w = energy_.w[at->edge];
      if (u < 0) {
        const int sign = at->is_tail ? 1 : -1;
        excess[v] += w * (energy_.g(sign * (x[i] - x[j])) - energy_.g(sign * (y[i] - x[j])));
        continue;
      }
      if (!at->is_tail) continue;
      const std::int64_t e00 = w * energy_.g(x[i] - x[j]), e11 = w * energy_.g(y[i] - y[j]);
      const std::int64_t e01 = w * energy_.g(x[i] - y[j]), e10 = w * energy_.g(y[i] - x[j]);
      const std::int64_t differ = e01 + e10 - e00 - e11;
      excess[v] -= e10 - e00;
      excess[u] -= e01 - e00;
      if (differ < 0) {
        // -differ where both take y.
        arcs.push_back({v, n + u, -differ, 0});
        arcs.push_back({u, n + v, -differ, 0});
      } else {
        // differ where one of them does, of which each end has had half.
        const std::int64_t half = differ / 2;
        excess[v] += half;
        excess[u] += differ - half;
        arcs.push_back({v, u, half, differ - half});
        arcs.push_back({n + u, n + v, half, differ - half});
      }
    }
  }
  for (std::int32_t v = 0; v < n; ++v) excess[n + v] = -excess[v];
  ExplicitGraph doubled(std::move(excess), arcs);
  IncrementalBfs<ExplicitGraph> flow(doubled, control_);
  flow.run();
  for (std::int32_t v = 0; v < n; ++v) {
    local_[nodes_[v]] = -1;
    if (flow.on_source_side(v) && !flow.on_source_side(n + v)) x[nodes_[v]] = y[nodes_[v]];
  }
}

std::int64_t Fusion::take_components(Labelling& x, const Labelling& y) {
  const Neighbourhood& graph = energy_.graph;
  std::int64_t taken = 0;
  for (std::int32_t seed = 0; seed < graph.nodes(); ++seed) {
    if (x[seed] == y[seed] || local_[seed] >= 0) continue;
    nodes_.assign(1, seed);
    local_[seed] = 0;
    std::int64_t difference = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const std::int32_t i = nodes_[k];
      const std::int32_t* theta = energy_.theta + static_cast<std::int64_t>(i) * energy_.labels;
      difference += std::int64_t{theta[y[i]]} - theta[x[i]];
      for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at) {
        const std::int32_t j = at->other;
        const bool inside = x[j] != y[j];
        if (inside && local_[j] < 0) {
          local_[j] = 0;
          nodes_.push_back(j);
        }
        if (inside && !at->is_tail) continue;  // counted at the other end
        const int sign = at->is_tail ? 1 : -1;
        difference += energy_.w[at->edge] * (energy_.g(sign * (y[i] - (inside ? y[j] : x[j]))) -
                                             energy_.g(sign * (x[i] - x[j])));
      }
    }
    if (difference >= 0) continue;
    ++taken;
    for (const std::int32_t i : nodes_) {
      x[i] = y[i];
      local_[i] = -1;
    }
  }
  local_.assign(local_.size(), -1);
  return taken;
}

}  // namespace rangemoves
