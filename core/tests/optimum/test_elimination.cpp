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
using Labels = std::vector<std::pair<std::int32_t, std::int32_t>>;

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

// The pass label by label: every belief is added up anew from the messages as they are.
class PlainPass {
 public:
  PlainPass(const SmallProblem& problem, const LazyMessages<std::int64_t>& messages)
      : problem_(problem) {
    const oracles::PlainBeliefs plain = oracles::plain_beliefs(problem, messages);
    for (const bool later : {false, true})
      for (std::size_t e = 0; e < problem.edges.size(); ++e) {
        messages_[later].emplace_back();
        for (int l = 0; l < problem.labels; ++l)
          messages_[later].back().push_back(plain.message(e, later, l));
      }
  }

  Labels run(std::int64_t cut) {
    Labels found;
    for (std::int32_t i = 0; i < problem_.nodes; ++i) {
      std::int64_t others = 0;
      for (std::int32_t j = 0; j < problem_.nodes; ++j) others += j == i ? 0 : least(j);
      for (int l = 0; l < problem_.labels; ++l)
        if (problem_.has(i, l) && others + belief(i, l) >= cut) found.emplace_back(i, l);
      send_on(i);
    }
    return found;
  }

  // What was sent to later nodes, by edge in the order of sweeps.
  std::vector<std::int64_t> sent() const {
    std::vector<std::int64_t> all;
    for (const OrderedEdge& e : problem_.graph().edges) {
      const std::vector<std::int64_t>& row = messages_[1][static_cast<std::size_t>(e.origin)];
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

 private:
  const SmallProblem& problem_;
  std::vector<std::vector<std::int64_t>> messages_[2];  // to earlier nodes, to later ones

  std::int64_t belief(std::int32_t i, int l) const {
    if (!problem_.has(i, l)) return oracles::kNothing;
    std::int64_t sum = problem_.unary[problem_.place(i, l)];
    for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
      if (problem_.edges[e].earlier() == i) sum += messages_[0][e][l];
      if (problem_.edges[e].later() == i) sum += messages_[1][e][l];
    }
    return sum;
  }
  std::int64_t least(std::int32_t i) const {
    std::int64_t least = oracles::kNothing;
    for (int l = 0; l < problem_.labels; ++l) least = std::min(least, belief(i, l));
    return least;
  }

  // To each later node an equal share of what is above the least belief; then, for i, the largest
  // message that is feasible beside it.
  void send_on(std::int32_t i) {
    std::int64_t before = 0, after = 0;
    for (const oracles::SmallEdge& e : problem_.edges) {
      before += e.later() == i;
      after += e.earlier() == i;
    }
    const std::int64_t base = least(i), chains = std::max({std::int64_t{1}, before, after});
    std::vector<std::int64_t> share;
    for (int l = 0; l < problem_.labels; ++l)
      share.push_back(problem_.has(i, l) ? (belief(i, l) - base) / chains : oracles::kNothing);
    for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
      const oracles::SmallEdge& edge = problem_.edges[e];
      if (edge.earlier() != i) continue;
      const std::vector<std::int64_t> back = messages_[0][e];
      for (int b = 0; b < problem_.labels; ++b) {
        std::int64_t sent = oracles::kNothing;
        for (int a = 0; a < problem_.labels; ++a)
          if (problem_.has(i, a))
            sent = std::min(sent, share[a] - back[a] + problem_.ordered_cost(edge, a, b));
        messages_[1][e][b] = sent;
      }
      for (int a = 0; a < problem_.labels; ++a) {
        std::int64_t feasible = oracles::kNothing;
        for (int b = 0; b < problem_.labels; ++b)
          if (problem_.has(edge.later(), b))
            feasible = std::min(feasible, problem_.ordered_cost(edge, a, b) - messages_[1][e][b]);
        messages_[0][e][a] = feasible;
      }
    }
  }
};

void same_as_label_by_label(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {9, 5, seed % 3 == 0});
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const std::int64_t cut = messages->bound() + oracles::between(random, 0, 300);
  PlainPass plain(problem, *messages);
  const Elimination found = find_eliminated(*messages, cut);
  expect(found.labels == plain.run(cut), "the pass label by label", seed);
  expect(found.sent == plain.sent(), "what it sent", seed);
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
      Labels expected;
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
  for (std::int64_t seed = 0; seed < 5000; ++seed) same_as_label_by_label(seed);
  for (std::int64_t seed = 0; seed < 300; ++seed) exact_on_chains(seed);
  takes_out_enough();
}
