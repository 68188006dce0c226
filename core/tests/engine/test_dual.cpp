// The form in which the fast engine solves a problem: the same solutions, and the same energies but
// for a constant.
#include "rangemoves/engine/dual.hpp"

#include <set>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

std::set<Labelling> minimisers(const ConvexProblem& problem, const std::vector<std::int32_t>& low,
                               const std::vector<std::int32_t>& high) {
  const std::int64_t best = oracles::brute_force(problem, low, high);
  std::set<Labelling> found;
  oracles::for_each_labelling(low, high, [&](const Labelling& x) {
    if (problem.energy(x) == best) found.insert(x);
  });
  return found;
}

void normal_forms(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph = oracles::random_graph(random, 5, 7);
  const ConvexProblem given =
      oracles::random_problem(random, graph, 4, {seed % 2 == 0, seed % 3 == 0, true, false});
  const ConvexProblem normal = normal_form(given);
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    expect(normal.weight[e] == 0 ||
               (normal.takes_part(graph.tail(e)) && normal.takes_part(graph.head(e))),
           "edges join variables that take part", seed);
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    expect(normal.takes_part(i) == given.takes_part(i) &&
               (!normal.takes_part(i) || (normal.low[i] == 0 && normal.high[i] == 3)),
           "those that take part may have all labels", seed);
  const std::int64_t constant = given.energy(given.low) - normal.energy(given.low);
  oracles::for_each_labelling(given.low, given.high, [&](const Labelling& x) {
    expect(given.energy(x) == normal.energy(x) + constant, "the same energies", seed);
  });
  expect(minimisers(given, given.low, given.high) == minimisers(normal, normal.low, normal.high),
         "the same solutions", seed);
}

// After a move there are messages to certify a bound with.
void leaves_messages() {
  Random random(1);
  const Neighbourhood graph = oracles::grid(3, 3);
  DualEngine engine{EngineOptions{}};
  expect(engine.name() == "dual" && engine.dual().messages == nullptr, "none before a move");
  Control control;
  engine.solve(oracles::random_problem(random, graph, 4, {}), Labelling(9, 0), control);
  expect(engine.dual().messages != nullptr && engine.dual().scale >= 1, "some after it");
}

// Moves of one problem, each with `labels` of its labels, counted from another one each time. Of
// the variables all take part, or most of those between two columns.
class Windows {
 public:
  Windows(std::int64_t seed, int height, int width, int all_labels, int labels)
      : random_(static_cast<std::uint64_t>(seed)),
        graph_(oracles::grid(height, width)),
        labels_(labels),
        whole_(oracles::random_problem(random_, graph_, all_labels, {})) {}

  ConvexProblem at(int first, bool all_take_part) {
    ConvexProblem problem{
        graph_, labels_, oracles::no_costs(graph_, labels_), whole_.weight, {}, {}, {}, {}};
    problem.tables.emplace_back(oracles::linear_beyond(labels_, 2, 3));
    problem.first_label = first;
    const int width = graph_.topology().width, left = between(0, width - 1),
              right = between(left, width - 1);
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      for (int l = 0; l < labels_; ++l) problem.unary.set(i, l, whole_.unary(i, first + l));
      problem.low.push_back(0);
      const bool between_them = left <= i % width && i % width <= right;
      const bool takes_part = all_take_part || (between_them && between(0, 3) > 0);
      problem.high.push_back(takes_part ? labels_ - 1 : 0);
    }
    return problem;
  }
  int between(int low, int high) { return oracles::between(random_, low, high); }
  Labelling lowest() const { return Labelling(static_cast<std::size_t>(graph_.nodes()), 0); }

 private:
  Random random_;
  Neighbourhood graph_;
  int labels_;
  ConvexProblem whole_;
};

// Messages go on to the labels of the next move: the answers are the same.
void labels_of_moves_differ(std::int64_t seed) {
  // One strip of rows that are swept together, or several.
  Windows windows(seed, seed % 3 == 0 ? 40 : 5, 6, 12, 4);
  EngineOptions options;
  options.ties = seed % 2 == 0 ? Ties::highest : Ties::keep;
  DualEngine engine{options};
  ReferenceEngine reference{options};
  Control control;
  for (int move = 0; move < 6; ++move) {
    const ConvexProblem problem = windows.at(windows.between(0, 8), move % 3 == 0);
    const MoveSolution found = engine.solve(problem, windows.lowest(), control),
                       expected = reference.solve(problem, windows.lowest(), control);
    expect(found.proven && found.energy == expected.energy, "the best labelling", seed);
    if (options.ties == Ties::highest)
      expect(found.labels == expected.labels, "the highest of the best", seed);
  }
}

// Moves that go up through the labels need fewer sweeps where messages go with the labels.
void messages_follow_labels() {
  double sweeps[2];
  for (const bool told : {false, true}) {
    Windows windows(3, 40, 50, 30, 8);
    DualEngine engine{EngineOptions{}};
    Control control;
    for (int first = 0; first + 8 <= 30; ++first) {
      ConvexProblem problem = windows.at(first, true);
      if (!told) problem.first_label = 0;
      engine.solve(std::move(problem), windows.lowest(), control);
    }
    sweeps[told] = engine.statistics().at("sweeps");
  }
  expect(sweeps[1] < 0.9 * sweeps[0], "fewer sweeps");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 200; ++seed) normal_forms(seed);
  leaves_messages();
  for (std::int64_t seed = 0; seed < 300; ++seed) labels_of_moves_differ(seed);
  messages_follow_labels();
  return 0;
}
