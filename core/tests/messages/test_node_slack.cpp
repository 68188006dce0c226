// Where a labelling pays: nowhere less than nothing, and in all the gap to a bound that is true and
// no lower than that of the sweep before.
#include "rangemoves/messages/node_slack.hpp"

#include <numeric>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/backend.hpp"

using namespace rangemoves;

namespace {

template <class Value>
void adds_up(std::int64_t seed) {
  constexpr std::int64_t scale = 16;
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph =
      seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 9);
  const ConvexProblem problem =
      oracles::random_problem(random, graph, 4, {seed % 3 == 0, seed % 5 == 0, false, false});
  const std::int64_t best = oracles::brute_force(problem, problem.low, problem.high);
  Control control;
  const auto messages = find_backend("cpu").make<Value>(problem, scale, 1, control);
  messages->load(problem, control);
  std::int64_t bound = 0;
  for (int k = 0; k < static_cast<int>(seed % 4) + 1; ++k) {
    messages->sweep(false, nullptr, control);
    bound = messages->sweep(true, nullptr, control);
  }
  Labelling x;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) x.push_back(oracles::between(random, 0, 3));
  const std::vector<std::int64_t> slack =
      node_slack(problem, scale, messages->edges(), x, nullptr, control);
  for (const std::int64_t s : slack) expect(s >= 0, "nobody pays less than nothing", seed);
  const std::int64_t left =
      scale * problem.energy(x) - std::accumulate(slack.begin(), slack.end(), std::int64_t{0});
  expect(left >= bound, "no lower than the bound of the sweep", seed);
  expect(left <= scale * best, "a true bound", seed);

  for (const std::int64_t rows : {1, 2, 4}) {
    const std::int64_t bytes = rows * 4 * static_cast<std::int64_t>(sizeof(Value));
    expect(node_slack(problem, scale, messages->edges(), x, nullptr, control, bytes) == slack,
           "the same a few variables at a time", seed);
  }

  std::vector<std::uint8_t> chosen(slack.size());
  for (std::uint8_t& c : chosen) c = random.below(2) == 0;
  const std::vector<std::int64_t> part =
      node_slack(problem, scale, messages->edges(), x, chosen.data(), control);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    expect(part[i] == (chosen[i] ? slack[i] : 0), "the same of those that are asked for", seed);
  expect(node_slack(problem, scale, messages->edges(), x, chosen.data(), control, 1) == part,
         "one at a time of those as well", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    adds_up<std::int32_t>(seed);
    adds_up<std::int64_t>(seed);
  }
}
