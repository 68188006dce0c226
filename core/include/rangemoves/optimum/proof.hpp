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
#include "rangemoves/run/settings.hpp"

namespace rangemoves {

class Proof {
 public:
  virtual ~Proof() = default;

  // Starts from the messages of the sweeps, after a backward one. Of the settings it takes those
  // of the engine, how islands are solved, and whether a certificate is kept.
  static std::unique_ptr<Proof> make(Trws& trws, const Settings& settings, Control& control);
  // Bytes that it takes, beside islands.
  static std::int64_t bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide);

  // Marks all variables to be visited.
  virtual void begin_stage() = 0;
  // One lazy sweep there and back: a variable is visited again only after a message to it has moved
  // by more than a unit / parts. Returns how many variables were visited.
  virtual std::int64_t sweep(std::int64_t parts) = 0;
  // A labelling read off the messages, in either direction.
  virtual Labelling decode(bool forward) = 0;
  // Ends lazy sweeps: visits all variables once, and raises the bound of the full sweeps to that of
  // the messages. The full sweeps also take the messages over, unless their own prove more.
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
    // All islands together may leave a gap that still counts as closed. Each may leave an equal
    // part of it, divided by thrift: what easy islands do not use is left for those that cannot be
    // closed.
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

  // A bound of the energy in the caller's costs, which were multiplied by `scale` and rounded: from
  // the messages as they are and the islands that were solved with them.
  virtual double certified_bound(const TrueCosts& costs, double scale) = 0;
};

}  // namespace rangemoves
