// The message kernels against a plain TRW-S, to the digit, for every instruction set this machine
// has. With --ratio: how much faster than the plain one they are, on a problem like Venus.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "check.hpp"
#include "oracle_trws.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"
#include "rangemoves/run/random.hpp"

namespace {

using namespace rangemoves;

struct Problem {
  Neighbourhood graph;
  int labels;
  std::vector<std::int32_t> unary, weights;
  Table g;

  Energy energy() const { return {graph, labels, costs(), weights.data(), g}; }
  CostView costs() const { return {unary.data(), labels}; }

  ConvexProblem for_sweeps() const {
    const std::size_t n = static_cast<std::size_t>(graph.nodes());
    return {graph,
            labels,
            {costs(), graph.nodes(), labels},
            weights,
            {ConvexTable::of_any(g)},
            {},
            std::vector<std::int32_t>(n, 0),
            std::vector<std::int32_t>(n, labels - 1)};
  }
};

Table truncated(int labels, int power, std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t d = 1 - labels; d < labels; ++d)
    values.push_back(std::min<std::int64_t>(power == 1 ? std::abs(d) : d * d, most));
  return Table(values);
}

Table any_table(int labels, Random& random) {
  std::vector<std::int64_t> values;
  for (int d = 1 - labels; d < labels; ++d)
    values.push_back(static_cast<std::int64_t>(random.below(40)));
  return Table(values);
}

// Convex near zero, concave beyond, a different one on either side.
Table robust_table(int labels, Random& random) {
  Table g(std::vector<std::int64_t>(static_cast<std::size_t>(2 * labels - 1), 0));
  for (const int side : {-1, 1}) {
    std::int64_t slope = 0;
    const int turn = static_cast<int>(random.below(static_cast<std::uint64_t>(labels)));
    for (int d = 1; d < labels; ++d) {
      const std::int64_t change = static_cast<std::int64_t>(random.below(4));
      slope = d <= turn ? slope + change : std::max<std::int64_t>(0, slope - change);
      g.at(side * d) = g(side * (d - 1)) + slope;
    }
  }
  return g;
}

Problem grid(int height, int width, int labels, Table g, Random& random, int most_weight = 6) {
  std::vector<std::int32_t> tail, head, unary, weights;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int32_t i = y * width + x;
      if (x + 1 < width) tail.push_back(i), head.push_back(i + 1);
      if (y + 1 < height) tail.push_back(i), head.push_back(i + width);
    }
  for (int k = 0; k < height * width * labels; ++k)
    unary.push_back(static_cast<std::int32_t>(random.below(60)));
  for (std::size_t e = 0; e < tail.size(); ++e)
    weights.push_back(1 + static_cast<std::int32_t>(random.below(most_weight)));
  return {Neighbourhood(height * width, tail, head, width), labels, unary, weights, std::move(g)};
}

Problem any_graph(int nodes, int edges, int labels, Table g, Random& random) {
  std::vector<std::int32_t> tail, head, unary, weights;
  while (static_cast<int>(tail.size()) < edges) {
    const auto i = static_cast<std::int32_t>(random.below(nodes)),
               j = static_cast<std::int32_t>(random.below(nodes));
    if (i == j) continue;
    tail.push_back(i);
    head.push_back(j);
    weights.push_back(1 + static_cast<std::int32_t>(random.below(6)));
  }
  for (int k = 0; k < nodes * labels; ++k)
    unary.push_back(static_cast<std::int32_t>(random.below(60)));
  return {Neighbourhood(nodes, tail, head, 0), labels, unary, weights, std::move(g)};
}

template <class Value>
void same_bounds_and_labels_of(const Problem& problem, int threads) {
  constexpr std::int64_t scale = 64;
  const Energy energy = problem.energy();
  const ConvexProblem for_sweeps = problem.for_sweeps();
  Control control;
  ScalarTrws<Value> plain(energy, scale);
  const auto messages = find_backend("cpu").make<Value>(for_sweeps, scale, threads, control);
  messages->load(for_sweeps, control);
  Labelling x(static_cast<std::size_t>(problem.graph.nodes()), 0);
  for (int k = 0; k < 4; ++k) {
    for (const bool forward : {true, false})
      expect(messages->sweep(forward, nullptr, control) == plain.sweep(forward),
             "the bound of a sweep is the plain one's");
    messages->decode(for_sweeps, x, control);
    expect(x == plain.decode(), "the labelling is the plain one's");
  }
}

void same_bounds_and_labels(const Problem& problem, int threads) {
  same_bounds_and_labels_of<std::int32_t>(problem, threads);
  same_bounds_and_labels_of<std::int64_t>(problem, threads);
}

void kernels_agree_with_the_plain_sweep() {
  for (const Level* const* level = available_levels(); *level; ++level) {
    choose_level(**level);
    Random random(7);
    for (const int labels : {2, 3, 7, 16, 21, 40}) {
      const Table tables[] = {truncated(labels, 2, 9),      truncated(labels, 1, 2),
                              truncated(labels, 2, 10000),  any_table(labels, random),
                              robust_table(labels, random), robust_table(labels, random)};
      for (const Table& g : tables) {
        same_bounds_and_labels(grid(11, 19, labels, g, random), 1);
        same_bounds_and_labels(grid(1, 30, labels, g, random), 1);
        same_bounds_and_labels(any_graph(40, 100, labels, g, random), 1);
      }
    }
    same_bounds_and_labels(grid(150, 140, 21, truncated(21, 2, 9), random), 3);
    same_bounds_and_labels(any_graph(30000, 60000, 16, truncated(16, 1, 3), random), 3);
  }
  choose_best_level();
}

void one_sweep_solves_a_chain() {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Problem problem = grid(1, 12, 9, robust_table(9, random), random);
    const ConvexProblem for_sweeps = problem.for_sweeps();
    Control control;
    const auto messages = make_messages(for_sweeps, {1, false}, {}, control);
    messages->load(for_sweeps, control);
    Labelling x(12, 0);
    const std::int64_t bound = messages->sweep(false, nullptr, control);
    messages->decode(for_sweeps, x, control);
    expect(problem.energy()(x) == bound, "the bound of a chain is the energy of its labelling");
  }
}

// A forest with its nodes numbered at random: a node hangs on one of the `reach` before it, or now
// and then on none.
Problem forest(int nodes, int reach, int labels, Table g, std::int64_t most_weight,
               Random& random) {
  std::vector<std::int32_t> name, tail, head, unary, weights;
  for (int i = 0; i < nodes; ++i) name.push_back(i);
  for (std::size_t k = name.size(); k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  for (int i = 1; i < nodes; ++i) {
    if (random.below(10) == 0) continue;
    const auto back = static_cast<int>(random.below(static_cast<std::uint64_t>(reach)));
    const std::int32_t a = name[i], b = name[std::max(0, i - 1 - back)];
    const bool turned = random.below(2) == 0;
    tail.push_back(turned ? b : a);
    head.push_back(turned ? a : b);
    weights.push_back(
        1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(most_weight))));
  }
  for (int k = 0; k < nodes * labels; ++k)
    unary.push_back(static_cast<std::int32_t>(random.below(60)));
  return {Neighbourhood(nodes, tail, head, 0), labels, unary, weights, std::move(g)};
}

Problem star(int leaves, int labels, Table g, std::int64_t most_weight, Random& random) {
  std::vector<std::int32_t> tail, head, unary, weights;
  for (int i = 0; i <= leaves; ++i) {
    for (int l = 0; l < labels; ++l) unary.push_back(static_cast<std::int32_t>(random.below(60)));
    if (i == leaves / 2) continue;
    tail.push_back(i);
    head.push_back(leaves / 2);
    weights.push_back(
        1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(most_weight))));
  }
  return {Neighbourhood(leaves + 1, tail, head, 0), labels, unary, weights, std::move(g)};
}

// The least energy of a forest, from the leaves up.
std::int64_t least_energy(const Problem& problem) {
  const Neighbourhood& graph = problem.graph;
  const int labels = problem.labels;
  const auto n = static_cast<std::size_t>(graph.nodes());
  std::vector<std::int32_t> order, up(n, -1);
  std::vector<std::uint8_t> reached(n, 0);
  for (std::int32_t root = 0; root < graph.nodes(); ++root) {
    if (reached[root]) continue;
    reached[root] = 1;
    order.push_back(root);
    for (std::size_t k = order.size() - 1; k < order.size(); ++k)
      for (const Incidence* at = graph.begin(order[k]); at != graph.end(order[k]); ++at)
        if (!reached[at->other]) {
          reached[at->other] = 1;
          up[at->other] = at->edge;
          order.push_back(at->other);
        }
  }
  std::vector<std::int64_t> cost(problem.unary.begin(), problem.unary.end());
  std::int64_t sum = 0;
  for (std::size_t k = n; k-- > 0;) {
    const std::int32_t i = order[k];
    const std::int64_t* mine = cost.data() + std::int64_t{i} * labels;
    if (up[i] < 0) {
      sum += *std::min_element(mine, mine + labels);
      continue;
    }
    const bool is_tail = graph.tail(up[i]) == i;
    const std::int32_t parent = is_tail ? graph.head(up[i]) : graph.tail(up[i]);
    for (int b = 0; b < labels; ++b) {
      std::int64_t least = INT64_MAX;
      for (int a = 0; a < labels; ++a)
        least = std::min(least,
                         mine[a] + std::int64_t{problem.weights[static_cast<std::size_t>(up[i])]} *
                                       problem.g(is_tail ? a - b : b - a));
      cost[static_cast<std::size_t>(parent) * static_cast<std::size_t>(labels) +
           static_cast<std::size_t>(b)] += least;
    }
  }
  return sum;
}

void expect_solved(const Problem& problem, std::int64_t seed) {
  const Energy energy = problem.energy();
  const std::int64_t least = least_energy(problem);
  Control control;
  EngineOptions options;
  options.threads = 2;
  Trws trws(energy, options, control);
  for (int sweep = 0; sweep < 3; ++sweep) {
    trws.sweep(control);
    expect(trws.lower_bound() == least, "one sweep is exact without cycles", seed);
    const Trws::Decoded found = trws.decode(control);
    expect(energy(found.x) == least, "and so is its labelling", seed);
    expect(found.energy == least, "which comes with its energy", seed);
  }
}

void one_sweep_solves_a_forest() {
  Random random(13);
  for (int seed = 0; seed < 400; ++seed) {
    const int labels = 2 + static_cast<int>(random.below(9)),
              nodes = 1 + static_cast<int>(random.below(40)),
              reach = 1 + static_cast<int>(random.below(12));
    const Table g = seed % 2 ? any_table(labels, random) : robust_table(labels, random);
    // Every third one is too heavy for messages of 32 bits.
    expect_solved(forest(nodes, reach, labels, g, seed % 3 ? 8 : 1 << 30, random), seed);
  }
  expect_solved(forest(60000, 3, 12, robust_table(12, random), 8, random), 1000);
  // A hub, whose belief holds a message of every leaf.
  for (const std::int64_t most : {1, 1 << 20})
    expect_solved(star(66000, 5, any_table(5, random), most, random), 1001);
}

void bounds_of_large_and_negative_costs() {
  Random random(5);
  for (int k = 0; k < 200; ++k) {
    const int labels = 2 + static_cast<int>(random.below(3));
    Problem problem = grid(2, 3, labels, any_table(labels, random), random);
    for (std::int32_t& cost : problem.unary) {
      cost -= 30;
      if (random.below(4) == 0) cost = 1 << 28;  // as a label that is forbidden
    }
    for (int d = 1 - labels; d < labels; ++d) problem.g.at(d) -= 15;
    const Energy energy = problem.energy();
    std::int64_t best = INT64_MAX;
    Labelling x(6, 0);
    for (bool more = true; more;) {
      best = std::min(best, energy(x));
      int i = 0;
      while (i < 6 && ++x[i] == labels) x[i++] = 0;
      more = i < 6;
    }
    Control control;
    Trws trws(energy, {}, control);
    for (int sweep = 0; sweep < 20; ++sweep) {
      expect(trws.lower_bound() <= best, "a bound is never above the optimum");
      trws.sweep(control);
      const Trws::Decoded found = trws.decode(control);
      expect(found.energy == energy(found.x), "a labelling comes with its energy");
      expect(found.energy >= best, "no labelling is below the optimum");
    }
  }
}

// Costs that are new in one place: bounds are those of the new costs, and what is swept there
// brings the bound nearer to where it ends than one sweep over all would.
void new_costs(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  // Few rows fill no vectors: that part is swept label by label.
  const bool few_rows = seed % 2 == 1;
  const int width = few_rows ? 1500 : 90, top = few_rows ? 0 : 20, side = few_rows ? 4 : 20;
  Problem problem = grid(few_rows ? 4 : 80, width, 8, robust_table(8, random), random);
  const auto change = [&] {
    for (int y = top; y < top + side; ++y)
      for (int k = 30 * 8; k < 50 * 8; ++k)
        problem.unary[static_cast<std::size_t>(y * width * 8 + k)] =
            static_cast<std::int32_t>(random.below(90));
  };
  const Energy energy = problem.energy();
  Control control;
  Trws trws(energy, {}, control), plainly(energy, {}, control);
  for (Trws* each : {&trws, &plainly})
    for (int k = 0; k < 30; ++k) each->sweep(control);
  change();
  const Energy other = problem.energy();
  expect(trws.take(other, control) && plainly.take(other, control), "messages stay", seed);
  trws.sweep_near_new_costs(0.1, control);
  plainly.sweep(control);
  Trws fresh(other, {}, control);
  for (int k = 0; k < 60; ++k) fresh.sweep(control);
  const double reached = trws.exact_bound(), without = plainly.exact_bound(),
               end = fresh.exact_bound();
  expect(reached > without, "more than one sweep brings", seed);
  const Trws::Decoded found = trws.decode(control);
  expect(found.energy == other(found.x), "a labelling comes with its energy", seed);
  expect(static_cast<double>(found.energy) >= reached, "no bound is above an energy", seed);
  expect(end - reached < 0.3 * (end - without), "most of what many bring", seed);
  // Nothing new: a sweep as any other.
  expect(trws.take(other, control) && plainly.take(other, control), "and stay", seed);
  trws.sweep(control);
  plainly.sweep_near_new_costs(0.1, control);
  expect(plainly.exact_bound() >= without, "bounds never fall", seed);
}

// Of the processor: others may run meanwhile.
double seconds_of(const std::function<void()>& work) {
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void print_ratio() {
  Random random(1);
  const Problem problem = grid(383, 434, 20, truncated(20, 2, 9), random, 1);
  const Energy energy = problem.energy();
  const ConvexProblem for_sweeps = problem.for_sweeps();
  Control control;
  ScalarTrws<std::int32_t> plain(energy, 64);
  const auto messages = make_messages(for_sweeps, {64, false}, {}, control);
  messages->load(for_sweeps, control);
  const double one = seconds_of([&] { plain.sweep(true), plain.sweep(false); });
  const double two = seconds_of(
      [&] { messages->sweep(true, nullptr, control), messages->sweep(false, nullptr, control); });
  std::printf("{\"simd\": \"%s\", \"plain_seconds\": %.6f, \"seconds\": %.6f}\n",
              chosen_level().name, one, two);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--ratio") == 0) {
    print_ratio();
    return 0;
  }
  kernels_agree_with_the_plain_sweep();
  one_sweep_solves_a_chain();
  one_sweep_solves_a_forest();
  bounds_of_large_and_negative_costs();
  for (std::int64_t seed = 0; seed < 6; ++seed) new_costs(seed);
  return 0;
}
