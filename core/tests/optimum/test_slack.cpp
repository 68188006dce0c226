// What a labelling pays above the bound: by definition, and in sum exactly the gap, whatever the
// messages are.
#include "rangemoves/optimum/slack.hpp"

#include <numeric>

#include "check.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::PlainBeliefs;
using oracles::SmallProblem;

template <class Value>
void adds_up(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {9, 6, seed % 2 == 0});
  const auto messages = problem.messages<Value>();
  oracles::begin_somewhere(random, *messages);
  const PlainBeliefs plain = oracles::plain_beliefs(problem, *messages);
  const Labelling x = oracles::random_labelling(random, problem);
  const SlackMap map = slack_map(*messages, x);
  expect(map.bound == messages->bound() && map.bound == plain.bound(), "the bound", seed);
  expect(map.total == problem.value(x) - map.bound, "the gap, exactly", seed);
  expect(std::accumulate(map.slack.begin(), map.slack.end(), std::int64_t{0}) == map.total,
         "shared out without a rest", seed);
  // An edge's odd unit goes to its earlier end.
  std::vector<std::int64_t> slack;
  for (std::int32_t i = 0; i < problem.nodes; ++i) {
    expect(map.least[i] == plain.least(i), "what a node adds to the bound", seed);
    slack.push_back(plain.belief(i, x[i]) - plain.least(i));
  }
  for (std::size_t e = 0; e < problem.edges.size(); ++e) {
    const std::int64_t paid = plain.paid(e, x);
    slack[problem.edges[e].later()] += paid / 2;
    slack[problem.edges[e].earlier()] += paid - paid / 2;
  }
  expect(map.slack == slack, "slack by definition", seed);
  for (const std::int64_t pays : slack) expect(pays >= 0, "nobody is paid", seed);
}

// A label that is left out pays nothing, nor do its edges.
void left_out(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  SmallProblem problem = oracles::any_small_problem(random, {9, 4});
  if (problem.labels == 1) return;
  const Labelling x = oracles::random_labelling(random, problem);
  const std::int32_t out = oracles::between(random, 0, problem.nodes - 1);
  problem.allowed[problem.place(out, x[out])] = 0;
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const PlainBeliefs plain = oracles::plain_beliefs(problem, *messages);
  std::int64_t total = 0;
  for (std::int32_t i = 0; i < problem.nodes; ++i)
    if (i != out) total += plain.belief(i, x[i]) - plain.least(i);
  for (std::size_t e = 0; e < problem.edges.size(); ++e)
    if (problem.edges[e].tail != out && problem.edges[e].head != out) total += plain.paid(e, x);
  const SlackMap map = slack_map(*messages, x);
  expect(map.total == total && map.bound == plain.bound(), "a label that is left out", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 10000; ++seed) {
    adds_up<std::int32_t>(seed);
    adds_up<std::int64_t>(seed);
    left_out(seed);
  }
}
