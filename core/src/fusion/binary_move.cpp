#include "rangemoves/fusion/binary_move.hpp"

#include <algorithm>
#include <optional>

#include "rangemoves/flow/binary_graph.hpp"
#include "rangemoves/flow/explicit_graph.hpp"
#include "rangemoves/flow/pseudoflow.hpp"
#include "rangemoves/flow/shortest_paths.hpp"
#include "rangemoves/run/large_memory.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace {
// Flows of earlier moves save time only, so they may take 512 MB at most.
constexpr std::int64_t most_memory = std::int64_t{1} << 29;
// What they take: a number for every edge and label; none where that is too much.
std::int64_t flow_bytes(std::int64_t edges, int labels) {
  const std::int64_t bytes = edges * labels * static_cast<std::int64_t>(sizeof(std::int32_t));
  return bytes <= most_memory ? bytes : 0;
}

// Steps per node that a search for short paths may take: max-flow on all of the graph is cheaper
// than a longer search.
constexpr std::int64_t steps_per_node = 2;
// Passes of settle(), which lets excess and deficit of neighbours cancel. Each is cheap beside a
// flow.
constexpr int times_to_settle = 3;
// Nodes per thread: starting a thread for fewer costs more than it saves.
constexpr int nodes_per_part = 16384;
}  // namespace

struct BinaryMove::Cut {
  virtual ~Cut() = default;
  virtual void solve(BinaryMove& move, const Labelling& x) = 0;
};

template <class Capacity>
struct BinaryMove::SingleCut : BinaryMove::Cut {
  SingleCut(const Energy& energy, Control& control)
      : graph_(energy.graph.nodes(), energy.graph.edges()),
        edges_(energy.graph.edges()),
        place_(static_cast<std::size_t>(edges_)) {
    kept_.reserve(static_cast<std::size_t>(edges_));
    assign_polling(flow_,
                   static_cast<std::size_t>(flow_bytes(edges_, energy.labels)) / sizeof(flow_[0]),
                   0, control);
  }

  void solve(BinaryMove& move, const Labelling& x) override {
    move.gain_ = build(move, x);
    const bool few = paths_.run_from_few(steps_per_node, move.control_);
    if (!few) send_from_many(move);
    // No residual arc leaves the source side, so the excess left on it is what the cut saves
    // against `zero` for everyone.
    for (std::int32_t v = 0; v < graph_.nodes(); ++v) {
      const bool one = paths_.on_source_side(v);
      if (one) move.gain_ += graph_.excess(v);
      move.choose(static_cast<std::size_t>(v), one, x);
    }
    if (!few || paths_.sent()) remember();
  }

 private:
  BinaryGraph<Capacity> graph_;
  ShortestPaths<Capacity> paths_{graph_};
  std::optional<Pseudoflow<BinaryGraph<Capacity>>> flow_algorithm_;
  std::int64_t edges_;
  LargeVector<std::int32_t> place_;  // per edge: where its arc lies at the end that came first
  LargeVector<std::int32_t> flow_;   // L x edges: flow from tail to head at the end of a move
  struct Kept {
    std::int32_t arc, flow;
  };
  LargeVector<Kept> kept_;  // per edge of this move: the tail's arc, and its place in flow_

  // Each thread first sends flow within its own part of the nodes. The smallest source side of a
  // minimum cut is unique, so labels do not depend on the number of parts.
  void send_from_many(const BinaryMove& move) {
    using Part = typename BinaryGraph<Capacity>::Part;
    const std::int32_t nodes = graph_.nodes();
    const int parts = std::max(1, std::min(move.threads_, nodes / nodes_per_part));
    const auto begin = [&](int part) {
      return static_cast<std::int32_t>(std::int64_t{nodes} * part / parts);
    };
    in_parallel(parts, move.control_, [&](int part, Watch& watch) {
      const std::int32_t first = begin(part), end = begin(part + 1);
      paths_.settle(first, end, times_to_settle, watch);
      if (parts == 1) return;
      Part own(graph_, first, end);
      Pseudoflow<Part, Watch> flow(own, watch);
      flow.run();
      for (std::int32_t v = first; v < end; ++v) graph_.set_excess(v, flow.excess(v - first));
    });
    // After flows in parts little excess can still reach a deficit: short paths may do.
    if (parts > 1 ? paths_.run(steps_per_node, move.control_)
                  : paths_.run_from_few(steps_per_node, move.control_))
      return;
    // Made once and kept, for the memory it has.
    if (!flow_algorithm_) flow_algorithm_.emplace(graph_, move.control_);
    flow_algorithm_->run();
    for (std::int32_t v = 0; v < nodes; ++v) graph_.set_excess(v, flow_algorithm_->excess(v));
    paths_.run(INT32_MAX, move.control_);  // nothing is left to send: finds the source side
  }

  // Returns what the current labels cost more than `zero` for everyone would.
  std::int64_t build(BinaryMove& move, const Labelling& x) {
    const Neighbourhood& graph = move.energy_.graph;
    std::int64_t cost = 0;
    graph_.clear();
    paths_.clear();
    kept_.clear();
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(move.choices_.size()); ++v) {
      const Choice& here = move.choices_[v];
      graph_.add_node();
      std::int64_t excess = move.unary_excess(here);
      for (const Incidence* at = graph.begin(here.node); at != graph.end(here.node); ++at) {
        const std::int32_t u = move.local_[at->other];
        if (u < 0)
          excess += move.border_excess(here, *at, x[at->other]);
        else if (u > v)
          place_[at->edge] = graph_.open();
        else if (at->is_tail)
          cost += add_edge(move, at->edge, v, u, x);
        else
          cost += add_edge(move, at->edge, u, v, x);
      }
      graph_.add_excess(v, excess);
      if (x[here.node] == here.one) cost -= excess;
      if ((v & 0xff) == 0) move.control_.poll();
    }
    return cost;
  }

  std::int64_t add_edge(BinaryMove& move, std::int64_t edge, std::int32_t t, std::int32_t h,
                        const Labelling& x) {
    const Choice &tail = move.choices_[t], &head = move.choices_[h];
    const Term term = move.term(edge, tail, head, x);
    const std::int64_t memory = flow_.empty() ? 0 : tail.memory * edges_ + edge;
    const std::int64_t f =
        flow_.empty() ? 0 : std::clamp<std::int64_t>(flow_[memory], -term.backward, term.forward);
    graph_.add_excess(t, -term.at_tail - f);
    graph_.add_excess(h, -term.at_head + f);
    const auto forward = static_cast<Capacity>(term.forward - f),
               backward = static_cast<Capacity>(term.backward + f);
    std::int32_t arc = place_[edge];
    if (t < h)
      graph_.close(t, arc, forward, backward);
    else
      arc = graph_.close(h, arc, backward, forward);
    if (!flow_.empty()) kept_.push_back({arc, static_cast<std::int32_t>(memory)});
    const bool tail_one = x[tail.node] == tail.one, head_one = x[head.node] == head.one;
    std::int64_t cost = 0;
    if (tail_one) cost += term.at_tail;
    if (head_one) cost += term.at_head;
    if (tail_one != head_one) cost += tail_one ? term.forward : term.backward;
    return cost;
  }

  // term() gives both directions of an edge the same capacity, or `backward` one more. So the flow
  // is half of what the residual capacities differ by, rounded down.
  void remember() {
    for (const Kept& kept : kept_) {
      const std::int64_t flow = (graph_.in(0, 0, kept.arc) - graph_.out(0, 0, kept.arc)) >> 1;
      flow_[kept.flow] =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(flow, INT32_MIN, INT32_MAX));
    }
  }
};

// QPBO: a graph with every variable twice, the second time with its choices exchanged. A variable
// is decided where a minimum cut puts its two nodes on different sides.
struct BinaryMove::DoubledCut : BinaryMove::Cut {
  void solve(BinaryMove& move, const Labelling& x) override {
    const Neighbourhood& graph = move.energy_.graph;
    const auto n = static_cast<std::int32_t>(move.choices_.size());
    std::vector<std::int64_t> excess(static_cast<std::size_t>(n));
    std::vector<ExplicitGraph::Arc> arcs;
    for (std::int32_t t = 0; t < n; ++t) {
      const Choice& tail = move.choices_[t];
      excess[t] += move.unary_excess(tail);
      for (const Incidence* at = graph.begin(tail.node); at != graph.end(tail.node); ++at) {
        const std::int32_t h = move.local_[at->other];
        if (h < 0) excess[t] += move.border_excess(tail, *at, x[at->other]);
        if (h < 0 || !at->is_tail) continue;
        const Term term = move.term(at->edge, tail, move.choices_[h], x);
        excess[t] -= term.at_tail;
        excess[h] -= term.at_head;
        if (term.both > 0) {
          arcs.push_back({t, n + h, term.both, 0});
          arcs.push_back({h, n + t, term.both, 0});
        } else {
          arcs.push_back({t, h, term.forward, term.backward});
          arcs.push_back({n + h, n + t, term.forward, term.backward});
        }
      }
      if ((t & 0xff) == 0) move.control_.poll();
    }
    for (std::int32_t v = 0; v < n; ++v) excess.push_back(-excess[v]);
    ExplicitGraph doubled(std::move(excess), arcs);
    Pseudoflow<ExplicitGraph> flow(doubled, move.control_);
    flow.run();
    for (std::int32_t v = 0; v < n; ++v) {
      const bool one = flow.on_source_side(v);
      if (one != flow.on_source_side(n + v))
        move.choose(static_cast<std::size_t>(v), one, x);
      else
        move.optimal_ = false;
    }
  }
};

BinaryMove::BinaryMove(const Energy& energy, Nonsubmodular nonsubmodular, int threads,
                       Control& control)
    : energy_(energy),
      nonsubmodular_(nonsubmodular),
      threads_(threads),
      control_(control),
      local_(static_cast<std::size_t>(energy.graph.nodes()), -1) {
  choices_.reserve(local_.size());
  changes_.reserve(local_.size());
  const PerEdge<std::int64_t> spread = energy.g.map([](const Table& g) { return g.spread(); });
  std::int64_t largest = 0;
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e)
    largest = std::max(largest, energy.w[e] * spread[e]);
  if (nonsubmodular == Nonsubmodular::qpbo)
    cut_ = std::make_unique<DoubledCut>();
  else if (2 * largest <= INT32_MAX)
    cut_ = std::make_unique<SingleCut<std::int32_t>>(energy, control);
  else
    cut_ = std::make_unique<SingleCut<std::int64_t>>(energy, control);
}

BinaryMove::~BinaryMove() = default;

std::int64_t BinaryMove::bytes(std::int64_t nodes, std::int64_t edges, int labels, int threads) {
  using Graph = BinaryGraph<std::int32_t>;
  // Max-flow on the whole graph, and, with several threads, on all parts together.
  const int flows = std::min<std::int64_t>(threads, nodes / nodes_per_part) > 1 ? 2 : 1;
  const std::size_t per_node = bytes_kept_per_node() + Graph::bytes_per_node() +
                               ShortestPaths<std::int32_t>::bytes_per_node() +
                               flows * Pseudoflow<Graph>::bytes_per_node();
  const auto per_edge = [edges](std::size_t size) {
    return taken_bytes(edges * static_cast<std::int64_t>(size));
  };
  // Where arcs lie, and where their flow is kept.
  return nodes * static_cast<std::int64_t>(per_node) + per_edge(Graph::bytes_per_edge()) +
         per_edge(sizeof(std::int32_t)) + per_edge(2 * sizeof(std::int32_t)) +
         taken_bytes(flow_bytes(edges, labels));
}

void BinaryMove::clear() {
  for (const Choice& choice : choices_) local_[choice.node] = -1;
  choices_.clear();
}

void BinaryMove::add(std::int32_t node, std::int32_t zero, std::int32_t one, std::int32_t memory) {
  local_[node] = static_cast<std::int32_t>(choices_.size());
  choices_.push_back({node, zero, one, memory});
}

// With t, h = 1 where the tail, the head takes `one`, an edge costs
// e00 + (e10 - e00) t + (e01 - e00) h - differ t h, and t h = (t + h - [t != h]) / 2: unary terms,
// and a capacity that is paid where the two differ. A negative one is not submodular.
BinaryMove::Term BinaryMove::term(std::int64_t edge, const Choice& tail, const Choice& head,
                                  const Labelling& x) {
  const Table& g = energy_.g[edge];
  const std::int64_t w = energy_.w[edge];
  const std::int64_t e00 = w * g(tail.zero - head.zero), e11 = w * g(tail.one - head.one);
  const std::int64_t e01 = w * g(tail.zero - head.one), e10 = w * g(tail.one - head.zero);
  const std::int64_t differ = e01 + e10 - e00 - e11;
  if (differ >= 0) {
    const std::int64_t half = differ / 2;
    return {e10 - e00 - half, e01 - e00 - (differ - half), half, differ - half, 0};
  }
  if (nonsubmodular_ == Nonsubmodular::qpbo) return {e10 - e00, e01 - e00, 0, 0, -differ};
  raised_ = true;
  const bool tail_one = x[tail.node] == tail.one, head_one = x[head.node] == head.one;
  const std::int64_t to_e10 = tail_one == head_one ? -differ / 2 : tail_one ? 0 : -differ;
  return {e10 + to_e10 - e00, e01 - differ - to_e10 - e00, 0, 0, 0};
}

std::int64_t BinaryMove::unary_excess(const Choice& choice) const {
  return energy_.theta(choice.node, choice.zero) - energy_.theta(choice.node, choice.one);
}

std::int64_t BinaryMove::border_excess(const Choice& choice, const Incidence& at,
                                       std::int32_t there) const {
  return energy_.seen_from(at, choice.zero, there) - energy_.seen_from(at, choice.one, there);
}

void BinaryMove::choose(std::size_t v, bool one, const Labelling& x) {
  const Choice& choice = choices_[v];
  const std::int32_t label = one ? choice.one : choice.zero;
  if (label != x[choice.node]) changes_.push_back({choice.node, label});
}

const std::vector<LabelChange>& BinaryMove::solve(const Labelling& x) {
  raised_ = false;
  optimal_ = true;
  changes_.clear();
  cut_->solve(*this, x);
  return changes_;
}

}  // namespace rangemoves
