// The inner loops of message passing, for every instruction set this machine has: against plain
// loops, against each other, and against enumeration.
#include "rangemoves/messages/kernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "check.hpp"
#include "oracle_trws.hpp"
#include "oracles.hpp"
#include "rangemoves/flow/staircase.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/shapes.hpp"
#include "rangemoves/run/aligned.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 16;

// What the engines pass: everything from a random convex function to a truncated one that goes
// straight on.
ConvexTable random_table(Random& random, int labels, bool symmetric) {
  if (random.below(2) == 0)
    return ConvexTable(oracles::linear_beyond(labels, oracles::between(random, 1, 9), 2));
  return ConvexTable(oracles::random_convex(random, labels, random.below(2) == 0, symmetric));
}

// What sweeps on the prior pass as well: capped ones, with short and long slopes, and any other.
ConvexTable any_kind(Random& random, int labels) {
  const int kind = oracles::between(random, 0, 6), most = oracles::between(random, 1, 2000);
  if (kind == 0) return random_table(random, labels, random.below(2) == 0);
  if (kind == 1) return ConvexTable::of_any(oracles::any_table(random, labels));
  if (kind <= 3) return ConvexTable::of_any(oracles::truncated(labels, kind - 1, most));
  // Other slopes on either side, with or without a cap; a square on one side.
  const std::int64_t left = oracles::between(random, 0, 20),
                     right = oracles::between(random, 0, 20);
  std::vector<std::int64_t> values;
  for (std::int64_t d = 1 - labels; d < labels; ++d) {
    const std::int64_t far = kind == 6 && d > 0 ? d * d : d < 0 ? -left * d : right * d;
    values.push_back(kind == 4 ? far : std::min<std::int64_t>(far, most));
  }
  return ConvexTable::of_any(Table(values));
}

template <class Value>
void convolutions(const Kernels<Value>& level, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, seed % 10 == 0 ? 300 : 40);
  const ConvexTable table =
      seed % 2 == 0 ? random_table(random, labels, false) : any_kind(random, labels);
  const ShapePair<Value> shapes(table);
  const std::int32_t stride = stride_for(labels, level.lanes), w = oracles::between(random, 1, 9);
  AlignedArray<Value> v(static_cast<std::size_t>(stride)), out(v.size()),
      scratch(static_cast<std::size_t>(scratch_size(stride)));
  for (int l = 0; l < labels; ++l) v[l] = oracles::between(random, -1000, 1000);
  for (const bool from_tail : {true, false}) {
    level.convolve(from_tail ? shapes.from_tail() : shapes.from_head(), w, v.data(), out.data(),
                   labels, stride, scratch.data());
    for (int b = 0; b < labels; ++b) {
      std::int64_t least = INT64_MAX;
      for (int a = 0; a < labels; ++a)
        least = std::min(least, v[a] + w * table.h(from_tail ? a - b : b - a));
      expect(out[b] == least, "a convolution", seed);
    }
    for (std::int32_t l = labels; l < stride; ++l) expect(out[l] == 0, "padding is zero", seed);
  }
}

template <class Value>
void tightening(const Kernels<Value>& level, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 20), lanes = level.lanes;
  const ConvexTable table = random_table(random, labels, false);
  const ShapePair<Value> shapes(table);
  const std::size_t size = static_cast<std::size_t>(labels * lanes);
  AlignedArray<Value> weight(static_cast<std::size_t>(lanes)), earlier(size), later(size),
      scratch(static_cast<std::size_t>(wavefront_scratch_size(labels, lanes)));
  for (int k = 0; k < lanes; ++k) weight[k] = oracles::between(random, 1, 9);
  for (std::size_t k = 0; k < size; ++k) later[k] = oracles::between(random, -100, 100);
  std::vector<Value> p(size), q(later.data(), later.data() + size);
  for (int k = 0; k < lanes; ++k)
    tighten<Value>(table, weight[k], {p.data() + k, lanes}, {q.data() + k, lanes});
  level.tighten_lanes(shapes.from_head(), shapes.from_tail(), weight.data(), earlier.data(),
                      later.data(), labels, scratch.data());
  for (std::size_t k = 0; k < size; ++k)
    expect(earlier[k] == p[k] && later[k] == q[k], "lanes are tightened one by one", seed);
}

// Both halves of tightening are convolutions: all forms of them, with vectors that differ little
// and much from label to label, against the definition.
template <class Value>
void lane_convolutions(const Kernels<Value>& level, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 2, seed % 10 == 0 ? 280 : 50), lanes = level.lanes;
  const ConvexTable table = any_kind(random, labels);
  const ShapePair<Value> shapes(table);
  const std::size_t size = static_cast<std::size_t>(labels * lanes);
  AlignedArray<Value> weight(static_cast<std::size_t>(lanes)), earlier(size), later(size),
      scratch(static_cast<std::size_t>(wavefront_scratch_size(labels, lanes)));
  const int spread = random.below(2) == 0 ? 30 : 30000, bend = oracles::between(random, 0, 9);
  for (int k = 0; k < lanes; ++k) {
    weight[k] = oracles::between(random, 0, 9);
    const int middle = oracles::between(random, 0, labels - 1);
    for (int l = 0; l < labels; ++l)
      later[l * lanes + k] =
          -oracles::between(random, 0, spread) - bend * (l - middle) * (l - middle);
  }
  const std::vector<Value> given(later.data(), later.data() + size);
  level.tighten_lanes(shapes.from_head(), shapes.from_tail(), weight.data(), earlier.data(),
                      later.data(), labels, scratch.data());
  for (int k = 0; k < lanes; ++k) {
    if (weight[k] == 0) continue;  // no edge: nobody reads this
    for (int b = 0; b < labels; ++b) {
      std::int64_t first = INT64_MAX, second = INT64_MAX;
      for (int a = 0; a < labels; ++a) {
        first = std::min<std::int64_t>(first, weight[k] * table.h(b - a) - given[a * lanes + k]);
        second =
            std::min<std::int64_t>(second, weight[k] * table.h(a - b) - earlier[a * lanes + k]);
      }
      expect(earlier[b * lanes + k] == first, "what the later node implies", seed);
      expect(later[b * lanes + k] == second, "what the earlier node implies", seed);
    }
  }
}

// Even lanes and odd ones, with and without a first lane that lies apart, each by itself.
template <class Value>
void parts_of_blocks(const Kernels<Value>& level, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 20), lanes = level.lanes, half = lanes / 2;
  const std::size_t size = static_cast<std::size_t>(labels * lanes);
  const auto random_block = [&] {
    std::vector<Value> block(size);
    for (Value& value : block) value = oracles::between(random, -1'000'000, 1'000'000);
    return block;
  };
  std::vector<Value> expected = random_block();
  AlignedArray<Value> to(size);
  std::copy(expected.begin(), expected.end(), to.data());
  const std::vector<Value> now = random_block(), before = random_block(), first = random_block();
  BlockLanes<Value> of[2];
  for (const int odd : {0, 1}) {
    const int at = random.below(2) == 0 ? 0 : half;
    const bool is_apart = random.below(2) == 0;
    of[odd].now = now.data() + at;
    of[odd].before = before.data() + at;
    of[odd].first_before = is_apart ? first.data() : nullptr;
    for (int j = 0; j < half; ++j) {
      const auto part = [&](Value value, std::int64_t units) {
        return static_cast<Value>(std::int64_t{value} * units / (1 << kPartBits));
      };
      const std::int64_t units[2] = {oracles::between(random, 0, 1 << kPartBits),
                                     oracles::between(random, 0, 1 << kPartBits)};
      using Factor = typename PartFactor<Value>::Type;
      const Factor unit = sizeof(Value) == 4 ? Factor{1} / (1 << kPartBits) : Factor{1};
      of[odd].of_now[j] = static_cast<Factor>(units[0]) * unit;
      of[odd].of_before[j] = static_cast<Factor>(units[1]) * unit;
      for (int l = 0; l < labels; ++l) {
        const int cell = l * lanes + at + j;
        const Value theirs = !is_apart ? before[cell]
                             : j == 0  ? first[l * lanes]
                                       : before[cell - 1];
        expected[l * lanes + 2 * j + odd] += part(now[cell], units[0]) + part(theirs, units[1]);
      }
    }
  }
  level.add_block_parts(of[0], of[1], to.data(), labels);
  for (std::size_t k = 0; k < size; ++k) expect(to[k] == expected[k], "each lane its parts", seed);
}

// What a run of sweeps leaves behind.
struct Trail {
  std::vector<std::int64_t> bounds;
  std::map<std::int64_t, std::vector<std::int64_t>> messages;  // tight ones, per edge
  std::vector<std::int32_t> low, high;

  bool operator==(const Trail& other) const {
    return bounds == other.bounds && messages == other.messages && low == other.low &&
           high == other.high;
  }
};

template <class Value>
Trail sweeps(const ConvexProblem& problem, int threads, int pairs) {
  Control control;
  Trail trail;
  trail.low.assign(problem.low.size(), -1);
  trail.high = trail.low;
  const BandNote note{problem.graph.nodes(), 100, trail.low.data(), trail.high.data()};
  const auto messages = find_backend("cpu").make<Value>(problem, kScale, threads, control);
  messages->load(problem, control);
  for (int k = 0; k < pairs; ++k) {
    trail.bounds.push_back(messages->sweep(false, nullptr, control));
    trail.bounds.push_back(messages->sweep(true, &note, control));
  }
  messages->edges().for_each_tight(problem, [&](const EdgeMessages<Value>& edge) {
    std::vector<std::int64_t>& both = trail.messages[edge.edge];
    for (int l = 0; l < problem.labels; ++l) both.push_back(edge.p[l]);
    for (int l = 0; l < problem.labels; ++l) both.push_back(edge.q[l]);
  });
  return trail;
}

// Two tables, one of them unused, are not for the wavefront.
ConvexProblem label_by_label(ConvexProblem problem) {
  problem.tables.push_back(problem.tables.front());
  problem.table_of_edge.assign(problem.weight.size(), 0);
  return problem;
}

std::vector<std::int64_t> scalar_bounds(const ConvexProblem& problem, int pairs) {
  const Energy energy{problem.graph, problem.labels, problem.unary.base(), problem.weight.data(),
                      problem.tables.front().h};
  ScalarTrws<std::int32_t> scalar(energy, kScale);
  std::vector<std::int64_t> bounds;
  for (int k = 0; k < 2 * pairs; ++k) bounds.push_back(scalar.sweep(k % 2 == 1));
  return bounds;
}

void one_order_for_all(const std::vector<const Level*>& levels, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int height = oracles::between(random, 2, 40), width = oracles::between(random, 1, 30),
            labels = oracles::between(random, 2, seed % 8 == 0 ? 60 : 20);
  const Neighbourhood graph = oracles::grid(height, width);
  ConvexProblem problem = oracles::random_problem(random, graph, labels, {});
  problem.tables = {seed % 4 < 2 ? random_table(random, labels, random.below(2) == 0)
                                 : any_kind(random, labels)};
  const bool all_on = seed % 2 == 0;
  if (all_on)
    for (std::int32_t& w : problem.weight) w = std::max(w, 1);
  Trail first;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    choose_level(*levels[k]);
    const Trail wavefront = sweeps<std::int32_t>(problem, 1, 4);
    if (k == 0) first = wavefront;
    expect(wavefront == first, "every level has the same wavefront", seed);
    expect(sweeps<std::int64_t>(problem, 1, 4) == first, "the same in 64 bits", seed);
    expect(sweeps<std::int32_t>(label_by_label(problem), 1, 4) == first,
           "the wavefront is raster order", seed);
    expect(sweeps<std::int64_t>(label_by_label(problem), 1, 4) == first, "raster order in 64 bits",
           seed);
    if (all_on)
      expect(first.bounds == scalar_bounds(problem, 4), "the bounds of the plain sweep", seed);
  }
  choose_best_level();
}

void threads_do_not_matter(const std::vector<const Level*>& levels) {
  Random random(11);
  const Neighbourhood graph = oracles::grid(150, 90);
  ConvexProblem problem = oracles::random_problem(random, graph, 32, {false, true, false, true});
  for (const Level* level : levels) {
    choose_level(*level);
    const Trail alone = sweeps<std::int32_t>(problem, 1, 2);
    for (const int threads : {2, 3, 8}) {
      expect(sweeps<std::int32_t>(problem, threads, 2) == alone, "threads on the wavefront");
      expect(sweeps<std::int64_t>(label_by_label(problem), threads, 2) == alone,
             "threads label by label");
    }
  }
  choose_best_level();
}

// The messages that a walk shows, per edge, the edges that each node sees, in their order, and all
// messages after a walk that changes those it shows.
struct Walk {
  std::vector<std::vector<std::int64_t>> messages;
  std::vector<std::vector<std::int64_t>> seen;
  std::vector<std::int64_t> after;
};

Walk shared_walk(const ConvexProblem& problem, const std::vector<std::uint8_t>& chosen,
                 EdgeOrder order, int threads) {
  Control control;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, threads, control);
  messages->load(problem, control);
  for (const bool forward : {false, true}) messages->sweep(forward, nullptr, control);
  Walk walk{std::vector<std::vector<std::int64_t>>(problem.weight.size()),
            std::vector<std::vector<std::int64_t>>(chosen.size()),
            {}};
  const int most = messages->edges().tight_threads();
  // No longer tight: a walk over some edges must not touch the others, whatever lies beside them.
  const auto change = [&](const EdgeMessages<std::int32_t>& edge) {
    for (int l = 0; l < problem.labels; ++l) edge.p[l] -= (l % 5) * 40, edge.q[l] -= (l % 3) * 70;
  };
  messages->edges().for_each_tight(problem, change);
  // No lock: edges that are shown at the same time share no node.
  messages->edges().share_tight(
      problem, chosen.data(), order, control,
      [&](const EdgeMessages<std::int32_t>& edge, int thread) {
        expect(thread >= 0 && thread < most, "threads are numbered from 0");
        std::vector<std::int64_t>& both = walk.messages[static_cast<std::size_t>(edge.edge)];
        expect(both.empty(), "an edge is shown once");
        for (int l = 0; l < problem.labels; ++l) both.push_back(edge.p[l]);
        for (int l = 0; l < problem.labels; ++l) both.push_back(edge.q[l]);
        for (const std::int32_t i : {problem.graph.tail(edge.edge), problem.graph.head(edge.edge)})
          walk.seen[static_cast<std::size_t>(i)].push_back(edge.edge);
        change(edge);
      });
  for (std::size_t e = 0; e < problem.weight.size(); ++e)
    for (int l = 0; l < problem.labels; ++l)
      walk.after.push_back(messages->edges().to_later(static_cast<std::int64_t>(e))[l]);
  return walk;
}

void walks_can_be_shared(const std::vector<const Level*>& levels, const Neighbourhood& graph) {
  Random random(5);
  const ConvexProblem problem =
      oracles::random_problem(random, graph, 32, {false, true, false, true});
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(graph.nodes()));
  for (std::uint8_t& is : chosen) is = random.below(5) == 0;
  Walk first;
  for (const Level* level : levels) {
    choose_level(*level);
    for (const EdgeOrder order : {EdgeOrder::fixed, EdgeOrder::any})
      for (const int threads : {1, 2, 5}) {
        const Walk walk = shared_walk(problem, chosen, order, threads);
        if (first.seen.empty()) first = walk;
        expect(walk.messages == first.messages, "every level shows the same messages", threads);
        expect(walk.after == first.after, "and leaves the same ones", threads);
        expect(order == EdgeOrder::any || walk.seen == first.seen,
               "nodes see their edges in the same order", threads);
      }
  }
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    expect(first.messages[static_cast<std::size_t>(e)].empty() ==
               !(problem.weight[static_cast<std::size_t>(e)] > 0 &&
                 (chosen[static_cast<std::size_t>(graph.tail(e))] ||
                  chosen[static_cast<std::size_t>(graph.head(e))])),
           "the edges of chosen variables are shown", e);
  choose_best_level();
}

// Large enough for unary terms to be given back.
void unary_terms_come_back() {
  Random random(7);
  const Neighbourhood graph = oracles::grid(1030, 512);
  ConvexProblem problem = oracles::random_problem(random, graph, 16, {});
  Control control;
  const auto make = [&] {
    auto messages = find_backend("cpu").make<std::int64_t>(problem, kScale, 2, control);
    messages->load(problem, control);
    return messages;
  };
  const auto both = [&](Messages& messages) {
    const std::int64_t bound = messages.sweep(false, nullptr, control);
    return std::pair(bound, messages.sweep(true, nullptr, control));
  };
  const auto kept = make(), aside = make();
  expect(both(*kept) == both(*aside), "the same to begin with");
  kept->load(problem, control);
  aside->load(problem, control);
  aside->set_unary_aside();
  aside->bring_unary_back(problem, control);
  expect(!aside->was_changed(0) && !aside->was_changed(77), "nobody has changed by that");
  expect(both(*kept) == both(*aside), "unary terms come back");
  aside->set_unary_aside();
  aside->load(problem, control);
  expect(both(*kept) == both(*aside), "or are loaded again");
}

void bounds_are_bounds(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int nodes = oracles::between(random, 1, 6), labels = oracles::between(random, 2, 4);
  const bool is_grid = seed % 2 == 0;
  const Neighbourhood graph =
      is_grid ? oracles::grid(2, (nodes + 1) / 2)
              : oracles::random_graph(random, nodes, oracles::between(random, 0, 9));
  const ConvexProblem problem = oracles::random_problem(
      random, graph, labels, {!is_grid, random.below(2) == 0, false, false});
  const std::int64_t best = oracles::brute_force(problem, problem.low, problem.high);
  const Trail trail = sweeps<std::int32_t>(problem, 1, 10);
  for (std::size_t k = 0; k < trail.bounds.size(); ++k) {
    expect(trail.bounds[k] <= kScale * best, "no bound exceeds the optimum", seed);
    if (k > 0) expect(trail.bounds[k] >= trail.bounds[k - 1], "no bound falls", seed);
  }
}

}  // namespace

int main() {
  std::vector<const Level*> levels;
  for (const Level* const* level = available_levels(); *level; ++level) levels.push_back(*level);
  for (const std::int32_t lanes : {4, 8, 16, 32})
    expect(std::any_of(levels.begin(), levels.end(),
                       [&](const Level* level) { return level->narrow.lanes == lanes; }),
           "every width is there on every machine");
#ifdef __aarch64__
  choose_best_level();
  expect(chosen_level().name == std::string("neon"), "NEON is chosen where it is");
#endif
  for (const Level* level : levels)
    for (std::int64_t seed = 0; seed < 500; ++seed) {
      convolutions(level->narrow, seed);
      convolutions(level->wide, seed);
      tightening(level->narrow, seed);
      tightening(level->wide, seed);
      lane_convolutions(level->narrow, seed);
      lane_convolutions(level->wide, seed);
      parts_of_blocks(level->narrow, seed);
      parts_of_blocks(level->wide, seed);
    }
  for (std::int64_t seed = 0; seed < 60; ++seed) one_order_for_all(levels, seed);
  threads_do_not_matter(levels);
  walks_can_be_shared(levels, oracles::grid(150, 90));
  walks_can_be_shared(levels, oracles::volume(1, 70, 45, 2));  // 8 neighbours
  walks_can_be_shared(levels, oracles::volume(5, 20, 17, 3));  // 26
  unary_terms_come_back();
  for (std::int64_t seed = 0; seed < 2000; ++seed) bounds_are_bounds(seed);
}
