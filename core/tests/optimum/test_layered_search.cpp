// A search in layers against enumeration, however good or bad its tables are.
#include "rangemoves/optimum/layered_search.hpp"

#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "rangemoves/optimum/search_order.hpp"
#include "table_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

const std::function<void()> kNoPoll = [] {};
constexpr std::size_t kNoLimit = 1 << 20;

struct Drawn {
  SmallProblem problem;
  std::int64_t optimum;
  ReducedCosts costs;
  MiniBuckets buckets;
  std::int64_t cut;
};

Drawn draw(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Drawn drawn;
  drawn.problem = oracles::tangled_problem(random, 8, seed % 3 == 0);
  drawn.optimum = drawn.problem.optimum();
  drawn.cut = drawn.optimum + oracles::between(random, -20, 200);
  const auto messages = drawn.problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  drawn.costs = *reduced_costs(*messages, drawn.cut);
  const double each = static_cast<double>(oracles::between(random, 1, 100));
  const auto order = seed % 2 == 0 ? narrow_order(drawn.costs) : elimination_order(drawn.costs);
  drawn.buckets = fill_tables(drawn.costs, plan_tables(drawn.costs, order, each), kNoPoll);
  return drawn;
}

void complete(std::int64_t seed) {
  const Drawn drawn = draw(seed);
  const LayeredResult found =
      search_layers(drawn.costs, drawn.buckets, drawn.cut, kNoLimit, TooWide::give_up, kNoPoll);
  expect(found.is_complete, "nothing is too wide", seed);
  expect(found.labels.has_value() == (drawn.optimum < drawn.cut), "what is below the cut", seed);
  if (drawn.optimum >= drawn.cut) {
    expect(found.bound >= drawn.cut && found.bound <= drawn.optimum, "nothing is", seed);
    return;
  }
  expect(found.bound == drawn.optimum && found.value == drawn.optimum, "the optimum", seed);
  expect(drawn.problem.value(*found.labels) == found.value, "of these labels", seed);
  for (std::int32_t i = 0; i < drawn.problem.nodes; ++i)
    expect(drawn.problem.has(i, (*found.labels)[static_cast<std::size_t>(i)]),
           "no label that is left out", seed);
}

// Returns whether a layer was too wide.
bool narrow(std::int64_t seed, std::size_t widest) {
  const Drawn drawn = draw(seed);
  bool was_too_wide = false;
  for (const TooWide too_wide : {TooWide::keep_best, TooWide::give_up}) {
    const LayeredResult found =
        search_layers(drawn.costs, drawn.buckets, drawn.cut, widest, too_wide, kNoPoll);
    expect(found.bound <= drawn.optimum, "no labelling costs less", seed);
    if (found.labels)
      expect(drawn.problem.value(*found.labels) == found.value && found.value < drawn.cut,
             "the value of what it found", seed);
    if (found.is_complete)
      expect(found.bound >= std::min(drawn.cut, drawn.optimum), "to its end", seed);
    was_too_wide = was_too_wide || !found.is_complete;
    if (!found.is_complete && too_wide == TooWide::give_up) expect(!found.labels, "gives up", seed);
  }
  return was_too_wide;
}

void polls() {
  std::int64_t seed = 0;
  while (draw(seed).costs.functions.empty() || draw(seed).buckets.bound >= draw(seed).cut) ++seed;
  const Drawn drawn = draw(seed);
  bool thrown = false;
  try {
    search_layers(drawn.costs, drawn.buckets, drawn.cut, kNoLimit, TooWide::give_up,
                  [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  expect(thrown, "polls", 0);
}

}  // namespace

int main() {
  std::int64_t too_wide = 0;
  for (std::int64_t seed = 0; seed < 3000; ++seed) complete(seed);
  for (std::int64_t seed = 0; seed < 2000; ++seed)
    too_wide += narrow(seed, 1 + static_cast<std::size_t>(seed % 4));
  expect(too_wide > 200, "some are too wide");
  polls();
}
