// Labels read off while the next sweep goes on: the same as one after the other, for every
// instruction set this machine has.
#include <algorithm>
#include <optional>
#include <vector>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 16;

// What kernels tell apart when they compare labels: edges that rise straight to a cap, those whose
// table fits one vector, and any other.
ConvexTable table_of(Random& random, int labels) {
  const int kind = oracles::between(random, 0, 3), most = oracles::between(random, 1, 30);
  if (kind == 0) return ConvexTable::of_any(oracles::any_table(random, labels));
  if (kind == 1) return ConvexTable(oracles::random_convex(random, labels, false, false));
  return ConvexTable::of_any(oracles::truncated(labels, kind - 1, most));
}

// The same grid with its nodes numbered anyhow.
Neighbourhood shuffled(Random& random, const Neighbourhood& grid) {
  std::vector<std::int32_t> name, tail, head;
  for (std::int32_t i = 0; i < grid.nodes(); ++i) name.push_back(i);
  for (std::size_t k = name.size(); k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  for (std::int64_t e = 0; e < grid.edges(); ++e) {
    tail.push_back(name[static_cast<std::size_t>(grid.tail(e))]);
    head.push_back(name[static_cast<std::size_t>(grid.head(e))]);
  }
  return Neighbourhood(grid.nodes(), tail, head, 0);
}

// Takes out all variables of some rows and columns, or a few here and there.
void leave_out(Random& random, int width, ConvexProblem& problem) {
  const int first = oracles::between(random, 0, 40), last = oracles::between(random, 0, 60);
  const bool scattered = random.below(2) == 0;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i) {
    const int place = i / width + i % width;
    if (scattered ? random.below(5) == 0 : place >= first && place < last)
      problem.high[static_cast<std::size_t>(i)] = 0;
  }
  for (std::int64_t e = 0; e < problem.graph.edges(); ++e)
    if (!problem.takes_part(problem.graph.tail(e)) || !problem.takes_part(problem.graph.head(e)))
      problem.weight[static_cast<std::size_t>(e)] = 0;
}

// All that decoding and sweeping leave behind, round after round.
struct Trail {
  std::vector<std::int64_t> numbers;
  std::vector<double> messages;
  bool operator==(const Trail& other) const {
    return numbers == other.numbers && messages == other.messages;
  }
};

template <class Value>
Trail rounds(const ConvexProblem& problem, int threads, bool together, std::int64_t seed) {
  Control control;
  const auto of = find_backend("cpu").make<Value>(problem, kScale, threads, control);
  of->load(problem, control);
  Trail trail;
  std::vector<double> message(static_cast<std::size_t>(problem.labels));
  const auto keep_messages = [&] {
    for (std::int64_t e = 0; e < problem.graph.edges(); ++e) {
      of->read(e, message.data());
      trail.messages.insert(trail.messages.end(), message.begin(), message.end());
    }
  };
  of->sweep(true, nullptr, control);
  for (int k = 0; k < 3; ++k) {
    trail.numbers.push_back(of->sweep(false, nullptr, control));
    keep_messages();
    Labelling x(static_cast<std::size_t>(problem.graph.nodes()), 0);
    std::optional<std::int64_t> bound;
    trail.numbers.push_back(together ? of->decode_and_sweep(problem, x, bound, control)
                                     : of->decode(problem, x, control));
    const bool is_grid = problem.graph.topology().kind == Topology::Kind::grid4;
    expect(!together || is_grid == bound.has_value(), "on grids both are one", seed);
    trail.numbers.push_back(bound ? *bound : of->sweep(true, nullptr, control));
    trail.numbers.insert(trail.numbers.end(), x.begin(), x.end());
    keep_messages();
  }
  return trail;
}

void same_together(const std::vector<const Level*>& levels, const ConvexProblem& problem,
                   std::initializer_list<int> threads, std::int64_t seed) {
  std::optional<Trail> first;
  for (const Level* level : levels) {
    choose_level(*level);
    for (const int t : threads) {
      if (!first) first = rounds<std::int32_t>(problem, t, false, seed);
      expect(rounds<std::int32_t>(problem, t, true, seed) == *first, "32 bits", seed);
      expect(rounds<std::int64_t>(problem, t, true, seed) == *first, "64 bits", seed);
    }
    expect(rounds<std::int64_t>(problem, 1, false, seed) == *first, "one after the other", seed);
  }
  choose_best_level();
}

void grids(const std::vector<const Level*>& levels, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int sizes[][2] = {{1, 30}, {30, 1}, {2, 2},   {3, 40},  {40, 3},  {8, 8},
                          {9, 5},  {16, 2}, {17, 20}, {33, 33}, {65, 12}, {70, 50}};
  const auto [height, width] = sizes[static_cast<std::size_t>(seed) % std::size(sizes)];
  const int labels = oracles::between(random, 2, 24);
  const Neighbourhood grid = oracles::grid(height, width);
  // Edges of the renumbered one run either way.
  const bool renumbered = seed % 5 == 4;
  const Neighbourhood graph = renumbered ? shuffled(random, grid) : grid;
  ConvexProblem problem = oracles::random_problem(random, graph, labels, {});
  problem.tables = {renumbered ? ConvexTable::of_any(oracles::truncated(labels, 1, 7))
                               : table_of(random, labels)};
  if (seed % 3 == 0) leave_out(random, width, problem);
  if (seed % 3 == 1)
    for (std::int32_t& w : problem.weight) w = std::max(w, 1);
  same_together(levels, problem, {1}, seed);
}

void threads_do_not_matter(const std::vector<const Level*>& levels) {
  Random random(3);
  const Neighbourhood graph = oracles::grid(150, 140);
  ConvexProblem problem = oracles::random_problem(random, graph, 21, {});
  problem.tables = {ConvexTable::of_any(oracles::truncated(21, 2, 9))};
  same_together(levels, problem, {1, 2, 3, 8}, 1000);
}

// A run of sweeps where all labellings but the last are read off while the next sweep begins ends
// where one does whose labellings are read off by themselves.
void sweeps_that_were_begun(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Neighbourhood graph = seed % 3 == 0 ? oracles::random_graph(random, 30, 60)
                                      : oracles::grid(oracles::between(random, 2, 20), 15);
  const auto owned = oracles::random_energy(random, std::move(graph),
                                            {oracles::truncated(8, 1 + (seed % 2 == 0), 5)});
  const Energy energy = owned.view();
  Control control;
  Trws together(energy, {}, control), apart(energy, {}, control);
  for (int k = 0; k < 6; ++k) {
    together.sweep(control);
    apart.sweep(control);
    expect(together.exact_bound() == apart.exact_bound(), "the same bound", seed);
    const Trws::Decoded one = together.decode_and_begin_sweep(control), two = apart.decode(control);
    expect(one.x == two.x && one.energy == two.energy, "the same labels", seed);
    expect(one.energy == energy(one.x), "with their energy", seed);
    expect(together.exact_bound() >= apart.exact_bound(), "no bound falls", seed);
  }
  // Whoever looks at the messages now finds those after a whole sweep.
  apart.sweep(control);
  if (seed % 2 == 0)
    together.restore(control);
  else
    expect(together.take(energy, control) && apart.take(energy, control), "messages stay", seed);
  const bool has_begun = energy.graph.topology().kind == Topology::Kind::grid4;
  if (!has_begun) together.sweep(control);
  expect(together.decode(control).x == apart.decode(control).x, "the same labels", seed);
  expect(together.exact_bound() >= apart.exact_bound(), "and a bound", seed);
  // Beliefs are those after a whole sweep, too.
  together.decode_and_begin_sweep(control);
  if (has_begun) apart.sweep(control);
  expect(together.beliefs(control) == apart.beliefs(control), "the same beliefs", seed);
}

}  // namespace

int main() {
  std::vector<const Level*> levels;
  for (const Level* const* level = available_levels(); *level; ++level) levels.push_back(*level);
  for (std::int64_t seed = 0; seed < 120; ++seed) grids(levels, seed);
  threads_do_not_matter(levels);
  for (std::int64_t seed = 0; seed < 60; ++seed) sweeps_that_were_begun(seed);
}
