// A part of a problem by itself: bounds stay true and never fall, nothing outside changes, and a
// part that lies in rows has the same messages as one that does not.
#include "rangemoves/messages/message_part.hpp"

#include <algorithm>

#include "check.hpp"
#include "oracles.hpp"
#include "rangemoves/messages/backend.hpp"

using namespace rangemoves;

namespace {

constexpr std::int64_t kScale = 16;

// A problem after a sweep, and what a part of it needs.
template <class Value>
struct Whole {
  const Neighbourhood graph;
  ConvexProblem problem;
  UnaryRows unary = [this](std::int32_t i) { return problem.unary.row(i); };
  Control control;
  std::unique_ptr<MessagesOf<Value>> messages;
  std::vector<std::uint8_t> in_part;
  std::vector<std::int32_t> place;

  Whole(Random& random, int height, int width, int labels)
      : graph(oracles::grid(height, width)),
        problem(oracles::random_problem(random, graph, labels, {})),
        messages(find_backend("cpu").make<Value>(problem, kScale, 1, control)),
        in_part(static_cast<std::size_t>(graph.nodes()), 0),
        place(in_part.size()) {
    messages->load(problem, control);
    messages->sweep(false, nullptr, control);
  }
  Whole(const Whole&) = delete;

  std::int64_t forward() { return messages->sweep(true, nullptr, control); }
  std::int64_t backward() { return messages->sweep(false, nullptr, control); }
  std::vector<Value> all_messages() {
    std::vector<Value> all;
    for (std::int64_t e = 0; e < graph.edges(); ++e)
      for (int l = 0; l < problem.labels; ++l) all.push_back(messages->edges().to_later(e)[l]);
    return all;
  }
  void restore() { messages->restore(); }
  MessagePart<Value> part(const PartNodes& of) {
    for (std::size_t k = 0; k < of.nodes.size(); ++k) {
      if (of.nodes[k] < 0) continue;
      in_part[of.nodes[k]] = 1;
      place[of.nodes[k]] = static_cast<std::int32_t>(k);
    }
    return {{problem, unary, kScale, *messages, in_part.data(), place.data()}, of, control};
  }
};

PartNodes near(const ConvexProblem& problem, std::int32_t node, int reach) {
  PartNodes of{reach_from(problem, {node}, reach)};
  std::sort(of.nodes.begin(), of.nodes.end());
  return of;
}

template <class Value>
void bounds(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Whole<Value> whole(random, 2, 4, 3);
  const std::int64_t best =
      kScale * oracles::brute_force(whole.problem, whole.problem.low, whole.problem.high);
  const std::int64_t before = whole.forward();
  const std::vector<Value> all = whole.all_messages();
  const PartNodes of = near(whole.problem, oracles::between(random, 0, 7), 1);
  MessagePart<Value> part = whole.part(of);
  if (!part.messages()) return;
  for (int k = 0; k < 3; ++k) {
    part.messages()->sweep(false, nullptr, whole.control);
    part.messages()->sweep(true, nullptr, whole.control);
  }
  part.write_back();
  const std::vector<Value> after = whole.all_messages();
  for (std::int64_t e = 0; e < whole.graph.edges(); ++e) {
    if (whole.in_part[whole.graph.tail(e)] && whole.in_part[whole.graph.head(e)]) continue;
    for (std::int64_t k = e * 3; k < (e + 1) * 3; ++k)
      expect(all[static_cast<std::size_t>(k)] == after[static_cast<std::size_t>(k)],
             "messages outside stay", seed);
  }
  const std::int64_t bound = whole.backward();
  expect(before <= bound && bound <= best, "bounds stay true and do not fall", seed);
}

// Sweeps, and messages of some edges that are changed as a cut does it. Returns all bounds, and of
// each variable the band that was noted.
template <class Value>
std::vector<std::int64_t> worked_on(MessagePart<Value>& part, const PartNodes& of,
                                    Whole<Value>& whole) {
  MessagesOf<Value>& messages = *part.messages();
  const auto places = of.nodes.size();
  std::vector<std::int32_t> low(places, 0), high(places, 0);
  const BandNote note{static_cast<std::int64_t>(places), 3 * kScale, low.data(), high.data()};
  std::vector<std::uint8_t> chosen(places, 0);
  for (std::size_t k = 0; k < places; ++k) chosen[k] = of.nodes[k] % 7 == 0;
  std::vector<std::int64_t> seen;
  for (int k = 0; k < 5; ++k) {
    seen.push_back(messages.sweep(false, nullptr, whole.control));
    seen.push_back(messages.sweep(true, &note, whole.control));
    for (std::size_t i = 0; i < places; ++i)
      if (of.nodes[i] >= 0) seen.insert(seen.end(), {low[i], high[i]});
    messages.edges().for_each_tight(part.problem(), chosen.data(), [&](const auto& edge) {
      const Neighbourhood& graph = part.problem().graph;
      const std::int32_t i = of.nodes[static_cast<std::size_t>(graph.tail(edge.edge))];
      for (int l = 0; l < part.problem().labels; ++l)
        edge.p[l] += static_cast<Value>((i + l) % 5), edge.q[l] -= static_cast<Value>((i + l) % 3);
    });
  }
  return seen;
}

// The rectangle has gaps where reach ends in corners.
template <class Value>
void rows(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Whole<Value> whole(random, 90, 100, 5);
  whole.forward();
  whole.messages->snapshot();
  std::vector<std::int32_t> block;
  for (int y = 10; y < 68; ++y)
    for (int x = 20; x < 78; ++x) block.push_back(y * 100 + x);
  PartNodes list{reach_from(whole.problem, block, 3)};
  std::sort(list.nodes.begin(), list.nodes.end());
  PartNodes rectangle = list;
  rectangle.lay_out_by_rows<Value>(whole.problem);
  expect(rectangle.row == 64 && rectangle.nodes.size() == 64 * 64, "a rectangle", seed);
  expect(std::count(rectangle.nodes.begin(), rectangle.nodes.end(), -1) >= 12, "with gaps", seed);
  MessagePart<Value> by_list = whole.part(list);
  const std::vector<std::int64_t> expected = worked_on(by_list, list, whole);
  by_list.write_back();
  const std::vector<Value> messages = whole.all_messages();
  whole.restore();
  MessagePart<Value> by_rows = whole.part(rectangle);
  expect(worked_on(by_rows, rectangle, whole) == expected, "the same bounds and bands by rows",
         seed);
  by_rows.write_back();
  expect(messages == whole.all_messages(), "the same messages by rows", seed);
}

void what_is_worth_it() {
  expect(is_worth_it(4000, 1, 100000) && !is_worth_it(5001, 1, 100000), "few in any case");
  expect(!is_worth_it(4000, 1, 10000) && is_worth_it(2500, 1, 10000), "but no more than a quarter");
  expect(is_worth_it(20000, 5000, 100000) && !is_worth_it(20001, 5000, 100000),
         "some times as many as have new costs");
}

void few_stay_a_list() {
  Random random(1);
  Whole<std::int32_t> whole(random, 90, 100, 5);
  PartNodes of{{4550, 4551, 4552, 4553, 4554}};
  of.lay_out_by_rows<std::int32_t>(whole.problem);
  expect(of.row == 0 && of.nodes.size() == 5, "five in a row fill no vectors");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    bounds<std::int32_t>(seed);
    bounds<std::int64_t>(seed);
  }
  for (std::int64_t seed = 0; seed < 3; ++seed) {
    rows<std::int32_t>(seed);
    rows<std::int64_t>(seed);
  }
  few_stay_a_list();
  what_is_worth_it();
}
