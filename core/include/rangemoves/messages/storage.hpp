// The ways in which messages lie in memory, each with its own kernels; cpu_backend.cpp chooses.
// All of them compute the same numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rangemoves/messages/messages.hpp"
#include "rangemoves/messages/shapes.hpp"

namespace rangemoves {

// Any graph: vectors over labels, node by node.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_label_messages(const ConvexProblem& problem,
                                                       std::int64_t scale, int threads,
                                                       Control& control);

// Grids with 4 neighbours and one table: vectors over rows.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_wavefront_messages(const ConvexProblem& problem,
                                                           std::int64_t scale, int threads,
                                                           Control& control);

// Whether a problem can be laid out like that: its table runs in the same direction everywhere.
bool fits_wavefront(const ConvexProblem& problem);

// Adds to the messages of such a grid those of the grid of its blocks, two by two variables each:
// part / whole of them, in proportion to the weights of the edges.
template <class Value>
void add_block_messages(const ConvexProblem& problem, MessagesOf<Value>& grid,
                        MessagesOf<Value>& blocks, std::int64_t part, std::int64_t whole,
                        Control& control);

// Grids with 4 or 8 neighbours and volumes with 6 or 26: vectors over rows. Every step to a
// neighbour has its own table, in one orientation.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_stencil_messages(const ConvexProblem& problem,
                                                         std::int64_t scale, int threads,
                                                         Control& control);

// Whether a problem can be laid out like that.
bool fits_stencil(const ConvexProblem& problem);
// Whether the grid is large enough for vectors of so many lanes: on small grids most lanes would be
// idle, and sweeps label by label are faster.
bool fills_stencil(const Topology& grid, std::int32_t lanes, int threads);

// The edges of a grid that fits_stencil(), in the order in which messages by rows are shown: offset
// by offset, those of earlier nodes first. None of other graphs.
std::vector<std::int64_t> edges_by_offset(const ConvexProblem& problem);
// Bytes of that layout.
std::int64_t stencil_message_bytes(const Topology& grid, int labels, bool wide, int threads);

inline bool is_grid(const Topology& topology) {
  using Kind = Topology::Kind;
  return topology.kind == Kind::grid4 || topology.kind == Kind::grid8 ||
         topology.kind == Kind::grid6 || topology.kind == Kind::grid26;
}

// Whether it does not matter in which direction an edge runs.
inline bool is_symmetric(const ConvexTable& table) {
  for (int d = 1; d < table.h.labels(); ++d)
    if (table.h(d) != table.h(-d)) return false;
  return true;
}

// Whether one of an edge's ends is chosen; without a choice all are.
inline bool has_chosen_end(const Neighbourhood& graph, std::int64_t e, const std::uint8_t* chosen) {
  return !chosen || chosen[graph.tail(e)] || chosen[graph.head(e)];
}

// Of the edges in these lanes those with such an end.
inline LaneBits lanes_with_chosen_end(const Neighbourhood& graph, LaneBits lanes,
                                      const std::int32_t* edges, const std::uint8_t* chosen) {
  if (!chosen) return lanes;
  LaneBits with = 0;
  LaneBits left = lanes;
  for (int lane = 0; left != 0; ++lane, left >>= 1)
    if ((left & 1) && has_chosen_end(graph, edges[lane], chosen)) with |= LaneBits{1} << lane;
  return with;
}

// Threads only pay off on sweeps that last a few milliseconds.
inline int useful_threads(int threads, std::int64_t values) {
  return values < 400000 ? 1 : threads;
}

// The unary terms of one variable, scaled.
template <class Value, class Put>
void scaled_unary(const CostRow& costs, int labels, std::int64_t scale, Put&& put) {
  costs.visit([&](auto* theta) {
    for (int l = 0; l < labels; ++l) put(l, static_cast<Value>(theta[l] * scale));
  });
}

// What all ways to keep messages in ordinary memory have in common.
template <class Value>
class StoredMessages : public MessagesOf<Value>, public EdgeAccess<Value> {
 public:
  explicit StoredMessages(const ConvexProblem& problem)
      : graph_(problem.graph), labels_(problem.labels) {}

  void read(std::int64_t e, double* message) override {
    const MessageVector<Value> from = this->to_later(e);
    for (int l = 0; l < labels_; ++l) message[l] = static_cast<double>(from[l]);
  }
  void write(std::int64_t e, const double* message) override {
    const MessageVector<Value> to = this->to_later(e);
    for (int l = 0; l < labels_; ++l) to[l] = static_cast<Value>(message[l]);
  }
  EdgeAccess<Value>& edges() override { return *this; }

 protected:
  const Neighbourhood& graph_;
  const std::int32_t labels_;

  // Messages of edges side by side, a lane each: label by label those to the later nodes, and room
  // for twice as many, those to the earlier nodes among them.
  struct Lanes {
    const std::int32_t* edges;
    std::int32_t count;
    Value *room, *later;
  };
  // Values that Lanes::room must have.
  static std::size_t room_for(std::int32_t labels, std::int32_t lanes) {
    return 2 * static_cast<std::size_t>(labels) * static_cast<std::size_t>(lanes);
  }
  // tighten(earlier) tightens all lanes at once; then those in `visited` are shown. All others stay
  // as they were: which edges lie in the same vectors must make no difference.
  template <class Tighten, class Show>
  void show(const Lanes& lanes, LaneBits visited, const Tighten& tighten, const Show& visit) const {
    Value* const before = lanes.room + std::int64_t{labels_} * lanes.count;
    const LaneBits all = lanes.count < 32 ? (LaneBits{1} << lanes.count) - 1 : ~LaneBits{0};
    const LaneBits kept = all & ~visited;
    if (kept != 0) std::copy_n(lanes.later, std::int64_t{labels_} * lanes.count, before);
    tighten(lanes.room);
    if (kept != 0) keep(kept, lanes, before);
    for (std::int32_t k = 0; k < lanes.count; ++k) {
      if (kept >> k & 1) continue;
      const MessageVector<Value> first{lanes.room + k, lanes.count},
          second{lanes.later + k, lanes.count};
      const bool tail_first = graph_.tail_first(lanes.edges[k]);
      visit(EdgeMessages<Value>{lanes.edges[k], tail_first ? first : second,
                                tail_first ? second : first});
    }
  }

 private:
  // Puts back what some lanes held before, whole vectors at a time.
  void keep(LaneBits kept, const Lanes& lanes, const Value* before) const {
    Value chosen[8 * sizeof(LaneBits)];
    for (std::int32_t k = 0; k < lanes.count; ++k) chosen[k] = -static_cast<Value>(kept >> k & 1);
    for (std::int32_t l = 0; l < labels_; ++l) {
      Value* const now = lanes.later + std::int64_t{l} * lanes.count;
      const Value* const then = before + std::int64_t{l} * lanes.count;
      for (std::int32_t k = 0; k < lanes.count; ++k)
        now[k] = (then[k] & chosen[k]) | (now[k] & ~chosen[k]);
    }
  }
};

// Translates a BandNote between ranks, which kernels use, and nodes, which its owner uses.
class RankedNote {
 public:
  RankedNote(const Neighbourhood& graph, const BandNote* note) : graph_(graph), given_(note) {
    if (!note || graph.keeps_order()) return;
    low_.resize(static_cast<std::size_t>(note->nodes));
    high_.resize(low_.size());
    for (std::int32_t i = 0; i < graph.nodes(); ++i) {
      low_[graph.rank(i)] = note->low[i];
      high_[graph.rank(i)] = note->high[i];
    }
    ranked_ = BandNote{note->nodes, note->slack, low_.data(), high_.data(), note->margin};
  }
  const BandNote* get() const { return low_.empty() ? given_ : &ranked_; }

  // Nodes that the sweep left out keep what they had.
  void hand_over() const {
    if (low_.empty()) return;
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      given_->low[i] = low_[graph_.rank(i)];
      given_->high[i] = high_[graph_.rank(i)];
    }
  }

 private:
  const Neighbourhood& graph_;
  const BandNote* given_;
  BandNote ranked_{};
  std::vector<std::int32_t> low_, high_;
};

// Bytes of messages, for estimates before there is a graph: a 4-connected grid with one table, any
// other graph.
std::int64_t grid_message_bytes(std::int64_t nodes, std::int64_t row, int labels, bool wide);
std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide);

}  // namespace rangemoves
