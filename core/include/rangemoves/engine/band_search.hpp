// Messages, a cut of a narrow band of labels, and a proof, over and over with a wider band: how a
// whole convex problem, or a part of one, is solved.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/messages.hpp"

namespace rangemoves {

// What a search works on: a problem in normal form, with its messages loaded.
template <class Value>
struct BandTask {
  const ConvexProblem& problem;
  MessagesOf<Value>& messages;
  std::int64_t scale;      // of the messages
  std::int64_t tolerance;  // a bound less than this below scale * energy proves the energy
  std::int64_t held;       // bytes that messages take, beside which a cut must fit
  std::int64_t for_cuts;   // bytes that cuts keep to as long as that leads to a proof
  const EngineOptions& options;
};

// Bytes for cuts of a whole problem, beside messages that take `held`. The smallest one has a band
// of one label on either side of the best, and two nodes for every variable. Larger ones keep to
// this budget, unless a proof needs more. It is above the smallest cut by a fifth of what that and
// the messages take together, so that the memory of a move is known beforehand.
std::int64_t cut_budget(std::int64_t variables, std::int64_t edges, int labels, std::int64_t held,
                        bool wide);

// What a cut of all labels takes.
std::int64_t full_cut_bytes(const ConvexProblem& problem, bool wide);

template <class Value>
class BandSearch {
 public:
  BandSearch(const BandTask<Value>& task, std::map<std::string, double>& statistics,
             Control& control);
  BandSearch(const BandSearch&) = delete;

  // These sweep until the bound proves the energy, and return whether it does; else until it rises
  // too slowly, and note the band for a cut. The first: by less than this part of the gap between
  // the energy and the bound.
  bool close_gap(std::int64_t energy, double least_part_of_gap, int most_sweeps);
  // For labels that may be far from the best, so that the gap says nothing: by less than a part of
  // what these sweeps have raised it. The band is one label where sweeps have decided.
  bool settle(std::int64_t energy, int most_sweeps);
  // So slowly that a cut of the band takes less time than sweeps that would make it narrower.
  bool prepare_cut(std::int64_t energy);

  // Sweeps only until most variables have one label that is much better than all others. Those keep
  // it; the others, and those next to them, are cut. `cut` gets a flag per variable: whether it
  // was among these. False where too many are undecided: nothing is cut then. Where it returns true
  // the solution may be proven or not.
  bool cut_undecided(MoveSolution& solution, std::vector<std::uint8_t>& cut);

  // A sweep that notes the band for the next cut: takes twice as long.
  std::int64_t note_band() { return sweep(&note_); }

  // Whether a few sweeps raise the bound to the energy. They end as soon as it is clear that they
  // will not.
  bool prove(std::int64_t energy) { return repair(energy, false); }

  // One sweep back and forth. Returns what it leaves of the gap below scale * energy: less than the
  // tolerance is a proof.
  std::int64_t sweep_gap(std::int64_t energy);

  // Goes on from the labelling and the energy that narrow cuts have found, in no more memory than
  // they had, so many bytes. Returns whether the labelling is now proven.
  using GoOn = std::function<bool(MoveSolution& solution, std::int64_t room)>;
  // Cuts until the best labelling is proven. Its energy must be set. Bands whose cuts would take
  // more memory than the task has for them are made narrower, with sweeps after each cut. Where
  // such a cut does not halve the gap it is for `go_on`, if there is any, and if that does not
  // prove the labelling either, there is a quarter more memory for the next cut.
  void cut_until_proven(MoveSolution& solution, const GoOn& go_on = {});
  // The same with the labels of these variables fixed, for as many cuts, if the
  // task has memory for them: says nothing of other labels of theirs, but the proof does. Returns
  // whether it succeeded.
  bool cut_within(const std::vector<std::int32_t>& fixed, int most_cuts, MoveSolution& solution);

 private:
  const BandTask<Value> task_;
  std::map<std::string, double>& statistics_;
  Control& control_;
  Band band_;
  BandNote note_;
  // The highest of the sweeps that followed a cut. Energies, and with them bounds, may be negative.
  std::int64_t bound_ = INT64_MIN;

  bool proves(std::int64_t energy, std::int64_t bound) const {
    return energy * task_.scale - bound < task_.tolerance;
  }
  // Back and forth; forward last: cuts and moves begin where a forward sweep ends.
  std::int64_t sweep(const BandNote* note = nullptr);
  double contested() const;
  std::int64_t cut_bytes() const;
  // Notes the band with less slack where its cut would take more than so many bytes: with about as
  // much as they allow. Returns whether it had to be narrower.
  bool fit_band(std::int64_t most_bytes);
  // Sweeps after the cut of a band that was made narrower. Returns whether they prove the energy.
  bool sweep_after_cut(std::int64_t energy);
  // Cuts the band, and adds the flow to the messages: the next cut starts from there.
  Labelling cut();
  // As prove(). goes_on: another cut follows where that fails, for which all sweeps are made and
  // the band is noted.
  bool repair(std::int64_t energy, bool goes_on);
  // Cuts, takes what is better, and tries to prove it.
  void cut_once(MoveSolution& solution, bool goes_on);
  // Makes the noted band one label wide where only one is near the best, but for the neighbours of
  // others. Returns how many variables have more.
  std::int64_t narrow_band(std::vector<std::uint8_t>& cut);
  // A sweep that notes the band at this part of the usual slack, made narrow. Returns the same.
  std::int64_t note_undecided(double part_of_slack, std::vector<std::uint8_t>& cut);
};

}  // namespace rangemoves
