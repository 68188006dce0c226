// Labels that are taken out against enumeration: none belongs to a labelling below the cut,
// whatever the messages are; and where messages are exact all others go.
#include "rangemoves/optimum/elimination.hpp"

#include <algorithm>
#include <set>

#include "check.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

// Returns how many labels were taken out.
std::size_t safe(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {7, 4, seed % 3 == 0});
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const std::vector<std::int64_t> before = messages->copy_messages(),
                                  least = problem.min_marginals();
  const std::int64_t optimum = problem.optimum();
  std::size_t found = 0;
  for (const std::int32_t above : {-100, 0, 1, oracles::between(random, 0, 300)}) {
    const std::int64_t cut = optimum + above;
    const Elimination eliminated = find_eliminated(*messages, cut);
    expect(eliminated.bound == messages->bound(), "the bound of the messages as they are", seed);
    expect(messages->copy_messages() == before, "on a copy of the messages", seed);
    for (const auto& [i, l] : eliminated.labels) {
      expect(problem.has(i, l), "labels that are there", seed);
      expect(least[problem.place(i, l)] >= cut, "no labelling below the cut has it", seed);
    }
    const std::set<std::pair<std::int32_t, std::int32_t>> once(eliminated.labels.begin(),
                                                               eliminated.labels.end());
    expect(once.size() == eliminated.labels.size(), "each once", seed);
    found += eliminated.labels.size();
  }
  return found;
}

// On a chain the pass gives min-marginals: what goes is exactly what cannot pay.
void exact_on_chains(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::small_problem(
      random, oracles::kChain, {oracles::between(random, 1, 7), 4, seed % 2 == 0});
  const auto messages = problem.messages<std::int64_t>();
  oracles::sweep_fully(*messages, 1);
  const std::vector<std::int64_t> least = problem.min_marginals();
  for (const std::int64_t cut : least) {
    if (cut == oracles::kNothing) continue;
    for (const int more : {0, 1}) {
      std::vector<std::pair<std::int32_t, std::int32_t>> expected;
      for (std::int32_t i = 0; i < problem.nodes; ++i)
        for (int l = 0; l < problem.labels; ++l)
          if (problem.has(i, l) && least[problem.place(i, l)] >= cut + more)
            expected.emplace_back(i, l);
      expect(find_eliminated(*messages, cut + more).labels == expected, "exact on chains", seed);
    }
  }
}

// A label is judged with messages from both sides: one round of sweeps and the pass must take out
// most of what a cut just above the optimum allows, on graphs of all kinds.
void takes_out_enough() {
  std::size_t found = 0, could = 0;
  for (std::int64_t seed = 0; seed < 300; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const SmallProblem problem = oracles::any_small_problem(random, {7, 4});
    const auto messages = problem.messages<std::int64_t>();
    oracles::sweep_fully(*messages, 20);
    const std::int64_t cut = problem.optimum() + 1;
    for (const std::int64_t least : problem.min_marginals()) could += least >= cut;
    found += find_eliminated(*messages, cut).labels.size();
  }
  expect(10 * found >= 9 * could && found < could, "nine labels of ten that cannot pay");
}

}  // namespace

int main() {
  std::size_t found = 0;
  for (std::int64_t seed = 0; seed < 15000; ++seed) found += safe(seed);
  expect(found > 50000, "labels are taken out");
  for (std::int64_t seed = 0; seed < 300; ++seed) exact_on_chains(seed);
  takes_out_enough();
}
