// Proofs of whole energies, in whatever order their steps are taken: bounds and certificates
// against enumeration, on narrow grids against dynamic programming.
#include "rangemoves/optimum/proof.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "check.hpp"
#include "proof_steps.hpp"
#include "rounded_energies.hpp"

using namespace rangemoves;

namespace {

using oracles::OwnedEnergy;

constexpr Proof::Effort kThorough{INT64_MAX, 1};

// The least energy of a grid with short rows, by the labels of the last row's length of nodes.
std::int64_t narrow_optimum(const OwnedEnergy& owned, int width) {
  const Energy energy = owned.view();
  std::size_t states = 1;
  for (int k = 0; k < width; ++k) states *= static_cast<std::size_t>(owned.labels);
  const std::size_t newest = states / static_cast<std::size_t>(owned.labels);
  const auto label_of = [&](std::size_t state, int back) {  // of the node `back` before the last
    std::size_t place = newest;
    for (int k = 1; k < back; ++k) place /= static_cast<std::size_t>(owned.labels);
    return static_cast<int>(state / place % static_cast<std::size_t>(owned.labels));
  };
  std::vector<std::int64_t> least(states, oracles::kNothing), next;
  least[0] = 0;  // nothing is before the first node
  for (std::int32_t i = 0; i < owned.graph.nodes(); ++i) {
    next.assign(states, oracles::kNothing);
    for (std::size_t state = 0; state < states; ++state) {
      if (least[state] == oracles::kNothing) continue;
      for (int l = 0; l < owned.labels; ++l) {
        std::int64_t cost = least[state] + energy.theta(i, l);
        for (const Incidence* at = owned.graph.begin(i); at != owned.graph.end(i); ++at)
          if (at->other < i) cost += energy.seen_from(*at, l, label_of(state, i - at->other));
        std::int64_t& to = next[state / static_cast<std::size_t>(owned.labels) +
                                newest * static_cast<std::size_t>(l)];
        to = std::min(to, cost);
      }
    }
    least.swap(next);
  }
  return *std::min_element(least.begin(), least.end());
}

// An energy, sweeps over it and a proof that goes on from them.
struct Run {
  OwnedEnergy owned;
  Energy energy;
  Control control;
  Settings settings;
  std::optional<Trws> trws;
  std::unique_ptr<Proof> proof;

  Run(OwnedEnergy given, int threads, int sweeps, IslandSearch islands, std::int64_t max_memory = 0)
      : owned(std::move(given)), energy(owned.view()) {
    settings.engine.threads = threads;
    settings.engine.max_memory = max_memory;
    settings.islands = islands;
    settings.certificate = true;
    trws.emplace(energy, settings.engine, control);
    for (int k = 0; k < sweeps; ++k) trws->sweep(control);
    proof = Proof::make(*trws, settings, control);
  }
};

// `wide`: costs so large that messages need 64 bits.
OwnedEnergy hard_energy(Random& random, Neighbourhood graph, int labels, bool wide) {
  OwnedEnergy owned = oracles::random_energy(
      random, std::move(graph),
      {oracles::any_table(random, labels), oracles::any_table(random, labels)});
  if (wide)
    for (std::int32_t& w : owned.weights) w = w * 1000000 + oracles::between(random, 0, 1000);
  if (wide)
    for (std::int32_t& cost : owned.unary) cost *= 1000000;
  return owned;
}

// The parts of a proof in any order, of problems that are one island: everything that is said on
// the way is true.
void any_order(std::int64_t seed, IslandSearch islands) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 2, 3);
  const bool wide = seed % 4 == 0;
  Run run(hard_energy(random,
                      seed % 2 == 0 ? oracles::grid(2, oracles::between(random, 2, 4))
                                    : oracles::random_graph(random, 8, 14),
                      labels, wide),
          1, oracles::between(random, 0, 3), islands);
  expect(run.trws->is_wide() == wide, "both types of messages", seed);
  const std::int64_t optimum = oracles::brute_force(run.energy);
  Labelling x = oracles::random_labelling(random, run.energy);
  for (int step = 0; step < 12; ++step) {
    switch (random.below(6)) {
      case 0:
        run.proof->begin_stage();
        break;
      case 1:
        run.proof->sweep(std::int64_t{1} << random.below(10));
        break;
      case 2:
        run.proof->hand_back();
        break;
      case 3:
        if (random.below(3) == 0) run.proof->take_all();
        x = run.proof->decode(random.below(2) == 0);
        break;
      case 4:
        run.trws->sweep(run.control);
        break;
      default: {
        const Proof::Effort effort{oracles::between(random, 0, 10),
                                   std::int64_t{1} << random.below(4)};
        const Proof::Round round = run.proof->round(x, oracles::between(random, 1, 5), effort);
        expect(round.bound <= optimum, "no labelling costs less than a round says", seed);
        if (random.below(2) == 0) x = round.labels;
      }
    }
    expect(run.trws->lower_bound() <= optimum, "nor than the sweeps say", seed);
    expect(run.proof->exact_bound() <= static_cast<double>(optimum), "nor at any time", seed);
    // Whichever of the two says more has the messages that prove it.
    const bool is_proof = run.proof->exact_bound() >= run.trws->exact_bound();
    if (!is_proof)
      expect(
          oracles::proven_bound(run.owned, certificate_of(*run.trws, run.control)).rounded_up() >=
              run.trws->lower_bound(),
          "what sweeps were handed back is proven", seed);
    if (run.proof->certificate().rank.empty()) continue;
    const oracles::ProvenBound proven = oracles::proven_bound(run.owned, run.proof->certificate());
    expect(proven.bound <= proven.scale * optimum, "nor than a certificate proves", seed);
    expect(static_cast<double>(proven.bound) / static_cast<double>(proven.scale) >=
               run.proof->exact_bound() - 1e-6,
           "a certificate proves the best bound", seed);
  }
}

// With all of the problem in one island and no limits nothing stays open.
void small_ones_are_solved(std::int64_t seed, IslandSearch islands) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 2, 4);
  Run run(hard_energy(random,
                      seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 7, 12),
                      labels, seed % 4 == 0),
          1, 2, islands);
  const std::int64_t optimum = oracles::brute_force(run.energy);
  const Labelling x = oracles::random_labelling(random, run.energy);
  run.proof->take_all();
  const Proof::Round round = run.proof->round(x, 1, kThorough);
  expect(run.energy(round.labels) == optimum && round.bound == optimum, "the optimum", seed);
  expect(round.open == 0 && round.branches >= static_cast<std::int64_t>(round.islands),
         "all islands are closed", seed);
  expect(oracles::proven_bound(run.owned, run.proof->certificate()).rounded_up() == optimum,
         "with a certificate", seed);
}

// What the bound is in numbers that were rounded, at any time, also after the messages have moved.
void real_costs(std::int64_t seed, IslandSearch islands) {
  Random random(static_cast<std::uint64_t>(seed));
  const double noise = seed % 3 == 0 ? 0 : 0.1 * static_cast<double>(seed % 5);
  const oracles::Rounded rounded = oracles::rounded(
      random, seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 10),
      {oracles::any_table(random, 3), oracles::truncated(3, 1, 2)}, noise);
  const double optimum = rounded.optimum();
  Run run(rounded.integers, 1, 1, islands);
  const TrueCosts costs = oracles::costs_of(rounded);
  Labelling x = oracles::random_labelling(random, run.energy);
  const bool ends = seed % 4 != 1;  // else islands stay open
  const Proof::Effort effort = ends ? kThorough : Proof::Effort{0, 1};
  // With a large goal islands are content with labellings that are not the best.
  const std::int64_t goal = seed % 8 < 4 ? 1 : 200;
  for (int step = 0; step < 6; ++step) {
    if (step == 2) run.proof->take_all();
    if (step % 2 == 0)
      x = run.proof->round(x, goal, goal == 1 ? effort : Proof::Effort{0, 1}).labels;
    if (step % 2 == 1) run.proof->sweep(16);
    const double bound = run.proof->certified_bound(costs, 10);
    expect(bound <= optimum && std::isfinite(bound), "in numbers that were rounded", seed);
    // Less than a unit of the integers stays open.
    if (step == 2 && noise == 0 && ends && goal == 1)
      expect(bound > optimum - 0.1, "as close as integers", seed);
  }
}

struct Outcome {
  std::vector<std::int64_t> numbers;
  std::vector<Labelling> labels;
  std::vector<std::int64_t> messages;

  bool operator==(const Outcome& other) const {
    return numbers == other.numbers && labels == other.labels && messages == other.messages;
  }
};

// Several islands far from each other, rounds until nothing changes.
Outcome islands_of(const OwnedEnergy& owned, int threads, std::int64_t optimum, std::int64_t seed,
                   IslandSearch islands) {
  Run run(owned, threads, 20, islands);
  Outcome outcome;
  for (const std::int64_t parts : {1, 16, 256}) {
    run.proof->begin_stage();
    for (int k = 0; k < 40; ++k) outcome.numbers.push_back(run.proof->sweep(parts));
    run.proof->hand_back();
    expect(run.trws->lower_bound() <= optimum, "lazy sweeps stay below", seed);
  }
  Labelling x = run.proof->decode(true);
  for (int k = 0; k < 12; ++k) {
    const Proof::Round round = run.proof->round(x, 1, {1000000, 1});
    expect(round.bound <= optimum, "rounds stay below", seed);
    outcome.numbers.insert(
        outcome.numbers.end(),
        {round.bound, round.branches, static_cast<std::int64_t>(round.islands),
         static_cast<std::int64_t>(round.largest), static_cast<std::int64_t>(round.open)});
    outcome.labels.push_back(round.labels);
    const bool better = run.energy(round.labels) < run.energy(x);
    if (better) x = round.labels;
    if (!better && !round.grew) break;
  }
  for (const IslandProof& island : run.proof->certificate().islands)
    for (const ProofStep& step : island.steps)
      outcome.messages.insert(outcome.messages.end(), step.messages.begin(), step.messages.end());
  outcome.numbers.push_back(run.energy(x));
  expect(run.energy(x) >= optimum, "dynamic programming agrees", seed);
  return outcome;
}

// Returns whether there were several islands, and whether the optimum was proven.
std::pair<bool, bool> narrow_grids(std::int64_t seed, IslandSearch islands) {
  Random random(static_cast<std::uint64_t>(seed));
  const int width = 3;
  OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(800, width),
                             {oracles::truncated(3, 1, 2), oracles::any_table(random, 3)});
  const std::int64_t optimum = narrow_optimum(owned, width);
  const Outcome alone = islands_of(owned, 1, optimum, seed, islands);
  for (const int threads : {2, 3})
    expect(islands_of(owned, threads, optimum, seed, islands) == alone, "any number of threads",
           seed);
  const std::vector<std::int64_t>& n = alone.numbers;
  return {n[n.size() - 4] > 1, n[n.size() - 6] == optimum && n.back() == optimum};
}

// Rounds, sweeps that move messages, and rounds again: what islands were found to cost before says
// nothing of them now. Returns whether some variables were outside of islands.
bool moved_messages(std::int64_t seed, IslandSearch islands) {
  Random random(static_cast<std::uint64_t>(seed));
  const int width = 2;
  Run run(oracles::random_energy(random, oracles::grid(600, width),
                                 {oracles::truncated(3, 1, 2), oracles::any_table(random, 3)}),
          1, oracles::between(random, 0, 1), islands);
  const std::int64_t optimum = narrow_optimum(run.owned, width);
  const Labelling x = run.proof->decode(true);
  // A goal so far off that islands may leave out nearly all that the labelling pays; what they are,
  // they solve.
  const std::int64_t goal = 2 * (run.energy(x) - run.trws->lower_bound());
  const Proof::Effort effort{INT64_MAX, 1 << 20};
  bool is_part = false;
  for (int k = 0; k < 6; ++k) {
    const Proof::Round round = run.proof->round(x, goal, effort);
    expect(round.bound <= optimum, "islands of other messages are not believed", seed);
    expect(run.proof->exact_bound() <= static_cast<double>(optimum), "at any time", seed);
    is_part = is_part || (round.islands > 0 &&
                          round.largest < static_cast<std::size_t>(run.owned.graph.nodes()));
    if (k == 2) run.proof->begin_stage();
    if (k % 2 == 0)
      run.proof->hand_back();
    else
      run.proof->sweep(4);
    expect(run.trws->lower_bound() <= optimum, "the bound that is handed back", seed);
  }
  return is_part;
}

// Dynamic programming itself against enumeration.
void oracle_agrees(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int width = oracles::between(random, 2, 3);
  const OwnedEnergy owned =
      oracles::random_energy(random, oracles::grid(oracles::between(random, 2, 3), width),
                             {oracles::any_table(random, 3), oracles::any_table(random, 3)});
  expect(narrow_optimum(owned, width) == oracles::brute_force(owned.view()), "the oracle", seed);
}

void counts_its_bytes() {
  const Neighbourhood graph = oracles::grid(100, 100);
  const std::int64_t narrow = Proof::bytes(graph.nodes(), graph.edges(), 32, false),
                     wide = Proof::bytes(graph.nodes(), graph.edges(), 32, true);
  const std::int64_t vectors = graph.nodes() + 2 * graph.edges();
  expect(narrow >= vectors * 32 * 4 && wide - narrow == vectors * 32 * 4, "memory of messages");
}

// With so many bytes beside messages and lazy sweeps: how many islands there are in a round.
std::size_t islands_in(std::int64_t bytes) {
  constexpr int labels = 3, width = 3;
  Random random(1);
  OwnedEnergy owned = oracles::random_energy(
      random, oracles::grid(800, width),
      {oracles::truncated(labels, 1, 2), oracles::any_table(random, labels)});
  const std::int64_t optimum = narrow_optimum(owned, width);
  const Neighbourhood& graph = owned.graph;
  const std::int64_t held = 2 * find_backend("cpu").bytes(graph, labels, false) +
                            Proof::bytes(graph.nodes(), graph.edges(), labels, false);
  Run run(std::move(owned), 1, 3, IslandSearch::automatic, held + bytes);
  expect(!run.trws->is_wide(), "what was reckoned with");
  const Proof::Round round = run.proof->round(run.proof->decode(true), 1, kThorough);
  expect(round.bound <= optimum && run.energy(round.labels) >= optimum, "true all the same", bytes);
  return round.islands;
}

void keeps_to_its_limit() {
  const std::size_t all = islands_in(INT64_MAX / 2);
  expect(all > 1, "islands where there is memory");
  bool some = false;  // how large they are depends on the vectors of the machine
  for (std::int64_t bytes = 1 << 16; bytes < 1 << 26; bytes *= 2) {
    const std::size_t count = islands_in(bytes);
    some = some || (count > 0 && count < all);
  }
  expect(some, "those that fit");
  expect(islands_in(0) == 0, "none where there is no memory for any");
}

}  // namespace

int main() {
  keeps_to_its_limit();
  for (std::int64_t seed = 0; seed < 20; ++seed) oracle_agrees(seed);
  // By branches alone, then with tables too.
  for (const IslandSearch islands : {IslandSearch::branches, IslandSearch::automatic}) {
    for (std::int64_t seed = 0; seed < 400; ++seed) {
      any_order(seed, islands);
      small_ones_are_solved(seed, islands);
      real_costs(seed, islands);
    }
    int parts = 0;
    for (std::int64_t seed = 0; seed < 40; ++seed) parts += moved_messages(seed, islands);
    expect(parts > 10, "islands that are not the whole");
    int several = 0, proven = 0;
    for (std::int64_t seed = 0; seed < 8; ++seed) {
      const auto [has_several, is_proven] = narrow_grids(seed, islands);
      several += has_several;
      proven += is_proven;
    }
    expect(several >= 4 && proven >= 6, "islands, and most of the grids proven");
  }
  counts_its_bytes();
}
