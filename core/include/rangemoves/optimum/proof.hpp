// From a good labelling and good messages to a proof that nothing is better, or to something
// better: lazy sweeps raise the bound; the labelling pays what is left of the gap in a few places;
// islands around these are solved by branch and bound; where an island and its surroundings
// disagree, it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rangemoves/messages/tree_reweighted.hpp"
#include "rangemoves/optimum/branch_and_bound.hpp"
#include "rangemoves/optimum/certificate.hpp"

namespace rangemoves {

class Proof {
 public:
  virtual ~Proof() = default;

  // Starts from the messages of the sweeps, after a backward one.
  static std::unique_ptr<Proof> make(Trws& trws, const EngineOptions& options, bool certificate,
                                     Control& control);
  // Bytes that it takes, beside islands.
  static std::int64_t bytes(const Neighbourhood& graph, int labels, bool wide);

  // Marks all variables to be visited.
  virtual void begin_stage() = 0;
  // One lazy sweep there and back: a message that moves by less than a unit / parts lets whom it
  // goes to sleep. Returns how many variables were visited.
  virtual std::int64_t sweep(std::int64_t parts) = 0;
  // A labelling read off the messages, in either direction.
  virtual Labelling decode(bool forward) = 0;
  // The bound of the messages, after a full sweep, for the full sweeps too. They get the messages
  // back, unless they have a better bound.
  virtual void hand_back() = 0;

  struct Round {
    std::int64_t bound = 0;  // of the energy; fractions are rounded up
    Labelling labels;        // the given ones, with what islands found better
    std::size_t islands = 0, largest = 0, open = 0;
    std::int64_t branches = 0;  // nodes of all trees
    bool grew = false;          // the next round has larger islands
  };
  struct Effort {
    std::int64_t visits;  // of variables, in all islands of a round together
    // Islands may leave open a part of what they could: 1 / thrift. The less the easy ones leave,
    // the more is left for those that cannot be closed.
    std::int64_t thrift;
  };
  // Solves islands around where x pays. goal: a gap below so many units of the energy counts as
  // closed.
  virtual Round round(const Labelling& x, std::int64_t goal, const Effort& effort) = 0;
  // Makes the whole problem one island: for small ones.
  virtual void take_all() = 0;

  // The best bound so far, with its fractions.
  virtual double exact_bound() const = 0;
  // What proves it; empty unless it was asked for.
  virtual const Certificate& certificate() const = 0;

  // The bound of the energy before its costs were rounded, from the messages as they are and the
  // islands that were solved with them: multiplied by `scale` it became this one.
  virtual double certified_bound(const TrueCosts& costs, double scale) = 0;
};

}  // namespace rangemoves
