#include "rangemoves/moves/range_messages.hpp"

#include <algorithm>
#include <utility>

#include "rangemoves/problem/csr.hpp"

namespace rangemoves {

namespace {
// Sweeps end when one raises the bound by less than 1/256 of what all of them raised it by: then a
// cut is the faster way to the rest.
constexpr std::int64_t slow = 256;
constexpr int most_sweeps = 64;  // in case bounds creep up
}  // namespace

RangeMessages::RangeMessages(int states, std::int64_t most_edges)
    : states_(states),
      weighted_(2 * static_cast<std::size_t>(states)),
      answer_(static_cast<std::size_t>(states)),
      share_(answer_) {
  const auto edges = static_cast<std::size_t>(most_edges);
  edges_.reserve(edges);
  w_.reserve(edges);
  g_.reserve(edges);
  tail_keeps_.reserve(at(most_edges));
  head_keeps_.reserve(at(most_edges));
}

std::int64_t RangeMessages::bytes(std::int64_t edges, std::int64_t states) {
  const auto per_edge = [edges](std::int64_t count, std::size_t size) {
    return taken_bytes(edges * count * static_cast<std::int64_t>(size));
  };
  return 4 * per_edge(states, sizeof(std::int64_t)) + per_edge(1, sizeof(std::int64_t)) +
         per_edge(2, sizeof(Link)) +
         edges * static_cast<std::int64_t>(sizeof(Table*) + sizeof(ColumnGraph::Edge));
}

void RangeMessages::clear(std::int32_t variables, int keep) {
  variables_ = variables;
  keep_ = keep;
  edges_.clear();
  w_.clear();
  g_.clear();
  tail_keeps_.clear();
  head_keeps_.clear();
}

void RangeMessages::add_edge(ColumnGraph::Edge edge, std::int64_t w, const Table& g,
                             const std::vector<std::int64_t>& tail_keeps,
                             const std::vector<std::int64_t>& head_keeps) {
  edges_.push_back(edge);
  w_.push_back(w);
  g_.push_back(&g);
  tail_keeps_.insert(tail_keeps_.end(), tail_keeps.begin(), tail_keeps.end());
  head_keeps_.insert(head_keeps_.end(), head_keeps.begin(), head_keeps.end());
}

std::int64_t RangeMessages::cost(std::size_t edge, int s, int t) const {
  const auto e = static_cast<std::int64_t>(edge);
  if (s == keep_) return tail_keeps_[at(e, t)];
  if (t == keep_) return head_keeps_[at(e, s)];
  return w_[edge] * (*g_[edge])(s - t);
}

void RangeMessages::link_up() {
  links_.resize(2 * edges_.size());
  build_csr(
      variables_, static_cast<std::int64_t>(edges_.size()), first_link_,
      [&](std::int64_t e) { return std::pair(edges_[e].tail, edges_[e].head); },
      [&](std::int64_t e, std::int32_t there, std::int32_t back) {
        const auto edge = static_cast<std::int32_t>(e);
        links_[there] = {edge, edges_[e].head, true};
        links_[back] = {edge, edges_[e].tail, false};
      });
}

// The largest feasible message to one end, given the one to the other.
template <bool to_head>
void RangeMessages::send(std::size_t edge, const std::int64_t* given, std::int64_t* answer) {
  const auto e = static_cast<std::int64_t>(edge);
  const std::int64_t* given_keeps = (to_head ? tail_keeps_ : head_keeps_).data() + at(e);
  const std::int64_t* answer_keeps = (to_head ? head_keeps_ : tail_keeps_).data() + at(e);
  const Table& g = *g_[edge];
  for (int d = 2 - states_; d <= states_ - 2; ++d)
    weighted_[d + states_ - 1] = w_[edge] * g(to_head ? -d : d);
  std::int64_t keeps = given_keeps[keep_] - given[keep_];
  for (int t = first(); t < end(); ++t) answer[t] = given_keeps[t] - given[keep_];
  for (int s = first(); s < end(); ++s) {
    keeps = std::min(keeps, answer_keeps[s] - given[s]);
    const std::int64_t* row = weighted_.data() + states_ - 1 - s;
    for (int t = first(); t < end(); ++t) answer[t] = std::min(answer[t], row[t] - given[s]);
  }
  answer[keep_] = keeps;
}

// Each variable in turn divides its cost among the edges to later variables.
template <bool forward>
void RangeMessages::sweep_once(LargeVector<std::int64_t>& unary, Control& control) {
  for (std::int32_t k = 0; k < variables_; ++k) {
    const std::int32_t v = forward ? k : variables_ - 1 - k;
    const Link *begin = links_.data() + first_link_[v], *end = links_.data() + first_link_[v + 1];
    const auto ahead = [&](const Link& link) { return (link.other > v) == forward; };
    const std::int64_t later = std::count_if(begin, end, ahead);
    if (later == 0) continue;
    const std::int64_t parts = std::max<std::int64_t>(later, end - begin - later);
    std::int64_t* mine = unary.data() + at(v);
    const std::int64_t least = *std::min_element(mine, mine + states_);
    for (int s = 0; s < states_; ++s) {
      share_[s] = (mine[s] - least) / parts;
      mine[s] -= later * share_[s];
    }
    for (const Link* link = begin; link != end; ++link) {
      if (!ahead(*link)) continue;
      std::int64_t* given = (link->is_tail ? p_ : q_).data() + at(link->edge);
      std::int64_t* before = (link->is_tail ? q_ : p_).data() + at(link->edge);
      std::int64_t* theirs = unary.data() + at(link->other);
      for (int s = 0; s < states_; ++s) given[s] -= share_[s];
      const auto edge = static_cast<std::size_t>(link->edge);
      link->is_tail ? send<true>(edge, given, answer_.data())
                    : send<false>(edge, given, answer_.data());
      for (int t = 0; t < states_; ++t) {
        theirs[t] += answer_[t] - before[t];
        before[t] = answer_[t];
      }
    }
    if ((k & 0x3f) == 0) control.poll();
  }
}

std::int64_t RangeMessages::bound(const LargeVector<std::int64_t>& unary) const {
  std::int64_t sum = 0;
  for (std::int32_t v = 0; v < variables_; ++v)
    sum += *std::min_element(unary.begin() + at(v), unary.begin() + at(v + 1));
  return sum;
}

// Afterwards c - p - q has a zero in every row and column.
void RangeMessages::tighten(LargeVector<std::int64_t>& unary, Control& control) {
  const auto take_over = [&](std::int64_t* message, std::int32_t v) {
    for (int s = 0; s < states_; ++s) {
      unary[at(v, s)] += answer_[s] - message[s];
      message[s] = answer_[s];
    }
  };
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    std::int64_t *p = p_.data() + at(static_cast<std::int64_t>(e)),
                 *q = q_.data() + at(static_cast<std::int64_t>(e));
    send<false>(e, q, answer_.data());
    take_over(p, edges_[e].tail);
    send<true>(e, p, answer_.data());
    take_over(q, edges_[e].head);
    if ((e & 0x3f) == 0) control.poll();
  }
}

void RangeMessages::sweep(LargeVector<std::int64_t>& unary, Control& control) {
  link_up();
  assign_polling(p_, tail_keeps_.size(), std::int64_t{0}, control);
  assign_polling(q_, p_.size(), std::int64_t{0}, control);
  tighten(unary, control);
  const std::int64_t start = bound(unary);
  std::int64_t before = start;
  for (int k = 0; k < most_sweeps; ++k) {
    sweep_once<true>(unary, control);
    sweep_once<false>(unary, control);
    const std::int64_t now = bound(unary);
    if (now - before <= (now - start) / slow) break;
    before = now;
  }
  tighten(unary, control);
}

void RangeMessages::fill_cells(LargeVector<ColumnGraph::Cell>& cells, Control& control) {
  cells.clear();
  cells.reserve(edges_.size() * static_cast<std::size_t>((states_ - 1) * (states_ - 1)));
  std::vector<std::int64_t> costs(at(states_));
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (int s = 0; s < states_; ++s)
      for (int t = 0; t < states_; ++t) costs[at(s, t)] = cost(e, s, t);
    const std::int64_t *p = p_.data() + at(static_cast<std::int64_t>(e)),
                       *q = q_.data() + at(static_cast<std::int64_t>(e));
    climb([&](int s, int t) { return costs[at(s, t)] - p[s] - q[t]; }, states_, 1, states_ - 1, 0,
          stairs_);
    for (int s = 1; s < states_; ++s)
      for (int t = 1; t < states_; ++t) {
        const std::int64_t cell =
            costs[at(s - 1, t)] + costs[at(s, t - 1)] - costs[at(s - 1, t - 1)] - costs[at(s, t)];
        const std::int64_t forward = stairs_[static_cast<std::size_t>(s - 1)].forward(t, cell);
        cells.push_back({forward, cell - forward});
      }
    if ((e & 0x3f) == 0) control.poll();
  }
}

}  // namespace rangemoves
