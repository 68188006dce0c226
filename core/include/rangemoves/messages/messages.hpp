// The messages of a convex problem and the sweeps over them: TRW-S (Kolmogorov 2006) in integers.
//
// An edge keeps one message only. After a forward sweep it is q, to the later node; the other one
// is implied, p(a) = min_b (w h(a-b) - q(b)), and with it R >= 0. Any integers q are feasible in
// this way, so every sweep returns a true lower bound, and none is lower than the one before:
// shares are rounded so that nothing is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rangemoves/messages/types.hpp"
#include "rangemoves/problem/convex_problem.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

// The problems are in normal form: every variable takes part with all labels, or has no edges that
// are switched on.

class Messages {
 public:
  virtual ~Messages() = default;

  // Takes over the unary terms and edges of a problem over the same graph, labels and plan.
  // Messages on edges whose weight is the same as before stay (any message is feasible, whatever
  // the table); all others start from zero.
  void load(const ConvexProblem& problem, Control& control) { load(problem, {}, control); }
  // The same with unary terms that are computed row by row and not stored; empty: the problem's.
  virtual void load(const ConvexProblem& problem, const UnaryRows& unary, Control& control) = 0;

  // Whether the last load gave a variable other unary terms than it had.
  bool was_changed(std::int32_t variable) const {
    return changed_[static_cast<std::size_t>(variable)] != 0;
  }

  // Whether a problem over the same graph and labels can be loaded: by rows there is one table, or
  // one for every direction.
  virtual bool accepts(const ConvexProblem&) const { return true; }

  // One sweep over all nodes. Returns a lower bound of scale * energy.
  virtual std::int64_t sweep(bool forward, const BandNote* note, Control& control) = 0;

  // A labelling, variable by variable in the order of the nodes (Kolmogorov 2006), after a backward
  // sweep: each takes its best label given those before it and the messages from those after it.
  // Variables that do not take part keep their label. Returns what the labelling costs, scaled.
  virtual std::int64_t decode(const ConvexProblem& problem, Labelling& x, Control& control) = 0;

  // The same and, where both at once take less time than one after the other, the forward sweep
  // that comes next: then `bound` receives what it returns, else nothing.
  virtual std::int64_t decode_and_sweep(const ConvexProblem& problem, Labelling& x,
                                        std::optional<std::int64_t>& bound, Control& control) {
    bound.reset();
    return decode(problem, x, control);
  }

  // The message on an edge, of the sweep that was last: to its later node after a forward one, to
  // its earlier node after a backward one.
  virtual void read(std::int64_t edge, double* message) = 0;
  // Sets it. Any is feasible.
  virtual void write(std::int64_t edge, const double* message) = 0;

  // Gives back the memory of unary terms, where that is much: a cut, which needs a lot of its own,
  // does not ask for them. Before the next sweep they must be brought back, or loaded.
  virtual void set_unary_aside() {}
  // The problem is the one that was loaded last, without rows of its own.
  virtual void bring_unary_back(const ConvexProblem&, Control&) {}

  // Keeps a copy of all messages; goes back to it, once.
  virtual void snapshot() = 0;
  virtual void restore() = 0;

 protected:
  // The rows that a load was given, or those of the problem.
  static UnaryRows rows_or_own(const ConvexProblem& problem, const UnaryRows& given) {
    if (given) return given;
    return [&problem](std::int32_t i) { return problem.unary.row(i); };
  }

  std::vector<std::uint8_t> changed_;  // per variable: see was_changed
};

// Messages of one type, and a way to their edges.
template <class Value>
class MessagesOf : public Messages {
 public:
  virtual EdgeAccess<Value>& edges() = 0;
};

}  // namespace rangemoves
