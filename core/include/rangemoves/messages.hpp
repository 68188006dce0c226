// The messages of a convex problem and the sweeps over them: TRW-S (Kolmogorov 2006) in integers.
//
// An edge keeps one message only. After a forward sweep it is q, to the later node; the other one
// is implied, p(a) = min_b (w h(a-b) - q(b)), and with it R >= 0. Any integers q are feasible in
// this way, so every sweep returns a true lower bound. On grids none is lower than the one before;
// where three chains or more meet, rounding their shares can cost a few units of the scale.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rangemoves/control.hpp"
#include "rangemoves/convex_problem.hpp"
#include "rangemoves/ishikawa.hpp"
#include "rangemoves/kernels.hpp"

namespace rangemoves {

// The problems are in normal form: every variable takes part with all labels, or has no edges that
// are switched on.

// All costs of a problem are multiplied by this before they become messages, so that shares of a
// cost keep fractions. 0 where 32 bits do not suffice even unscaled.
std::int64_t message_scale(const ConvexProblem& problem);

class Messages {
 public:
  virtual ~Messages() = default;

  // Takes over the unary terms and edges of a problem over the same graph, labels and scale.
  // Messages on edges whose weight is the same as before stay (any message is feasible, whatever
  // the table); all others start from zero.
  virtual void load(const ConvexProblem& problem, Control& control) = 0;

  // Whether a problem over the same graph and labels can be loaded: the wavefront knows one table
  // only.
  virtual bool accepts(const ConvexProblem&) const { return true; }

  // One sweep over all nodes. Returns a lower bound of scale * energy.
  virtual std::int64_t sweep(bool forward, const BandNote* note, Control& control) = 0;

  // After a forward sweep: shows every edge's tight pair of messages to `visit`, which may change
  // them; the one to the later node is kept. The problem is the one that was loaded last.
  virtual void for_each_tight(const ConvexProblem& problem,
                              const std::function<void(const EdgeMessages&)>& visit) = 0;

  // After a forward sweep, or before any: the message on an edge to its later node, to be read or
  // set.
  virtual MessageVector to_later(std::int64_t edge) = 0;

  // Whether the graph is a 4-connected grid, in rows.
  virtual bool is_grid() const = 0;

  // A labelling, variable by variable in the order of the nodes (Kolmogorov 2006), after a backward
  // sweep: each takes its best label given those before it and the messages from those after it.
  // Variables that do not take part keep their label.
  virtual void decode(const ConvexProblem& problem, Labelling& x, Control& control) = 0;

  // Remembers all messages; goes back to them.
  virtual void remember() = 0;
  virtual void go_back() = 0;

  virtual std::int64_t bytes() const = 0;
};

// On 4-connected grids with one table the wavefront, elsewhere label by label.
std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, std::int64_t scale,
                                        int threads, Control& control);

// What make_messages would allocate.
std::int64_t message_bytes(const Neighbourhood& graph, int labels);

// One table in both orientations, for the kernels.
class ShapePair {
 public:
  explicit ShapePair(const ConvexTable& table);
  ShapePair(ShapePair&&) = default;
  ShapePair& operator=(ShapePair&&) = default;
  const EdgeShape& from_tail() const { return from_tail_; }  // the message that the tail sends
  const EdgeShape& from_head() const { return from_head_; }
  bool symmetric() const { return symmetric_; }

 private:
  std::vector<std::int32_t> tail_taps_, head_taps_;
  EdgeShape from_tail_, from_head_;
  bool symmetric_;
};

}  // namespace rangemoves
