// The words of message passing: a message, the messages of an edge, a band of labels.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/problem/costs.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

struct ConvexProblem;

// A message where it lies: the labels of a vector need not follow each other directly.
template <class Value>
struct MessageVector {
  Value* data;
  std::int32_t stride;
  Value& operator[](int l) const { return data[l * stride]; }
};

// Labels low..high of every variable.
struct Band {
  std::vector<std::int32_t> low, high;
};

// A view of one edge's tight messages, valid during the visit only: p to the tail, q to the head.
template <class Value>
struct EdgeMessages {
  std::int64_t edge;
  MessageVector<Value> p, q;
};

// visit(messages of an edge, thread): threads are numbered from 0.
template <class Value>
using ThreadVisit = std::function<void(const EdgeMessages<Value>&, int)>;

// Goes through all edges that are switched on, in an order of its own, and shows their messages.
// With several threads: edges that are shown at the same time have no node in common.
template <class Value>
using MessageWalk = std::function<void(const ThreadVisit<Value>&)>;

// Wraps `visit` so that it polls now and then: a walk over all edges can take seconds.
template <class Visit>
auto polling(Visit visit, Control& control) {
  return [visit, &control, edges = 0](const auto& edge) mutable {
    if ((++edges & 0x7f) == 0) control.poll();
    visit(edge);
  };
}

// In which order a walk shows the edges of a node: any, which is faster, or the same one whatever
// the number of threads and the width of vectors. What visits only add up needs no order.
enum class EdgeOrder { any, fixed };

// The unary terms of a variable, valid until the next call.
using UnaryRows = std::function<CostRow(std::int32_t)>;

// Access to the messages of single edges, for cuts. An interface of its own, because messages on a
// device have to be copied back for it.
template <class Value>
class EdgeAccess {
 public:
  virtual ~EdgeAccess() = default;

  // After a forward sweep: shows every edge's tight pair of messages to `visit`, which may change
  // them; the one to the later node is kept. The problem is the one that was loaded last. With
  // `chosen`, one flag per variable: only the edges of those, the others stay as they are.
  using Visit = std::function<void(const EdgeMessages<Value>&)>;
  virtual void for_each_tight(const ConvexProblem& problem, const std::uint8_t* chosen,
                              const Visit& visit) = 0;
  void for_each_tight(const ConvexProblem& problem, const Visit& visit) {
    for_each_tight(problem, nullptr, visit);
  }

  // The same on as many threads as tight_threads() says, as a MessageWalk does it.
  virtual void share_tight(const ConvexProblem& problem, const std::uint8_t* chosen, EdgeOrder,
                           Control& control, const ThreadVisit<Value>& visit) {
    const auto alone = [&](const EdgeMessages<Value>& edge) { visit(edge, 0); };
    for_each_tight(problem, chosen, polling(alone, control));
  }
  virtual int tight_threads() const { return 1; }

  // After a forward sweep, or before any: the message on an edge to its later node, to be read or
  // set.
  virtual MessageVector<Value> to_later(std::int64_t edge) = 0;
};

}  // namespace rangemoves
