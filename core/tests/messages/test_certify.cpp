// Certified bounds against enumeration in the caller's own numbers: never above the optimum, and
// equal to it where messages are exact.
#include "rangemoves/messages/certify.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "proof_steps.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rounded_energies.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 64;
using oracles::costs_of;
using oracles::kInfinity;
using oracles::rounded;
using oracles::Rounded;

ConvexProblem for_sweeps(const oracles::OwnedEnergy& owned) {
  const auto n = static_cast<std::size_t>(owned.graph.nodes());
  ConvexProblem problem{owned.graph,
                        owned.labels,
                        {owned.view().theta, owned.graph.nodes(), owned.labels},
                        owned.weights,
                        {},
                        {},
                        std::vector<std::int32_t>(n, 0),
                        std::vector<std::int32_t>(n, owned.labels - 1)};
  for (const Table& g : owned.g.kinds()) problem.tables.push_back(ConvexTable::of_any(g));
  if (owned.g.index()) problem.table_of_edge = *owned.g.index();
  return problem;
}

// The bound after every sweep, forward or backward.
std::vector<double> bounds(const Rounded& energy, int sweeps) {
  const ConvexProblem problem = for_sweeps(energy.integers);
  Control control;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, 1, control);
  messages->load(problem, control);
  const TrueCosts costs = costs_of(energy);
  std::vector<double> bounds;
  for (int k = 0; k < sweeps; ++k) {
    const bool forward = k % 2 == 0;
    messages->sweep(forward, nullptr, control);
    bounds.push_back(certified_bound(energy.integers.graph, energy.integers.labels, *messages,
                                     forward, 1.0 / (10 * kScale), costs, control));
  }
  return bounds;
}

std::vector<Table> two_tables(Random& random, int labels) {
  return {oracles::truncated(labels, 2, 4), oracles::any_table(random, labels)};
}

void never_above(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 5);
  const Rounded energy =
      rounded(random, seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 9),
              two_tables(random, labels), seed % 3 == 0 ? 0 : 0.1 * static_cast<double>(seed % 7));
  const double optimum = energy.optimum();
  for (const double bound : bounds(energy, 6))
    expect(bound <= optimum && std::isfinite(bound), "no labelling costs less", seed);
}

void tight_on_trees(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Rounded energy = rounded(random, Neighbourhood(6, {0, 1, 1, 3, 5}, {1, 2, 3, 4, 3}, 0),
                                 two_tables(random, 4), 0);
  const double optimum = energy.optimum(), bound = bounds(energy, 4).back();
  expect(bound <= optimum && bound > optimum - 1e-9, "exact messages prove the optimum", seed);
}

// Messages know nothing of what is forbidden; the bound does.
void forbidden_labels(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Rounded energy = rounded(random, oracles::grid(2, 3), {oracles::truncated(4, 2, 4)}, 0.1);
  for (std::size_t i = 0; i < 6; ++i)
    energy.unary[4 * i + static_cast<std::size_t>(oracles::between(random, 0, 3))] = kInfinity;
  const double optimum = energy.optimum();
  for (const double bound : bounds(energy, 4))
    expect(bound <= optimum && std::isfinite(bound), "forbidden labels do not count", seed);
}

// Parts of the variables, solved by enumeration on the rounded costs, with the messages from
// outside as unary costs. Units: those of the messages.
struct EnumeratedParts {
  std::vector<int> part_of;  // per variable; -1: outside
  SolvedParts solved;
};

EnumeratedParts enumerate_parts(Random& random, const Rounded& energy, const ReadMessage& read) {
  const Neighbourhood& graph = energy.integers.graph;
  const int labels = energy.integers.labels, count = oracles::between(random, 1, 3);
  const oracles::SmallProblem whole = oracles::ranked(energy.integers, kScale);
  std::vector<std::vector<double>> read_ones;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    read_ones.emplace_back(static_cast<std::size_t>(labels));
    read(e, read_ones.back().data());
  }
  std::vector<std::vector<std::int64_t>> messages;
  for (const std::vector<double>& m : read_ones) messages.emplace_back(m.begin(), m.end());
  const oracles::PlainBeliefs plain(whole, [&](std::size_t e) { return messages[e].data(); });
  EnumeratedParts made;
  made.part_of.resize(static_cast<std::size_t>(graph.nodes()));
  for (int& part : made.part_of) part = oracles::between(random, -1, count - 1);
  const double unit = 1.0 / (10 * kScale);
  for (int k = 0; k < count; ++k) {
    std::vector<std::int32_t> ranks;
    SolvedPart part;
    for (std::int32_t r = 0; r < graph.nodes(); ++r) {
      if (made.part_of[graph.at_rank(r)] != k) continue;
      ranks.push_back(r);
      part.variables.push_back(graph.at_rank(r));
    }
    if (ranks.empty()) continue;
    const oracles::SmallProblem alone = oracles::cut_out(whole, plain, ranks, 1);
    for (const std::int64_t cost : alone.unary)
      part.unary.push_back(static_cast<double>(cost) * unit);
    part.bound = static_cast<double>(alone.optimum()) * unit;
    made.solved.parts.push_back(std::move(part));
  }
  made.solved.edge_cost = [&energy](std::int64_t e, int d) {
    return static_cast<double>(energy.integers.weights[static_cast<std::size_t>(e)] *
                               energy.integers.g[e](d)) /
           10;
  };
  return made;
}

// Of messages after a backward sweep, or of any.
void solved_parts(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int labels = oracles::between(random, 1, 4);
  const double noise = seed % 3 == 0 ? 0 : 0.1 * static_cast<double>(seed % 11);
  Rounded energy =
      rounded(random, seed % 2 == 0 ? oracles::grid(2, 3) : oracles::random_graph(random, 6, 9),
              two_tables(random, labels), noise);
  const ConvexProblem problem = for_sweeps(energy.integers);
  Control control;
  const auto messages = find_backend("cpu").make<std::int32_t>(problem, kScale, 1, control);
  messages->load(problem, control);
  for (int k = 0; k < 4; ++k) messages->sweep(k % 2 == 0, nullptr, control);
  const bool any = seed % 4 == 3;
  std::vector<std::vector<double>> random_ones;
  for (std::int64_t e = 0; e < energy.integers.graph.edges(); ++e) {
    random_ones.emplace_back();
    for (int l = 0; l < labels; ++l)
      random_ones.back().push_back(oracles::between(random, -20 * kScale, 20 * kScale));
  }
  const ReadMessage read = [&](std::int64_t e, double* message) {
    if (any)
      std::copy(random_ones[static_cast<std::size_t>(e)].begin(),
                random_ones[static_cast<std::size_t>(e)].end(), message);
    else
      messages->read(e, message);
  };
  if (seed % 5 == 0 && labels > 1)
    energy.unary[static_cast<std::size_t>(oracles::between(random, 0, 5) * labels)] = kInfinity;
  const EnumeratedParts parts = enumerate_parts(random, energy, read);
  const TrueCosts costs = costs_of(energy);
  const auto bound = [&](const SolvedParts& solved) {
    return certified_bound(energy.integers.graph, labels, read, false, 1.0 / (10 * kScale), costs,
                           solved, control);
  };
  const double found = bound(parts.solved), optimum = energy.optimum();
  expect(found <= optimum && std::isfinite(found), "no labelling costs less than parts say", seed);
  if (noise > 0 || seed % 5 == 0) return;
  expect(found >= bound({}) - 1e-9, "without rounding parts only raise a bound", seed);
  const auto inside = [](int part) { return part == 0; };
  if (std::all_of(parts.part_of.begin(), parts.part_of.end(), inside))
    expect(found > optimum - 1e-9, "one part proves the optimum", seed);
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 100; ++seed) {
    never_above(seed);
    tight_on_trees(seed);
    forbidden_labels(seed);
  }
  for (std::int64_t seed = 0; seed < 3000; ++seed) solved_parts(seed);
  return 0;
}
