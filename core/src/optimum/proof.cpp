#include "rangemoves/optimum/proof.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "rangemoves/messages/storage.hpp"
#include "rangemoves/optimum/islands.hpp"
#include "rangemoves/optimum/slack.hpp"
#include "rangemoves/run/memory_limit.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace {

// An island is made, or grows, around a variable where the labelling pays more than a unit / this.
constexpr std::int64_t kWorthAnIsland = 100;
// A gap of less than a unit is closed. In percent of a unit: what islands and all variables outside
// together may leave open, and what variables outside may.
constexpr std::int64_t kMayStay = 95, kMayStayOutside = 50;
// Variables of an island around one place, and by which it grows: discs of radius 6 and 4 on a
// grid.
constexpr std::size_t kAround = 113, kGrowth = 49;
// An island may always leave a gap of a unit / this.
constexpr std::int64_t kLeastMargin = 2000;
// How often what an island has of costs and messages is there while it is searched: measured.
constexpr std::int64_t kCopies = 6;
// Larger islands are not tried.
constexpr std::size_t kLargestIsland = 12000;
// Visits of variables that an island is always allowed, however many there are: some hundred sweeps
// over a small one.
constexpr std::int64_t kLeastVisits = 50'000;
// Costs of islands are multiplied by as much where it fits: shares of a cost keep more fractions.
constexpr std::int64_t kFiner = 1024;

// The finest scale of lazy sweeps, finer than that of full ones: with coarse rounding messages
// would move back and forth by more than the threshold, and variables would be visited for ever.
constexpr std::int64_t kFinestLazy = std::int64_t{1} << 20;

template <class Value>
std::int64_t lazy_scale(const Trws& trws) {
  return std::max(trws.scale(), finest_scale<Value>(trws.load(), kFinestLazy));
}

// What the limit of memory leaves beside lazy sweeps and the messages of full ones and of moves.
std::int64_t room_for_islands(const Trws& trws, const EngineOptions& options) {
  if (options.max_memory == 0) return INT64_MAX;
  const ConvexProblem& problem = trws.problem();
  const Neighbourhood& graph = problem.graph;
  const std::int64_t messages =
      find_backend(options.backend).bytes(graph, problem.labels, trws.is_wide());
  return std::max<std::int64_t>(
      0, options.max_memory - 2 * messages -
             Proof::bytes(graph.nodes(), graph.edges(), problem.labels, trws.is_wide()));
}

template <class Value>
class ProofOf : public Proof {
 public:
  ProofOf(Trws& trws, const Settings& settings, Control& control)
      : trws_(trws),
        control_(control),
        scale_(lazy_scale<Value>(trws)),
        finer_(std::max<std::int64_t>(
            1, finest_scale<std::int64_t>(trws.load(), scale_ * kFiner) / scale_)),
        keeps_certificate_(settings.certificate),
        tables_(settings.islands == IslandSearch::automatic),
        rows_(trws.problem().graph,
              useful_threads(settings.engine.threads,
                             std::int64_t{trws.problem().graph.nodes()} * trws.problem().labels),
              control),
        lazy_(ordered_graph(trws.problem(), scale_, control), trws.problem().tables,
              trws.problem().labels, rows_.threads(), &control),
        islands_(lazy_.graph()),
        room_(room_for_islands(trws, settings.engine)),
        threads_(settings.engine.threads) {
    const Neighbourhood& graph = trws.problem().graph;
    trws.visit_costs(
        [&](std::int32_t i, const std::int64_t* costs) {
          Value* unary = lazy_.unary(graph.rank(i));
          for (int l = 0; l < lazy_.labels(); ++l) unary[l] = static_cast<Value>(costs[l] * scale_);
        },
        control);
    std::vector<double> message(static_cast<std::size_t>(lazy_.labels()));
    for (std::size_t e = 0; e < lazy_.graph().edges.size(); ++e) {
      trws.messages()->read(lazy_.graph().edges[e].origin, message.data());
      Value* to = lazy_.message(static_cast<std::int64_t>(e), false);
      for (int l = 0; l < lazy_.labels(); ++l)
        to[l] = static_cast<Value>(message[static_cast<std::size_t>(l)]) *
                static_cast<Value>(scale_ / trws.scale());
    }
  }

  void begin_stage() override {
    lazy_.mark_all();
    kept_.clear();
  }

  std::int64_t sweep(std::int64_t parts) override {
    std::int64_t visits = 0;
    solved_.clear();
    for (const bool forward : {true, false})
      visits += lazy_.sweep(forward, scale_ / parts, &rows_, &control_);
    return visits;
  }

  Labelling decode(bool forward) override { return by_node(lazy_.decode(forward)); }

  void hand_back() override {
    lazy_.mark_all();
    solved_.clear();
    for (const bool forward : {true, false})
      lazy_.sweep(forward, std::numeric_limits<Value>::max(), &rows_, &control_);
    lazy_.mark_all();
    raise_bound(lazy_.bound());
    // Messages with a better bound stay: somebody may ask what proves it.
    if (exact_bound() >= trws_.exact_bound()) write_messages();
  }

  void take_all() override { islands_.add_all(); }

  Round round(const Labelling& given, std::int64_t goal, const Effort& effort) override {
    const Labelling x = by_rank(given);
    const std::int64_t unit = scale_ * std::max<std::int64_t>(1, goal);
    const SlackMap map = slack_map(lazy_, x);
    find_seeds(map, unit);
    std::vector<std::int32_t> owner;
    std::vector<Island> islands = make_islands(x, owner);
    std::int64_t outside = 0;
    for (std::size_t i = 0; i < owner.size(); ++i) outside += owner[i] < 0 ? map.least[i] : 0;
    solve(islands, (map.bound + map.total - outside) * finer_, unit * finer_, effort);
    Round round = sum_up(islands, x, outside * finer_);
    round.grew = grow(islands, x, owner, unit);
    return round;
  }

  double exact_bound() const override {
    return static_cast<double>(trws_.constant()) +
           static_cast<double>(best_bound_) / static_cast<double>(scale_ * finer_);
  }
  const Certificate& certificate() const override { return certificate_; }

  double certified_bound(const TrueCosts& costs, double scale) override {
    const ConvexProblem& problem = trws_.problem();
    std::vector<std::int64_t> place(static_cast<std::size_t>(graph().edges()));
    for (std::size_t e = 0; e < lazy_.graph().edges.size(); ++e)
      place[static_cast<std::size_t>(lazy_.graph().edges[e].origin)] = static_cast<std::int64_t>(e);
    const ReadMessage read = [&](std::int64_t e, double* message) {
      const Value* from = lazy_.message(place[static_cast<std::size_t>(e)], false);
      std::copy_n(from, lazy_.labels(), message);
    };
    SolvedParts solved;
    solved.edge_cost = [&](std::int64_t e, int d) {
      return static_cast<double>(problem.weight[e] * problem.table(e).h(d)) / scale;
    };
    const double unit = 1 / (static_cast<double>(scale_) * scale);
    for (const Kept& kept : kept_) {
      SolvedPart part;
      for (const std::int32_t i : kept.nodes) part.variables.push_back(graph().at_rank(i));
      const double finer = unit / static_cast<double>(finer_);
      for (const std::int64_t cost : kept.unary)
        part.unary.push_back(static_cast<double>(cost) * finer);
      part.bound = static_cast<double>(kept.bound) * finer;
      solved.parts.push_back(std::move(part));
    }
    return rangemoves::certified_bound(graph(), lazy_.labels(), read, false, unit, costs, solved,
                                       control_);
  }

 private:
  // An island of the round with the best bound: what certified_bound() needs of it.
  struct Kept {
    IslandNodes nodes;
    std::vector<std::int64_t> unary;  // before any label was left out
    std::int64_t bound;
  };

  struct Island {
    IslandNodes nodes;
    std::unique_ptr<LazyMessages<std::int64_t>> problem;
    Labelling x;         // of the whole, here
    std::int64_t value;  // what it costs, in finer units, as all that follows
    std::vector<std::int64_t> unary;
    BranchResult result;

    bool is_better() const { return result.value < value; }
  };

  Trws& trws_;
  Control& control_;
  const std::int64_t scale_, finer_;
  const bool keeps_certificate_, tables_;
  NodeRows rows_;
  LazyMessages<Value> lazy_;
  IslandMap islands_;
  const std::int64_t room_;     // bytes for islands
  std::int64_t room_left_ = 0;  // beside those that have been made
  const int threads_;
  struct Solved {
    BranchResult result;
    std::int64_t visits;  // that it was allowed
  };
  std::map<IslandNodes, Solved> solved_;  // with the messages as they are
  std::int64_t best_bound_ = std::numeric_limits<std::int64_t>::min();  // in finer units
  std::vector<Kept> kept_;                                              // of that bound
  Certificate certificate_;

  const Neighbourhood& graph() const { return trws_.problem().graph; }

  Labelling by_rank(const Labelling& x) const {
    Labelling ranked(x.size());
    for (std::int32_t i = 0; i < graph().nodes(); ++i) ranked[graph().rank(i)] = x[i];
    return ranked;
  }
  Labelling by_node(const Labelling& ranked) const {
    Labelling x(ranked.size());
    for (std::int32_t i = 0; i < graph().nodes(); ++i) x[i] = ranked[graph().rank(i)];
    return x;
  }

  void raise_bound(std::int64_t bound) {
    const std::int64_t coarser = scale_ / trws_.scale();
    trws_.raise_bound(bound / coarser - (bound % coarser < 0),
                      trws_.constant() + bound / scale_ + (bound % scale_ > 0));
    if (bound * finer_ <= best_bound_) return;
    best_bound_ = bound * finer_;
    kept_.clear();
    if (keeps_certificate_) write_whole();
  }

  // Hands the messages to the full sweeps, in their units.
  void write_messages() {
    std::vector<double> message(static_cast<std::size_t>(lazy_.labels()));
    const auto coarser = static_cast<Value>(scale_ / trws_.scale());
    for (std::size_t e = 0; e < lazy_.graph().edges.size(); ++e) {
      const Value* from = lazy_.message(static_cast<std::int64_t>(e), false);
      for (int l = 0; l < lazy_.labels(); ++l)
        message[static_cast<std::size_t>(l)] = static_cast<double>(from[l] / coarser);
      trws_.messages()->write(lazy_.graph().edges[e].origin, message.data());
    }
  }

  // Around every variable where the labelling pays, until so little is left outside that the gap
  // can still be closed.
  void find_seeds(const SlackMap& map, std::int64_t unit) {
    std::vector<std::int32_t> nodes;
    std::int64_t rest = 0;
    for (std::int32_t i = 0; i < lazy_.nodes(); ++i) {
      if (islands_.is_inside(i) || map.slack[static_cast<std::size_t>(i)] == 0) continue;
      nodes.push_back(i);
      rest += map.slack[static_cast<std::size_t>(i)];
    }
    std::stable_sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
      return map.slack[static_cast<std::size_t>(a)] > map.slack[static_cast<std::size_t>(b)];
    });
    for (const std::int32_t i : nodes) {
      const std::int64_t slack = map.slack[static_cast<std::size_t>(i)];
      if (slack <= unit / kWorthAnIsland && rest <= unit * kMayStayOutside / 100) break;
      islands_.add_around(i, kAround);
      rest -= slack;
    }
  }

  // Whether there is memory for an island, too: for its problem, and for what a search has of it at
  // a time besides parts that wait.
  bool make_room(const IslandNodes& nodes) {
    if (room_ == INT64_MAX) return true;
    std::int64_t vectors = 0;
    for (const std::int32_t i : nodes) vectors += 1 + lazy_.node(i).before + lazy_.node(i).after;
    const std::int64_t bytes = kCopies * vectors * lazy_.stride() * 8;
    if (bytes > room_left_) return false;
    room_left_ -= bytes;
    return true;
  }

  std::vector<Island> make_islands(const Labelling& x, std::vector<std::int32_t>& owner) {
    std::vector<Island> islands;
    room_left_ = room_;
    for (IslandNodes& nodes : islands_.parts(owner)) {
      if (nodes.size() > kLargestIsland || !make_room(nodes)) {
        for (const std::int32_t i : nodes) owner[static_cast<std::size_t>(i)] = -1;
        continue;
      }
      Island island;
      island.problem = island_problem(lazy_, trws_.problem().tables, nodes, owner, finer_);
      for (const std::int32_t i : nodes) island.x.push_back(x[static_cast<std::size_t>(i)]);
      island.value = value_of(*island.problem, island.x);
      for (std::int32_t i = 0; i < island.problem->nodes(); ++i)
        island.unary.insert(island.unary.end(), island.problem->unary(i),
                            island.problem->unary(i) + lazy_.labels());
      island.nodes = std::move(nodes);
      islands.push_back(std::move(island));
      control_.poll();
    }
    return islands;
  }

  // inside: what the labelling costs in all islands and pays outside of them.
  void solve(std::vector<Island>& islands, std::int64_t inside, std::int64_t unit,
             const Effort& effort) {
    // What the labelling pays outside of islands stays open; islands may leave the rest.
    std::int64_t may_stay = unit * kMayStay / 100 - inside;
    for (const Island& island : islands) may_stay += island.value;
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, islands.size()));
    const std::int64_t margin = std::max(unit / kLeastMargin, may_stay / count / effort.thrift);
    std::atomic<std::size_t> next{0};
    const int parts = std::max(1, std::min(threads_, static_cast<int>(islands.size())));
    // Each island has its share of both, whoever else is solved at the same time: what is found
    // must not depend on the number of threads.
    const BranchLimits limits{INT64_MAX, std::max(kLeastVisits, effort.visits / count), tables_,
                              room_left_ == INT64_MAX ? room_left_ : room_left_ / count};
    in_parallel(parts, control_, [&](int, Watch& watch) {
      const std::function<void()> poll = [&watch] { watch.poll(); };
      for (std::size_t k = next++; k < islands.size(); k = next++)
        solve(islands[k], margin, unit, limits, poll);
    });
    for (const Island& island : islands) solved_[island.nodes] = {island.result, limits.visits};
  }

  void solve(Island& island, std::int64_t margin, std::int64_t unit, const BranchLimits& limits,
             const std::function<void()>& poll) const {
    const auto known = solved_.find(island.nodes);
    const Labelling* start = &island.x;
    if (known != solved_.end()) {
      const BranchResult& before = known->second.result;
      const bool suffices = before.bound >= std::min(island.value, before.value) - margin;
      // What did not end within these limits would not do so now.
      if (suffices || (!before.is_closed && limits.visits <= known->second.visits)) {
        island.result = before;
        return;
      }
      if (before.value < island.value) start = &before.labels;
    }
    island.result =
        branch_and_bound(*island.problem, *start, margin, unit, limits, keeps_certificate_, poll);
  }

  Round sum_up(const std::vector<Island>& islands, const Labelling& x, std::int64_t bound) {
    Round round;
    Labelling y = x;
    for (const Island& island : islands) {
      bound += island.result.bound;
      round.largest = std::max(round.largest, island.nodes.size());
      round.open += !island.result.is_closed;
      round.branches += island.result.nodes;
      for (std::size_t k = 0; island.is_better() && k < island.nodes.size(); ++k)
        y[static_cast<std::size_t>(island.nodes[k])] = island.result.labels[k];
    }
    const std::int64_t scale = scale_ * finer_;
    round.islands = islands.size();
    round.labels = by_node(y);
    round.bound = trws_.constant() + bound / scale + (bound % scale > 0);
    if (bound > best_bound_) {
      best_bound_ = bound;
      kept_.clear();
      for (const Island& island : islands)
        kept_.push_back({island.nodes, island.unary, island.result.bound});
      if (keeps_certificate_) write_certificate(islands);
    }
    return round;
  }

  // Where the best labels of an island do not go with the labels around it, which an edge across
  // its border pays for, the island is too small.
  bool grow(const std::vector<Island>& islands, const Labelling& x,
            const std::vector<std::int32_t>& owner, std::int64_t unit) {
    AlignedArray<Value> room = lazy_.make_room();
    std::vector<Value> implied(static_cast<std::size_t>(lazy_.stride()));
    bool grew = false;
    for (const Island& island : islands) {
      if (!island.is_better()) continue;
      const std::int32_t id = owner[static_cast<std::size_t>(island.nodes.front())];
      for (std::size_t n = 0; n < island.nodes.size(); ++n) {
        const std::int32_t i = island.nodes[n];
        for (std::int32_t k = 0; k < lazy_.node(i).before + lazy_.node(i).after; ++k) {
          const LazyArc& arc = lazy_.arcs(i)[k];
          if (owner[static_cast<std::size_t>(arc.other)] == id) continue;
          const OrderedEdge& edge = lazy_.graph().edges[static_cast<std::size_t>(arc.edge)];
          const int mine = island.result.labels[n], theirs = x[static_cast<std::size_t>(arc.other)];
          const bool am_later = k < lazy_.node(i).before;
          const int earlier = am_later ? theirs : mine, later = am_later ? mine : theirs;
          const Value* message = lazy_.message(arc.edge, false);
          lazy_.imply(arc.edge, false, message, implied.data(), room.data());
          const std::int64_t paid = lazy_.cost(edge, earlier, later) - message[earlier] -
                                    implied[static_cast<std::size_t>(later)];
          if (paid > unit / kWorthAnIsland && islands_.add_around(arc.other, kGrowth)) grew = true;
        }
      }
    }
    return grew;
  }

  void write_whole() {
    certificate_ = {};
    certificate_.scale = scale_;
    for (std::int32_t i = 0; i < graph().nodes(); ++i) certificate_.rank.push_back(graph().rank(i));
    for (const OrderedEdge& edge : lazy_.graph().edges) certificate_.edges.push_back(edge.origin);
    certificate_.messages = lazy_.messages_to_earlier();
  }

  void write_certificate(const std::vector<Island>& islands) {
    write_whole();
    for (const Island& island : islands) {
      IslandProof proof;
      for (const std::int32_t i : island.nodes) proof.variables.push_back(graph().at_rank(i));
      for (const OrderedEdge& edge : island.problem->graph().edges)
        proof.edges.push_back(lazy_.graph().edges[static_cast<std::size_t>(edge.origin)].origin);
      proof.scale = scale_ * finer_;
      proof.steps = island.result.steps;
      certificate_.islands.push_back(std::move(proof));
    }
  }
};

}  // namespace

std::unique_ptr<Proof> Proof::make(Trws& trws, const Settings& settings, Control& control) {
  const Neighbourhood& graph = trws.problem().graph;
  require_memory(bytes(graph.nodes(), graph.edges(), trws.problem().labels, trws.is_wide()),
                 settings.engine, "lazy sweeps");
  if (trws.is_wide()) return std::make_unique<ProofOf<std::int64_t>>(trws, settings, control);
  return std::make_unique<ProofOf<std::int32_t>>(trws, settings, control);
}

std::int64_t Proof::bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide) {
  const std::int64_t stride =
      stride_for(labels, wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes);
  const std::int64_t vectors = nodes + 2 * edges;
  return vectors * stride * (wide ? 8 : 4) +
         edges * static_cast<std::int64_t>(sizeof(OrderedEdge) + 2 * sizeof(LazyArc) + 16) +
         nodes * static_cast<std::int64_t>(sizeof(MessageNode) + 32);
}

}  // namespace rangemoves
