#include "oracle_trws.hpp"

#include <algorithm>

#include "rangemoves/problem/limits.hpp"

namespace rangemoves {

template <class Value>
ScalarTrws<Value>::ScalarTrws(const Energy& energy, std::int64_t scale)
    : energy_(energy),
      scale_(scale),
      messages_(static_cast<std::size_t>(energy.graph.edges()) * energy.labels, 0),
      before_(static_cast<std::size_t>(energy.graph.nodes())),
      after_(before_) {
  const int end = energy.labels - 1;
  for (int d = -end; d <= end; ++d) g_.push_back(static_cast<Value>(energy.g[0](d)));
  for (int d = 1; d < end; ++d) {
    if (energy.g[0].second_difference(d) != 0) right_ = d;
    if (energy.g[0].second_difference(-d) != 0) left_ = d;
  }
  const Neighbourhood& graph = energy.graph;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at)
      (graph.rank(at->other) < graph.rank(i) ? before_ : after_)[i].push_back(*at);
    for (auto* side : {&before_[i], &after_[i]})
      std::stable_sort(side->begin(), side->end(), [&](const Incidence& a, const Incidence& b) {
        return a.other != b.other ? graph.rank(a.other) < graph.rank(b.other) : a.edge < b.edge;
      });
  }
}

// out(b) = min_a v(a) + w g(a - b), or g(b - a) from the head.
template <class Value>
void ScalarTrws<Value>::send(std::int64_t edge, bool from_tail, Value* v, Value* out) const {
  const std::int32_t labels = energy_.labels;
  const Value w = static_cast<Value>(energy_.w[edge] * scale_);
  const Value* middle = g_.data() + labels - 1;
  const auto g = [&](std::int32_t d) { return w * middle[from_tail ? d : -d]; };
  const std::int32_t right = from_tail ? right_ : left_, left = from_tail ? left_ : right_;
  for (std::int32_t b = 0; b < labels; ++b) {
    Value least = v[b] + g(0);
    for (std::int32_t d = 1; d < right && b + d < labels; ++d)
      least = std::min(least, v[b + d] + g(d));
    for (std::int32_t d = 1; d < left && b - d >= 0; ++d) least = std::min(least, v[b - d] + g(-d));
    out[b] = least;
  }
  const std::int32_t end = labels - 1;
  if (right < labels) {
    const Value slope = right < end ? g(right + 1) - g(right) : 0;
    Value running = v[end];
    for (std::int32_t a = end; a >= right; --a) {
      running = std::min(v[a], running + (a < end ? slope : 0));
      out[a - right] = std::min(out[a - right], running + g(right));
    }
  }
  if (left < labels) {
    const Value slope = left < end ? g(-left - 1) - g(-left) : 0;
    Value running = v[0];
    for (std::int32_t a = 0; a + left < labels; ++a) {
      running = std::min(v[a], running + (a > 0 ? slope : 0));
      out[a + left] = std::min(out[a + left], running + g(-left));
    }
  }
}

template <class Value>
std::int64_t ScalarTrws<Value>::sweep(bool forward) {
  const std::int32_t labels = energy_.labels, n = energy_.graph.nodes();
  std::vector<Value> theta(static_cast<std::size_t>(labels)), v(theta), rest(theta), out(theta);
  std::int64_t bound = 0;
  for (std::int32_t step = 0; step < n; ++step) {
    const std::int32_t i = energy_.graph.at_rank(forward ? step : n - 1 - step);
    for (int l = 0; l < labels; ++l) theta[l] = static_cast<Value>(energy_.theta(i, l) * scale_);
    for (const auto* side : {&before_[i], &after_[i]})
      for (const Incidence& at : *side) {
        const Value* message = messages_.data() + std::int64_t{at.edge} * labels;
        for (int l = 0; l < labels; ++l) theta[l] += message[l];
      }
    const auto& outgoing = forward ? after_[i] : before_[i];
    // Where there are no cycles all of a belief goes on.
    const std::size_t most = energy_.graph.topology().is_forest()
                                 ? outgoing.size()
                                 : std::max(before_[i].size(), after_[i].size());
    const auto chains = static_cast<std::int32_t>(std::max<std::size_t>(1, most));
    rest = theta;
    const Value from = chains > 2 ? *std::min_element(theta.begin(), theta.end()) : Value{0};
    for (std::size_t k = 0; k < outgoing.size(); ++k) {
      Value* message = messages_.data() + std::int64_t{outgoing[k].edge} * labels;
      const bool last = static_cast<std::int32_t>(k) == chains - 1;
      for (int l = 0; l < labels; ++l) {
        const Value part = theta[l] - from;
        const Value share = chains == 2 ? part >> 1 : chains == 4 ? part >> 2 : part / chains;
        const Value mine = last ? rest[l] : share;
        rest[l] -= mine;
        v[l] = mine - message[l];
      }
      send(outgoing[k].edge, outgoing[k].is_tail, v.data(), out.data());
      const Value least = *std::min_element(v.begin(), v.end());
      for (int l = 0; l < labels; ++l) message[l] = out[l] - least;
      bound += static_cast<std::int64_t>(least);
    }
    if (static_cast<std::int32_t>(outgoing.size()) < chains)
      bound += static_cast<std::int64_t>(*std::min_element(rest.begin(), rest.end()));
  }
  return bound;
}

template <class Value>
Labelling ScalarTrws<Value>::decode() const {
  const std::int32_t labels = energy_.labels, n = energy_.graph.nodes();
  Labelling x(static_cast<std::size_t>(n), 0);
  std::vector<std::int64_t> cost(static_cast<std::size_t>(labels));
  for (std::int32_t step = 0; step < n; ++step) {
    const std::int32_t i = energy_.graph.at_rank(step);
    for (int l = 0; l < labels; ++l) {
      cost[l] = energy_.theta(i, l) * scale_;
      for (const Incidence& at : before_[i])
        cost[l] += energy_.w[at.edge] * scale_ *
                   energy_.g[at.edge](at.is_tail ? l - x[at.other] : x[at.other] - l);
      for (const Incidence& at : after_[i])
        cost[l] +=
            static_cast<std::int64_t>(messages_[static_cast<std::size_t>(at.edge) * labels + l]);
    }
    x[i] = static_cast<std::int32_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  }
  return x;
}

template class ScalarTrws<std::int32_t>;
template class ScalarTrws<std::int64_t>;
template class ScalarTrws<Int128>;

}  // namespace rangemoves
