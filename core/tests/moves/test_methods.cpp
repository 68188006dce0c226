// Every method on small random problems: the energy never rises, nothing is lost against the start,
// bounds are below the optimum, and what is called optimal is.
#include "rangemoves/moves/methods.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/surrogate/choice.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

// A method with the settings that change what it does.
struct Variant {
  const char* method;
  std::function<void(Settings&)> choose;
};

void as_it_is(Settings&) {}

std::vector<Variant> variants() {
  return {
      {"auto", as_it_is},
      {"auto", [](Settings& s) { s.engine.engine = EngineChoice::reference; }},
      {"gswap", as_it_is},
      {"gswap", [](Settings& s) { s.surrogate = SurrogateKind::chord; }},
      {"gswap", [](Settings& s) { s.surrogate = SurrogateKind::huber; }},
      {"gswap", [](Settings& s) { s.strategy = Strategy::range; }},
      {"gswap", [](Settings& s) { s.strategy = Strategy::random; }},
      {"gswap", [](Settings& s) { s.engine.engine = EngineChoice::reference; }},
      {"gswapf", as_it_is},
      {"gswapf", [](Settings& s) { s.surrogate = SurrogateKind::chord; }},
      {"expansion", as_it_is},
      {"expansion", [](Settings& s) { s.order = TurnOrder::ascending; }},
      {"expansion", [](Settings& s) { s.nonsubmodular = Nonsubmodular::qpbo; }},
      {"swap", as_it_is},
      {"swap", [](Settings& s) { s.order = TurnOrder::random; }},
      {"rswap", as_it_is},
      {"rswap", [](Settings& s) { s.engine.engine = EngineChoice::dual; }},
      {"rswape", as_it_is},
      {"rswape", [](Settings& s) { s.surrogate = SurrogateKind::tight; }},
      {"rswape", [](Settings& s) { s.extend = 0; }},
      {"rexp", as_it_is},
      {"rexp", [](Settings& s) { s.width = 1; }},
      {"rexp", [](Settings& s) { s.width = 99; }},
      {"irgc", as_it_is},
      {"irgc", [](Settings& s) { s.reweighting = Reweighting::least; }},
      {"irgc", [](Settings& s) { s.surrogate = SurrogateKind::huber; }},
      {"irgc+expansion", as_it_is},
      {"trws", as_it_is},
      {"best", as_it_is},
  };
}

RunResult run(const Variant& variant, const Energy& energy, const Labelling& start) {
  Settings settings;
  variant.choose(settings);
  settings.verify();
  Control control;
  const Method* method = find_method(variant.method);
  expect(method != nullptr, variant.method);
  Workspace workspace;
  return MoveLoop(energy, start, settings, {}, {}, workspace, control).run(method->run);
}

std::int64_t check(const Variant& variant, const Energy& energy, const Labelling& start,
                   std::int64_t optimum, std::int64_t seed) {
  const RunResult result = run(variant, energy, start);
  const std::int64_t value = energy(result.labels);
  expect(value <= energy(start), variant.method, seed);
  const std::string name = variant.method;
  // These offer labellings that are no minimum of a surrogate at the current one.
  const bool moves = name != "auto" && name != "trws" && name != "best" && name != "irgc+expansion";
  double last = static_cast<double>(energy(start));
  for (const Record& record : result.trace) {
    expect(record.energy <= last, variant.method, seed);
    if (moves)
      expect(record.energy <= record.surrogate_energy && record.surrogate_energy <= last,
             variant.method, seed);
    last = record.energy;
  }
  expect(last == static_cast<double>(value), variant.method, seed);
  expect(result.iterations == static_cast<std::int64_t>(result.trace.size()), variant.method, seed);
  if (result.lower_bound)
    expect(*result.lower_bound <= static_cast<double>(optimum), variant.method, seed);
  if (result.status == "optimal")
    expect(value == optimum && result.lower_bound, variant.method, seed);
  else if (name == "trws")
    expect(result.status == "iteration_limit" && result.iterations == 100, variant.method, seed);
  else
    expect(result.status == "converged", variant.method, seed);
  return value;
}

// Convex near zero, then rising ever slower: no edge is without influence.
Table growing(int labels) {
  Table g(std::vector<std::int64_t>(static_cast<std::size_t>(2 * labels - 1), 0));
  for (int d = 1; d < labels; ++d) g.at(d) = g.at(-d) = g(d - 1) + (d == 1 ? 8 : 20 / (d - 1));
  return g;
}

// Truncated priors suit every method; those that go on growing all but one.
void robust_priors(bool flat) {
  std::vector<Variant> all = variants();
  if (!flat)
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const Variant& v) { return v.method == std::string("gswapf"); }),
              all.end());
  std::vector<std::int64_t> optimal(all.size(), 0);
  constexpr std::int64_t kProblems = 60;
  for (std::int64_t seed = 0; seed < kProblems; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 3, 5);
    std::vector<Table> tables{flat ? oracles::truncated(labels, 2, 4) : growing(labels)};
    if (seed % 2 == 0) tables.push_back(oracles::truncated(labels, 1, 2));
    const oracles::OwnedEnergy owned = oracles::random_energy(
        random, seed % 3 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 9), tables);
    const Energy energy = owned.view();
    const std::int64_t optimum = oracles::brute_force(energy);
    const Labelling start = oracles::random_labelling(random, energy);
    for (std::size_t k = 0; k < all.size(); ++k)
      optimal[k] += check(all[k], energy, start, optimum, seed) == optimum;
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    expect(optimal[k] * 3 > kProblems, all[k].method, static_cast<std::int64_t>(k));
}

// One cut, or a bound that meets it.
void convex_priors() {
  const std::set<std::string> exact = {"auto", "ishikawa",       "gswap", "gswapf",
                                       "irgc", "irgc+expansion", "best"};
  for (std::int64_t seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 1, 5);
    std::vector<Table> tables{oracles::random_convex(random, labels, true)};
    if (seed % 2 == 0) tables.push_back(oracles::random_convex(random, labels, true));
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::random_graph(random, 6, 9), tables);
    const Energy energy = owned.view();
    const std::int64_t optimum = oracles::brute_force(energy);
    for (const std::string& name : exact) {
      const RunResult result =
          run({name.c_str(), as_it_is}, energy, oracles::random_labelling(random, energy));
      expect(energy(result.labels) == optimum, name.c_str(), seed);
      expect(result.status == "optimal" && result.proven == std::optional(true) &&
                 result.lower_bound == std::optional(static_cast<double>(optimum)),
             name.c_str(), seed);
    }
  }
}

// Where there is no cycle messages are exact, whatever the prior.
void trees() {
  for (std::int64_t seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 2, 5);
    const oracles::OwnedEnergy owned = oracles::random_energy(
        random, Neighbourhood(6, {0, 1, 1, 3, 5}, {1, 2, 3, 4, 3}, 0),
        {oracles::any_table(random, labels), oracles::any_table(random, labels)});
    const Energy energy = owned.view();
    for (const char* method : {"trws", "auto"}) {
      const RunResult result =
          run({method, as_it_is}, energy, oracles::random_labelling(random, energy));
      expect(result.status == "optimal" && energy(result.labels) == oracles::brute_force(energy),
             "messages solve trees", seed);
      expect(result.iterations == 1, "at once", seed);
    }
  }
}

// By construction, from any start, whatever the kind of prior.
void auto_is_never_above_gswap() {
  std::int64_t lower = 0;
  constexpr std::int64_t kProblems = 60;
  for (std::int64_t seed = 0; seed < kProblems; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int labels = oracles::between(random, 5, 8);
    const oracles::OwnedEnergy owned =
        oracles::random_energy(random, oracles::grid(6, 7),
                               {seed % 2 ? growing(labels) : oracles::truncated(labels, 2, 4)});
    const Energy energy = owned.view();
    const Labelling start = oracles::random_labelling(random, energy);
    const std::int64_t ours = energy(run({"auto", as_it_is}, energy, start).labels),
                       gswap = energy(run({"gswap", as_it_is}, energy, start).labels);
    expect(ours <= gswap, "auto is never above gswap", seed);
    lower += ours < gswap;
  }
  expect(lower > kProblems / 4, "and often below");
}

// Whether some labelling that `may(i, label)` allows is lower than x.
template <class May>
bool can_be_lowered(const Energy& energy, const Labelling& x, May&& may) {
  bool lower = false;
  oracles::for_each_labelling(std::vector<std::int32_t>(x.size(), 0),
                              std::vector<std::int32_t>(x.size(), energy.labels - 1),
                              [&](const Labelling& y) {
                                if (energy(y) >= energy(x)) return;
                                for (std::size_t i = 0; i < x.size(); ++i)
                                  if (y[i] != x[i] && !may(x[i], y[i])) return;
                                lower = true;
                              });
  return lower;
}

// Where each move is the best of its kind, no move of that kind is left to make at the end.
void local_minima() {
  for (std::int64_t seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    constexpr int labels = 4;
    const oracles::OwnedEnergy owned = oracles::random_energy(
        random, oracles::random_graph(random, 6, 9), {oracles::truncated(labels, 1, 2)});
    const Energy energy = owned.view();
    const Labelling start = oracles::random_labelling(random, energy);
    const Labelling expanded = run({"expansion", as_it_is}, energy, start).labels;
    for (int alpha = 0; alpha < labels; ++alpha)
      expect(!can_be_lowered(energy, expanded, [&](int, int to) { return to == alpha; }),
             "no expansion is left", seed);
    const Labelling swapped = run({"swap", as_it_is}, energy, start).labels;
    for (int a = 0; a < labels; ++a)
      for (int b = 0; b < a; ++b)
        expect(!can_be_lowered(energy, swapped,
                               [&](int from, int to) {
                                 return (from == a || from == b) && (to == a || to == b);
                               }),
               "no swap is left", seed);
    const int width = range_width(energy.g, {});
    const auto in_range = [&](int a, int label) { return a <= label && label <= a + width; };
    for (const char* method : {"rswap", "rswape"}) {
      const Labelling x = run({method, as_it_is}, energy, start).labels;
      for (int a = 0; a + width < labels; ++a)
        expect(
            !can_be_lowered(energy, x,
                            [&](int from, int to) { return in_range(a, from) && in_range(a, to); }),
            "no range swap is left", seed);
    }
  }
}

template <class Error>
bool refuses(const char* method, const Table& g) {
  Random random(0);
  const oracles::OwnedEnergy owned = oracles::random_energy(random, oracles::grid(2, 2), {g});
  try {
    run({method, as_it_is}, owned.view(), Labelling(4, 0));
  } catch (const Error&) {
    return true;
  }
  return false;
}

void refusals() {
  expect(refuses<std::invalid_argument>("ishikawa", oracles::truncated(4, 1, 2)),
         "ishikawa wants a convex prior");
  expect(refuses<std::invalid_argument>("gswapf", Table({5, 4, 3, 0, 3, 4, 5})),
         "gswapf wants a prior that is flat beyond its convex range");
  expect(find_method("nonsense") == nullptr, "no such method");
}

void orders() {
  Settings settings;
  const std::vector<int> upward = {0, 1, 2, 3, 4};
  expect(chosen_order(settings, 5, 0) == upward, "fixed: by number");
  settings.order = TurnOrder::random;
  bool differs = false;
  for (std::int64_t cycle = 0; cycle < 5; ++cycle) {
    std::vector<int> order = chosen_order(settings, 5, cycle);
    expect(order == chosen_order(settings, 5, cycle), "the same seed, the same order");
    differs = differs || order != chosen_order(settings, 5, cycle + 1);
    std::sort(order.begin(), order.end());
    expect(order == upward, "all of them");
  }
  expect(differs, "another order in another cycle");
}

}  // namespace

int main() {
  robust_priors(true);
  robust_priors(false);
  convex_priors();
  trees();
  auto_is_never_above_gswap();
  local_minima();
  refusals();
  orders();
  return 0;
}
