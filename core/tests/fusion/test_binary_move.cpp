// Binary moves against all 2^k choices of those that take part, with several tables and with
// neighbours that do not take part.
#include "rangemoves/fusion/binary_move.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

struct Choice {
  std::int32_t node, zero, one;
};

std::vector<Choice> random_choices(Random& random, const Energy& energy, const Labelling& x) {
  std::vector<Choice> choices;
  for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) {
    if (random.below(3) == 0) continue;  // stays at the border of the move
    const std::int32_t other = oracles::between(random, 0, energy.labels - 1);
    if (random.below(2) == 0)
      choices.push_back({i, x[i], other});
    else
      choices.push_back({i, other, x[i]});
  }
  return choices;
}

template <class Visit>
void for_each_choice(const std::vector<Choice>& choices, const Labelling& x, Visit&& visit) {
  for (unsigned bits = 0; bits < 1u << choices.size(); ++bits) {
    Labelling y = x;
    for (std::size_t k = 0; k < choices.size(); ++k)
      y[choices[k].node] = (bits >> k & 1) ? choices[k].one : choices[k].zero;
    visit(y);
  }
}

struct Found {
  std::int64_t optimal = 0, raised = 0, undecided = 0;
};

void check_move(BinaryMove& move, const Energy& energy, const std::vector<Choice>& choices,
                Labelling& x, Nonsubmodular nonsubmodular, std::int64_t seed, Found& found) {
  move.clear();
  for (const Choice& c : choices) move.add(c.node, c.zero, c.one, c.one);
  Labelling y = x;
  for (const LabelChange& change : move.solve(x)) {
    expect(y[change.node] != change.label, "a change changes something", seed);
    y[change.node] = change.label;
  }
  std::int64_t least = INT64_MAX, least_with_changes = INT64_MAX;
  bool allowed = false;
  for_each_choice(choices, x, [&](const Labelling& z) {
    allowed = allowed || z == y;
    least = std::min(least, energy(z));
    const bool agrees =
        std::all_of(move.changes().begin(), move.changes().end(),
                    [&](const LabelChange& change) { return z[change.node] == change.label; });
    if (agrees) least_with_changes = std::min(least_with_changes, energy(z));
  });
  expect(allowed, "every label is one of the two, all others stay", seed);
  expect(move.active() == static_cast<std::int64_t>(choices.size()), "all are counted", seed);
  expect(energy(y) <= energy(x), "the energy never rises", seed);
  if (nonsubmodular == Nonsubmodular::qpbo) {
    expect(move.is_true_energy(), "QPBO raises no edge", seed);
    expect(least_with_changes == least, "some optimum has all that QPBO decided", seed);
  } else {
    expect(move.is_optimal(), "one cut decides for everybody", seed);
    if (!move.is_true_energy())
      expect(move.gain() >= 0 && energy(x) - energy(y) >= move.gain(),
             "the energy falls at least as far as that with raised edges", seed);
  }
  if (move.is_optimal() && move.is_true_energy())
    expect(energy(y) == least, "the best choice", seed);
  ++(move.is_optimal() ? move.is_true_energy() ? found.optimal : found.raised : found.undecided);
  x = y;
}

void random_moves(Nonsubmodular nonsubmodular) {
  Found found;
  for (std::int64_t seed = 0; seed < 400; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 2, 6);
    std::vector<Table> tables{oracles::truncated(labels, 2, 4)};
    if (seed % 4 >= 1) tables.push_back(oracles::truncated(labels, 1, 2));
    if (seed % 4 >= 2) tables.push_back(oracles::any_table(random, labels));
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::random_graph(random, 8, 12), tables);
    const Energy energy = owned.view();
    Control control;
    BinaryMove move(energy, nonsubmodular, 1, control);
    Labelling x = oracles::random_labelling(random, energy);
    // Several in a row: each starts from the flow of an earlier one.
    for (int k = 0; k < 6; ++k)
      check_move(move, energy, random_choices(random, energy, x), x, nonsubmodular, seed, found);
  }
  expect(found.optimal > 100, "many moves are optimal");
  expect((nonsubmodular == Nonsubmodular::qpbo ? found.undecided : found.raised) > 100,
         "and many meet an edge that one cut cannot have");
}

// Large enough that the flow is sent in parts.
void threads_do_not_matter() {
  Random random(5);
  const oracles::OwnedEnergy owned = oracles::random_energy(
      random, oracles::grid(150, 250), {oracles::truncated(5, 2, 4), oracles::truncated(5, 1, 3)});
  const Energy energy = owned.view();
  const Labelling x = oracles::random_labelling(random, energy);
  std::vector<std::vector<std::int32_t>> labels;
  for (const int threads : {1, 2}) {
    Control control;
    BinaryMove move(energy, Nonsubmodular::truncate, threads, control);
    for (std::int32_t i = 0; i < energy.graph.nodes(); ++i) move.add(i, x[i], 2, 2);
    Labelling y = x;
    for (const LabelChange& change : move.solve(x)) y[change.node] = change.label;
    expect(energy(y) < energy(x), "an expansion of random labels gains");
    labels.push_back(y);
  }
  expect(labels[0] == labels[1], "the same labels for any number of threads");
}

void bytes_grow() {
  expect(BinaryMove::bytes(100, 200, 8, 1) > 0, "a move takes memory");
  expect(BinaryMove::bytes(200, 200, 8, 1) > BinaryMove::bytes(100, 200, 8, 1), "for variables");
  expect(BinaryMove::bytes(100, 300, 8, 1) > BinaryMove::bytes(100, 200, 8, 1), "for edges");
}

}  // namespace

int main() {
  random_moves(Nonsubmodular::truncate);
  random_moves(Nonsubmodular::qpbo);
  threads_do_not_matter();
  bytes_grow();
  return 0;
}
