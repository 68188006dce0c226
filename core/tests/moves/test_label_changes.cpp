// Who is near a change, against a plain search from all that changed.
#include "rangemoves/moves/label_changes.hpp"

#include <vector>

#include "check.hpp"
#include "small_energies.hpp"

using namespace rangemoves;

namespace {

// What LabelChanges should answer, from the time at which each variable was last touched.
class PlainChanges {
 public:
  PlainChanges(const Energy& energy, Labelling start)
      : graph_(energy.graph), labels_(std::move(start)), touched_(labels_.size(), 0) {}

  void note(const std::vector<LabelChange>& changes) {
    ++now_;
    for (const LabelChange& change : changes) {
      labels_[change.node] = change.label;
      touched_[change.node] = now_;
      for (const Incidence* at = graph_.begin(change.node); at != graph_.end(change.node); ++at)
        touched_[at->other] = now_;
    }
  }

  template <class TakesPart>
  std::vector<std::int32_t> since(std::int64_t time, int reach, TakesPart&& takes_part) const {
    std::vector<int> distance(labels_.size(), -1);
    for (std::size_t i = 0; i < labels_.size(); ++i)
      if (touched_[i] > time && takes_part(labels_[i])) distance[i] = 0;
    for (int step = 0; step < reach; ++step) {
      bool any = false;
      for (std::int32_t i = 0; i < graph_.nodes(); ++i)
        if (distance[i] == step)
          for (const Incidence* at = graph_.begin(i); at != graph_.end(i); ++at)
            if (distance[at->other] < 0 && takes_part(labels_[at->other]))
              distance[at->other] = step + 1, any = true;
      if (!any) break;
    }
    std::vector<std::int32_t> reached;
    for (std::int32_t i = 0; i < graph_.nodes(); ++i)
      if (distance[i] >= 0) reached.push_back(i);
    return reached;
  }

  const Labelling& labels() const { return labels_; }

 private:
  const Neighbourhood& graph_;
  Labelling labels_;
  std::vector<std::int64_t> touched_;
  std::int64_t now_ = 0;
};

void random_changes(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  constexpr int labels = 5;
  // Several blocks of variables, and more than one component.
  const oracles::OwnedEnergy owned = oracles::random_energy(
      random, oracles::random_graph(random, 300, 350), {oracles::truncated(labels, 1, 2)});
  const Energy energy = owned.view();
  const Labelling start = oracles::random_labelling(random, energy);
  LabelChanges changes(energy, start);
  PlainChanges plain(energy, start);
  for (int k = 0; k < 12; ++k) {
    const std::int32_t wanted = oracles::between(random, 0, labels - 1);
    const auto takes_part = [&](std::int32_t label) {
      return label == wanted || label == (wanted + 1) % labels;
    };
    for (const std::int64_t time :
         {changes.now(), changes.now() - 1, changes.now() - 3, std::int64_t{-1}})
      for (const std::int32_t reach : {0, 1, 3, INT32_MAX})
        if (time >= -1) {
          expect(changes.since(time, reach, takes_part) == plain.since(time, reach, takes_part),
                 "those near a change, in order", seed);
          expect(changes.changed() == plain.since(time, 0, takes_part), "those that changed", seed);
        }
    std::vector<LabelChange> some;
    for (int c = oracles::between(random, 0, 3); c > 0; --c)
      some.push_back({oracles::between(random, 0, 299), oracles::between(random, 0, labels - 1)});
    if (k % 2 == 0) {
      changes.note(some);
    } else {  // by the whole labelling, without those that change nothing
      Labelling x = plain.labels();
      for (const LabelChange& change : some) x[change.node] = change.label;
      std::vector<LabelChange> real;
      for (std::int32_t i = 0; i < 300; ++i)
        if (x[i] != plain.labels()[i]) real.push_back({i, x[i]});
      changes.note(x);
      some = real;
    }
    plain.note(some);
    expect(changes.now() == k + 1, "every note is a moment of its own", seed);
  }
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 100; ++seed) random_changes(seed);
  return 0;
}
