// The ways in which messages lie in memory, each with its own kernels; make_messages_of chooses.
// What they compute is the same, to the digit.
#pragma once

#include <cstdint>
#include <memory>

#include "rangemoves/messages.hpp"

namespace rangemoves {

// Any graph: vectors over labels, node by node.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_label_messages(const ConvexProblem& problem,
                                                       std::int64_t scale, int threads,
                                                       Control& control);

// Grids with 4 or 8 neighbours and volumes with 6 or 26: vectors over rows. Every step to a
// neighbour has its own table, in one orientation.
template <class Value>
std::unique_ptr<MessagesOf<Value>> make_stencil_messages(const ConvexProblem& problem,
                                                         std::int64_t scale, int threads,
                                                         Control& control);

// Whether a problem can be laid out like that.
bool fits_stencil(const ConvexProblem& problem);
// Whether most lanes have something to do, for vectors of so many: small grids are better off label
// by label.
bool fills_stencil(const Topology& grid, std::int32_t lanes, int threads);
// What that takes.
std::int64_t stencil_message_bytes(const Topology& grid, int labels, bool wide, int threads);

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

}  // namespace rangemoves
