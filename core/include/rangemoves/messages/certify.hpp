// A lower bound in the caller's own numbers.
//
// Messages are found on rounded costs, but any messages are feasible for any costs: given the
// message q to one end of an edge, p(a) = min_b (w g(a - b) - q(b)) is the largest feasible one to
// the other end, and then no labelling costs less than the sum over the variables of min_l
// (theta(l) + messages to it). So one pass over the true costs gives a bound that does not pay for
// the worst case of every rounding. It is computed in doubles, and whatever their rounding can have
// added is taken off.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rangemoves/messages/messages.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

// The energy before rounding.
struct TrueCosts {
  // The unary costs of variables first .. last-1, one row after the other; infinite: forbidden.
  std::function<void(std::int32_t first, std::int32_t last, double* costs)> unary;
  std::vector<double> weights;     // per edge
  PerEdge<std::vector<double>> g;  // g(-(L-1)) .. g(L-1); infinite: a forbidden difference
};

// Where messages are read from: the one on an edge.
using ReadMessage = std::function<void(std::int64_t edge, double* message)>;

// Variables that were solved by themselves, with the messages from outside as unary costs. All in
// the caller's units.
struct SolvedPart {
  std::vector<std::int32_t> variables;
  std::vector<double> unary;  // variables x labels: what was solved, rounded
  double bound = 0;           // of that
};

// Parts that do not overlap. A part's true costs are no lower than the rounded ones less what the
// rounding can have added to each of them, and so is its bound.
struct SolvedParts {
  std::vector<SolvedPart> parts;
  std::function<double(std::int64_t edge, int difference)> edge_cost;  // rounded
};

// `to_later`: the messages are those of a forward sweep. `unit`: what they are multiplied by to be
// in the caller's units.
double certified_bound(const Neighbourhood& graph, int labels, const ReadMessage& read,
                       bool to_later, double unit, const TrueCosts& costs,
                       const SolvedParts& solved, Control& control);
double certified_bound(const Neighbourhood& graph, int labels, Messages& messages, bool to_later,
                       double unit, const TrueCosts& costs, Control& control);

}  // namespace rangemoves
