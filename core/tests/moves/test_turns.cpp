// Who is asked again after a change, on a chain where that can be counted.
#include "rangemoves/moves/turns.hpp"

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

constexpr std::int32_t kNodes = 60;
// A change touches its neighbours, and those asked lie up to twelve edges from one touched.
constexpr std::size_t kNear = 1 + 1 + 12;

struct Asked {
  int move;
  std::size_t variables;
};

bool operator==(const Asked& a, const Asked& b) {
  return a.move == b.move && a.variables == b.variables;
}

struct Chain {
  oracles::OwnedEnergy owned = make();
  Energy energy = owned.view();
  Control control;
  Workspace workspace;
  MoveLoop loop{energy, Labelling(kNodes, 0), {}, {}, {}, workspace, control};
  Turns turns{loop, 2};
  std::vector<Asked> asked;
  const std::vector<LabelChange> nothing, first_changes{{0, 1}};

  static oracles::OwnedEnergy make() {
    std::vector<std::int32_t> tail, head;
    for (std::int32_t i = 0; i + 1 < kNodes; ++i) tail.push_back(i), head.push_back(i + 1);
    Random random(0);
    return oracles::random_energy(random, Neighbourhood(kNodes, tail, head, 0),
                                  {oracles::truncated(3, 1, 1)});
  }

  // One run in which move 0 gains the first `gains` times that it is made.
  bool run(int gains, bool solved) {
    asked.clear();
    return turns.run([](std::int64_t) { return std::vector<int>{0, 1}; },
                     [](int, std::int32_t) { return true; },
                     [&](int move, const std::vector<std::int32_t>& variables) {
                       asked.push_back({move, variables.size()});
                       const bool gained = move == 0 && gains-- > 0;
                       return Turns::Outcome{gained, solved, gained ? first_changes : nothing};
                     });
  }
};

void everyone_first() {
  Chain chain;
  expect(chain.run(1, false), "a cycle that brought something");
  expect(chain.asked == std::vector<Asked>({{0, kNodes}, {1, kNodes}}), "everyone at first");
  expect(!chain.run(0, false), "then nothing does");
  expect(chain.asked == std::vector<Asked>({{0, kNear}, {0, kNodes}}),
         "those near the change, and everyone before it is given up; the second move was tried "
         "after the change");
  expect(!chain.run(0, false) && chain.asked.empty(), "and then nobody has anything to gain");
}

void solved_moves_rest() {
  Chain chain;
  expect(chain.run(1, true), "a cycle that brought something");
  expect(!chain.run(0, true), "then nothing does");
  expect(chain.asked.empty(), "a move that was solved is not made again without a change");
}

void changes_from_outside() {
  Chain chain;
  expect(!chain.run(0, true), "nothing brings anything");
  Labelling x(kNodes, 0);
  x[kNodes / 2] = 2;
  chain.turns.labels_changed(x);
  expect(!chain.run(0, true), "still nothing");
  const std::size_t near = 2 * kNear - 1;
  expect(chain.asked == std::vector<Asked>({{0, near}, {1, near}, {0, kNodes}, {1, kNodes}}),
         "on both sides of the change, then everyone");
}

void gains_nearby_go_on() {
  Chain chain;
  expect(chain.run(1, false) && chain.run(1, false), "two cycles that bring something");
  expect(chain.asked == std::vector<Asked>({{0, kNear}, {1, kNear}}),
         "the second asks those near the change, and after its gain the other move too");
}

void who_has_no_label_takes_no_part() {
  Chain chain;
  bool asked = false;
  expect(!chain.turns.run([](std::int64_t) { return std::vector<int>{0, 1}; },
                          [](int, std::int32_t label) { return label == 2; },
                          [&](int, const std::vector<std::int32_t>&) {
                            asked = true;
                            return Turns::Outcome{false, false, chain.nothing};
                          }),
         "nothing to gain");
  expect(!asked, "moves without variables are not made");
}

}  // namespace

int main() {
  everyone_first();
  solved_moves_rest();
  changes_from_outside();
  gains_nearby_go_on();
  who_has_no_label_takes_no_part();
  return 0;
}
