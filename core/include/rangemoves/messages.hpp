// The messages of a convex problem and the sweeps over them: TRW-S (Kolmogorov 2006) in integers.
//
// An edge keeps one message only. After a forward sweep it is q, to the later node; the other one
// is implied, p(a) = min_b (w h(a-b) - q(b)), and with it R >= 0. Any integers q are feasible in
// this way, so every sweep returns a true lower bound, and none is lower than the one before:
// shares are rounded so that nothing is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rangemoves/control.hpp"
#include "rangemoves/convex_problem.hpp"
#include "rangemoves/ishikawa.hpp"
#include "rangemoves/kernels.hpp"
#include "rangemoves/limits.hpp"

namespace rangemoves {

// The problems are in normal form: every variable takes part with all labels, or has no edges that
// are switched on.

// The unary terms of a variable, valid until the next call.
using UnaryRows = std::function<CostRow(std::int32_t)>;

class Messages {
 public:
  virtual ~Messages() = default;

  // Takes over the unary terms and edges of a problem over the same graph, labels and plan.
  // Messages on edges whose weight is the same as before stay (any message is feasible, whatever
  // the table); all others start from zero.
  void load(const ConvexProblem& problem, Control& control) {
    load(problem, [&](std::int32_t i) { return problem.unary.row(i); }, control);
  }
  // The same with unary terms that are nowhere kept.
  virtual void load(const ConvexProblem& problem, const UnaryRows& unary, Control& control) = 0;

  // Whether a problem over the same graph and labels can be loaded: by rows there is one table, or
  // one for every direction.
  virtual bool accepts(const ConvexProblem&) const { return true; }

  // One sweep over all nodes. Returns a lower bound of scale * energy.
  virtual std::int64_t sweep(bool forward, const BandNote* note, Control& control) = 0;

  // Whether the graph is a 4-connected grid, in rows.
  virtual bool is_grid() const = 0;

  // A labelling, variable by variable in the order of the nodes (Kolmogorov 2006), after a backward
  // sweep: each takes its best label given those before it and the messages from those after it.
  // Variables that do not take part keep their label.
  virtual void decode(const ConvexProblem& problem, Labelling& x, Control& control) = 0;

  // The message on an edge, of the sweep that was last: to its later node after a forward one, to
  // its earlier node after a backward one.
  virtual void read(std::int64_t edge, double* message) = 0;

  // Remembers all messages; goes back to them, once.
  virtual void remember() = 0;
  virtual void go_back() = 0;
};

// The same where somebody works on the messages themselves.
template <class Value>
class MessagesOf : public Messages {
 public:
  // After a forward sweep: shows every edge's tight pair of messages to `visit`, which may change
  // them; the one to the later node is kept. The problem is the one that was loaded last.
  virtual void for_each_tight(const ConvexProblem& problem,
                              const std::function<void(const EdgeMessages<Value>&)>& visit) = 0;

  // After a forward sweep, or before any: the message on an edge to its later node, to be read or
  // set.
  virtual MessageVector<Value> to_later(std::int64_t edge) = 0;
};

// On grids by rows, where every direction has one table; elsewhere label by label.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_messages_of(const ConvexProblem& problem,
                                                    std::int64_t scale, int threads,
                                                    Control& control);
std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, const MessagePlan& plan,
                                        int threads, Control& control);

// What make_messages would allocate.
std::int64_t message_bytes(const Neighbourhood& graph, int labels, bool wide);

// The same where the graph is not yet there: of a 4-connected grid with one table, of any other.
std::int64_t grid_message_bytes(std::int64_t nodes, std::int64_t row, int labels, bool wide);
std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide);

// One table in both orientations, for the kernels.
template <class Value>
class ShapePair {
 public:
  explicit ShapePair(const ConvexTable& table);
  ShapePair(ShapePair&&) = default;
  ShapePair& operator=(ShapePair&&) = default;
  const EdgeShape<Value>& from_tail() const { return from_tail_; }  // what the tail sends
  const EdgeShape<Value>& from_head() const { return from_head_; }

 private:
  std::vector<Value> tail_taps_, head_taps_;
  EdgeShape<Value> from_tail_, from_head_;
};

}  // namespace rangemoves
