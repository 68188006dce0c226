// The table of backends: what there is works in both widths, what there is not is refused by name.
#include "rangemoves/messages/backend.hpp"

#include <string>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/messages.hpp"
#include "rangemoves/messages/types.hpp"

using namespace rangemoves;

namespace {

template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const BackendError& error) {
    return error.what();
  }
  return "";
}

void unknown_names() {
  const std::string what = refusal([] { find_backend("abacus"); });
  expect(what.find("cpu") != std::string::npos && what.find("abacus") != std::string::npos,
         "a refusal says what there is and what was found");
  Random random(0);
  const Neighbourhood graph = oracles::grid(3, 3);
  ConvexProblem problem = oracles::random_problem(random, graph, 4, {});
  EngineOptions options;
  options.backend = "abacus";
  Control control;
  expect(!refusal([&] { make_messages(problem, {64, false}, options, control); }).empty(),
         "nor are messages made");
  options.engine = EngineChoice::dual;
  expect(!refusal([&] { make_engine(options)->solve(problem, Labelling(9, 0), control); }).empty(),
         "nor is a move solved");
}

void both_widths_agree(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const Neighbourhood graph =
      seed % 2 == 0 ? oracles::grid(4, 5) : oracles::random_graph(random, 12, 20);
  const ConvexProblem problem =
      oracles::random_problem(random, graph, oracles::between(random, 2, 9), {});
  EngineOptions options;
  Control control;
  const auto narrow = make_messages(problem, {64, false}, options, control),
             wide = make_messages(problem, {64, true}, options, control);
  narrow->load(problem, control);
  wide->load(problem, control);
  for (int k = 0; k < 4; ++k)
    expect(narrow->sweep(k % 2 == 0, nullptr, control) == wide->sweep(k % 2 == 0, nullptr, control),
           "32 and 64 bits say the same", seed);
}

// Rows are swept together, more of them where values are narrow. Where a move leaves out columns,
// what one such strip hands to the next must not be what it was in the move before.
void columns_are_left_out(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  constexpr int width = 6, labels = 4;
  const Neighbourhood graph = oracles::grid(40, width);
  ConvexProblem problem = oracles::random_problem(random, graph, labels, {});
  problem.low.assign(static_cast<std::size_t>(graph.nodes()), 0);
  problem.high.assign(problem.low.size(), labels - 1);
  EngineOptions options;
  Control control;
  const auto narrow = make_messages(problem, {64, false}, options, control),
             wide = make_messages(problem, {64, true}, options, control);
  for (const bool left_out : {false, true}) {
    const int left = oracles::between(random, 0, width - 1);
    for (std::int32_t i = 0; left_out && i < graph.nodes(); ++i)
      if (i % width >= left && i % width <= left + 1) problem.high[i] = 0;
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      if (!problem.takes_part(graph.tail(e)) || !problem.takes_part(graph.head(e)))
        problem.weight[e] = 0;
    narrow->load(problem, control);
    wide->load(problem, control);
    for (int k = 0; k < 5; ++k)
      expect(
          narrow->sweep(k % 2 == 0, nullptr, control) == wide->sweep(k % 2 == 0, nullptr, control),
          "32 and 64 bits say the same", seed);
  }
}

void bytes() {
  const Backend& cpu = find_backend("cpu");
  expect(std::string(cpu.name) == "cpu" && cpu.is_there(), "the processor is always there");
  const Neighbourhood small = oracles::grid(8, 8), large = oracles::grid(32, 32);
  const std::int64_t values = 16 * (small.nodes() + small.edges());
  expect(cpu.bytes(small, 16, false) >= 4 * values, "four bytes a label of nodes and edges");
  expect(cpu.bytes(small, 16, true) >= 8 * values, "eight where they are wide");
  expect(cpu.bytes(large, 16, false) > cpu.bytes(small, 16, false), "more for more of them");
}

}  // namespace

int main() {
  unknown_names();
  for (std::int64_t seed = 0; seed < 40; ++seed) both_widths_agree(seed);
  for (std::int64_t seed = 0; seed < 40; ++seed) columns_are_left_out(seed);
  bytes();
  return 0;
}
