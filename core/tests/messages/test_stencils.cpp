// Sweeps by rows of grids with 4, 8, 6 or 26 neighbours against the same sweeps label by label, to
// the digit: bounds, messages, bands and labels, for every instruction set, width and thread count.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/aligned.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 16;

// How many coordinates of two neighbours may differ.
struct Shape {
  int depth, height, width, reach;
};

struct Edges {
  std::vector<std::int32_t> tail, head, offset;
};

// `missing`, `reversed`: of a hundred edges. Edges come in no particular order.
Edges edges_of(Random& random, const Shape& shape, int missing, int reversed) {
  struct Edge {
    std::int32_t tail, head, offset;
  };
  std::vector<Edge> edges;
  for (int z = 0; z < shape.depth; ++z)
    for (int y = 0; y < shape.height; ++y)
      for (int x = 0; x < shape.width; ++x)
        for (std::int32_t o = 0; o < kMostOffsets; ++o) {
          const auto [dz, dy, dx] = kStencil26[o];
          if (dz + std::abs(dy) + std::abs(dx) > shape.reach) continue;
          if (z + dz >= shape.depth || y + dy < 0 || y + dy >= shape.height || x + dx < 0 ||
              x + dx >= shape.width || oracles::between(random, 0, 99) < missing)
            continue;
          Edge edge{(z * shape.height + y) * shape.width + x,
                    ((z + dz) * shape.height + y + dy) * shape.width + x + dx, o};
          if (oracles::between(random, 0, 99) < reversed) std::swap(edge.tail, edge.head);
          edges.push_back(edge);
        }
  for (std::size_t k = edges.size(); k > 1; --k) std::swap(edges[k - 1], edges[random.below(k)]);
  Edges lists;
  for (const Edge& edge : edges) {
    lists.tail.push_back(edge.tail);
    lists.head.push_back(edge.head);
    lists.offset.push_back(edge.offset);
  }
  return lists;
}

// Every offset's edges in one direction, but not all offsets in the same.
void turn_offsets(Random& random, Edges& edges) {
  std::vector<std::uint8_t> turned;
  for (std::int32_t o = 0; o < kMostOffsets; ++o)
    turned.push_back(static_cast<std::uint8_t>(random.below(2)));
  for (std::size_t e = 0; e < edges.tail.size(); ++e)
    if (turned[static_cast<std::size_t>(edges.offset[e])]) std::swap(edges.tail[e], edges.head[e]);
}

ConvexTable any_table(Random& random, int labels, bool symmetric) {
  switch (random.below(4)) {
    case 0:
      return ConvexTable(oracles::linear_beyond(labels, oracles::between(random, 1, 9), 2));
    case 1: {  // truncated, as sweeps on a prior have it
      std::vector<std::int64_t> values;
      const std::int64_t most = oracles::between(random, 1, 40);
      for (std::int64_t d = 1 - labels; d < labels; ++d) values.push_back(std::min(d * d, most));
      return ConvexTable::of_any(Table(values));
    }
    case 2: {
      Table g(std::vector<std::int64_t>(static_cast<std::size_t>(2 * labels - 1), 0));
      for (int d = 0; d < labels; ++d) {
        g.at(d) = oracles::between(random, 0, 30);
        g.at(-d) = symmetric || d == 0 ? g(d) : oracles::between(random, 0, 30);
      }
      return ConvexTable::of_any(g);
    }
    default:
      return ConvexTable(oracles::random_convex(random, labels, random.below(2) == 0, symmetric));
  }
}

// Some edges off, some variables out.
void switch_off(Random& random, ConvexProblem& problem) {
  const Neighbourhood& graph = problem.graph;
  const std::uint64_t one_of = 2 + random.below(20);
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    problem.high[i] = problem.labels - 1;
    if (random.below(one_of) != 0) continue;
    problem.high[i] = problem.low[i];
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) problem.weight[n->edge] = 0;
  }
}

// What a run leaves behind.
struct Trail {
  std::vector<std::int64_t> bounds;
  std::vector<double> messages;
  std::map<std::int64_t, std::vector<std::int64_t>> tight;
  std::vector<std::int32_t> low, high;
  Labelling x;

  bool operator==(const Trail& other) const {
    return bounds == other.bounds && messages == other.messages && tight == other.tight &&
           low == other.low && high == other.high && x == other.x;
  }
};

template <class Value>
void sweep_on(MessagesOf<Value>& messages, const ConvexProblem& problem, int pairs, Trail& trail) {
  Control control;
  const BandNote note{problem.graph.nodes(), 100, trail.low.data(), trail.high.data()};
  std::vector<double> message(static_cast<std::size_t>(problem.labels));
  const auto read = [&] {
    for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
      if (problem.weight[e] == 0) continue;
      messages.read(e, message.data());
      trail.messages.insert(trail.messages.end(), message.begin(), message.end());
    }
  };
  messages.load(problem, control);
  for (int k = 0; k < pairs; ++k) {
    trail.bounds.push_back(messages.sweep(true, k % 2 ? &note : nullptr, control));
    read();
    trail.bounds.push_back(messages.sweep(false, k % 2 ? nullptr : &note, control));
    read();
  }
  messages.decode(problem, trail.x, control);
  messages.snapshot();
  trail.bounds.push_back(messages.sweep(true, nullptr, control));
  messages.restore();
  trail.bounds.push_back(messages.sweep(true, nullptr, control));
  messages.edges().for_each_tight(problem, [&](const EdgeMessages<Value>& edge) {
    std::vector<std::int64_t>& both = trail.tight[edge.edge];
    for (int l = 0; l < problem.labels; ++l) {
      both.push_back(edge.p[l]);
      both.push_back(edge.q[l]);
      edge.q[l] = static_cast<Value>(edge.q[l] + (l * 7 + edge.edge) % 5);
    }
  });
  trail.bounds.push_back(messages.sweep(false, nullptr, control));
  read();
  // A backward sweep after messages were set in any other way.
  messages.snapshot();
  messages.sweep(true, nullptr, control);
  messages.restore();
  trail.bounds.push_back(messages.sweep(false, nullptr, control));
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
    if (problem.weight[e] == 0) continue;
    for (int l = 0; l < problem.labels; ++l)
      message[static_cast<std::size_t>(l)] = static_cast<double>((l * 5 + e) % 11);
    messages.write(e, message.data());
  }
  trail.bounds.push_back(messages.sweep(false, nullptr, control));
  read();
  // Nobody asks for the band of a variable that does not take part.
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (!problem.takes_part(i)) trail.low[i] = trail.high[i] = -1;
}

enum class Layout { by_label, by_rows, wavefront };

template <class Value>
std::unique_ptr<MessagesOf<Value>> make(Layout layout, const ConvexProblem& problem, int threads,
                                        Control& control) {
  if (layout == Layout::by_label)
    return make_label_messages<Value>(problem, kScale, threads, control);
  return layout == Layout::by_rows
             ? make_stencil_messages<Value>(problem, kScale, threads, control)
             : make_wavefront_messages<Value>(problem, kScale, threads, control);
}

// One problem, and then another on the messages of the first.
void expect_same(const Trail& trail, const Trail& truth, std::int64_t seed) {
  expect(trail.bounds == truth.bounds, "4 neighbours: bounds", seed);
  expect(trail.messages == truth.messages, "4 neighbours: messages", seed);
  expect(trail.tight == truth.tight, "4 neighbours: tight messages", seed);
  expect(trail.low == truth.low && trail.high == truth.high, "4 neighbours: band", seed);
  expect(trail.x == truth.x, "4 neighbours: labels", seed);
}

template <class Value>
Trail sweeps(const ConvexProblem& first, const ConvexProblem& second, Layout layout, int threads) {
  Control control;
  Trail trail;
  trail.low.assign(first.low.size(), -1);
  trail.high = trail.low;
  trail.x.assign(first.low.size(), 0);
  for (std::size_t i = 0; i < trail.x.size(); ++i)
    trail.x[i] = static_cast<std::int32_t>(i) % first.labels;
  const auto messages = make<Value>(layout, first, threads, control);
  sweep_on(*messages, first, 2, trail);
  expect(messages->accepts(second), "the next problem is taken too");
  sweep_on(*messages, second, 1, trail);
  return trail;
}

// Problems that both ways know.
struct Pair {
  Neighbourhood graph;
  ConvexProblem first, second;

  Pair(Random& random, const Shape& shape, int labels, int missing)
      : Pair(random, shape, labels, missing, static_cast<int>(random.below(4))) {}

 private:
  // kind: one table, symmetric, edges in any direction; one table, all edges forward; one table,
  // every offset in its own direction; a table and a direction for each offset.
  Pair(Random& random, const Shape& shape, int labels, int missing, int kind)
      : Pair(random, shape, labels, kind, [&] {
          Edges edges = edges_of(random, shape, missing, kind == 0 ? 50 : 0);
          if (kind > 1) turn_offsets(random, edges);
          return edges;
        }()) {}

  Pair(Random& random, const Shape& shape, int labels, int kind, Edges edges)
      : graph(shape.depth * shape.height * shape.width, edges.tail, edges.head, shape.width),
        first(oracles::random_problem(random, graph, labels, {})),
        second(first) {
    first.tables.clear();
    if (kind < 3) {
      first.tables.push_back(any_table(random, labels, kind == 0));
    } else {
      std::map<std::int32_t, std::int32_t> table_of;
      for (const std::int32_t o : edges.offset) {
        const auto [at, added] =
            table_of.try_emplace(o, static_cast<std::int32_t>(first.tables.size()));
        if (added) first.tables.push_back(any_table(random, labels, false));
        first.table_of_edge.push_back(at->second);
      }
      if (first.tables.empty()) first.tables.push_back(any_table(random, labels, false));
    }
    second.tables = first.tables;
    second.table_of_edge = first.table_of_edge;
    for (std::int32_t& w : second.weight)
      if (random.below(3) == 0) w = oracles::between(random, 0, 5);
    switch_off(random, first);
    switch_off(random, second);
  }
};

Shape random_shape(Random& random, std::int64_t seed) {
  const bool flat = seed % 2 == 0;
  const int most = flat ? 40 : 12;
  const int reach = flat ? oracles::between(random, 1, 2) : random.below(2) ? 1 : 3;
  return {flat ? 1 : oracles::between(random, 2, 4), oracles::between(random, 2, most),
          oracles::between(random, 2, most), reach};
}

int same_both_ways(const std::vector<const Level*>& levels, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Shape shape = random_shape(random, seed);
  const int labels = oracles::between(random, 2, seed % 10 == 0 ? 40 : 12);
  const Pair pair(random, shape, labels, seed % 3 == 0 ? 20 : 0);
  if (!fits_stencil(pair.first)) return 0;
  const Trail truth = sweeps<std::int64_t>(pair.first, pair.second, Layout::by_label, 1);
  for (const Level* level : levels) {
    choose_level(*level);
    expect(sweeps<std::int32_t>(pair.first, pair.second, Layout::by_label, 1) == truth,
           "label by label, every level", seed);
    expect(sweeps<std::int32_t>(pair.first, pair.second, Layout::by_rows, 1) == truth,
           "by rows in 32 bits", seed);
    expect(sweeps<std::int64_t>(pair.first, pair.second, Layout::by_rows, 1) == truth,
           "by rows in 64 bits", seed);
    if (!fits_wavefront(pair.first)) continue;
    expect_same(sweeps<std::int32_t>(pair.first, pair.second, Layout::wavefront, 1), truth, seed);
    expect_same(sweeps<std::int64_t>(pair.first, pair.second, Layout::wavefront, 1), truth, seed);
  }
  choose_best_level();
  return 1;
}

void threads_do_not_matter(const std::vector<const Level*>& levels) {
#ifdef RANGEMOVES_EMULATED
  constexpr int labels = 8;
#else
  constexpr int labels = 32;
#endif
  Random random(5);
  for (const Shape& shape :
       {Shape{1, 150, 90, 1}, Shape{1, 150, 90, 2}, Shape{4, 70, 50, 1}, Shape{4, 40, 80, 3}}) {
    const Pair pair(random, shape, labels, 2);
    const Trail truth = sweeps<std::int64_t>(pair.first, pair.second, Layout::by_label, 1);
    int threads = 2;
    for (const Level* level : levels) {
      choose_level(*level);
      expect(sweeps<std::int32_t>(pair.first, pair.second, Layout::by_rows, threads) == truth,
             "threads by rows", threads);
      if (fits_wavefront(pair.first))
        expect_same(sweeps<std::int32_t>(pair.first, pair.second, Layout::wavefront, threads),
                    truth, threads);
      threads = threads == 2 ? 3 : threads == 3 ? 8 : 2;
    }
    choose_best_level();
    expect(shape.reach > 1 || shape.depth > 1 || fits_wavefront(pair.first), "tried there too");
    expect(sweeps<std::int64_t>(pair.first, pair.second, Layout::by_rows, 3) == truth,
           "threads by rows in 64 bits");
  }
}

// Where edges differ in any other way, label by label it is.
void other_problems_are_refused() {
  Random random(9);
  const Shape shape{1, 20, 40, 2};
  const Edges edges = edges_of(random, shape, 0, 50);
  const Neighbourhood graph(800, edges.tail, edges.head, 40);
  ConvexProblem problem = oracles::random_problem(random, graph, 5, {true});
  expect(!fits_stencil(problem), "a table for every edge");
  problem.table_of_edge.assign(problem.weight.size(), 0);
  expect(!fits_stencil(problem), "tables in reserve");
  problem.tables.erase(problem.tables.begin() + 1, problem.tables.end());
  problem.tables.front() = ConvexTable(oracles::linear_beyond(5, 2, 1));
  expect(fits_stencil(problem), "one symmetric table");
  Table lopsided = problem.tables.front().h;
  lopsided.at(4) += 10;
  problem.tables.front() = ConvexTable::of_any(lopsided);
  expect(!fits_stencil(problem), "one that is not, in both directions");
}

// Quotients near multiples, where an inverse that is rounded would be off by one.
template <class Value>
void divisions(const Kernels<Value>& kernels) {
  Random random(3);
  const Value most = unreachable<Value> + unreachable<Value> / 2;
  const std::size_t lanes = static_cast<std::size_t>(kernels.lanes);
  AlignedArray<Value> by(lanes), value(lanes), quotient(lanes);
  const auto check = [&](Value n, Value u) {
    for (std::size_t k = 0; k < lanes; ++k) {
      by[k] = n + static_cast<Value>(k % 3);
      value[k] = std::min(most, std::max<Value>(0, u + static_cast<Value>(k % 5) - 2));
    }
    kernels.divide(value.data(), by.data(), quotient.data());
    for (std::size_t k = 0; k < lanes; ++k)
      expect(quotient[k] == value[k] / by[k], "a division", n);
  };
  for (Value n = 1; n < 60; ++n) {
    for (Value q = 0; q < 50; ++q) check(n, q * n);
    for (Value u = most; u > most - 300; --u) check(n, u);
    for (Value power = 1; power < most / 2; power *= 2) {
      check(n, power);
      check(n, power / n * n);
    }
    for (int k = 0; k < 200; ++k)
      check(n, static_cast<Value>(random.below(static_cast<std::uint64_t>(most))) / n * n);
  }
  for (int k = 0; k < 20000; ++k) {
    const Value n = 1 + static_cast<Value>(random.below((1u << 31) - 4) >> random.below(31));
    check(n, static_cast<Value>(random.below(static_cast<std::uint64_t>(most))) / n * n);
  }
}

}  // namespace

int main() {
  std::vector<const Level*> levels;
  for (const Level* const* level = available_levels(); *level; ++level) levels.push_back(*level);
  for (const Level* level : levels) {
    divisions(level->narrow);
    divisions(level->wide);
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RANGEMOVES_EMULATED)
  constexpr int seeds = 6;  // 40 of them take four minutes there
#else
  constexpr int seeds = 40;
#endif
  int tried = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) tried += same_both_ways(levels, seed);
  expect(5 * tried > 3 * seeds, "most of the problems are grids");
  threads_do_not_matter(levels);
  other_problems_are_refused();
}
