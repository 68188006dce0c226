// Parts of a convex problem, solved by themselves.
//
// Messages on edges between a part and the rest are frozen (messages/message_part.hpp). The
// outermost variables of a part keep their labels, so that they go on to agree with those outside.
// If the part's bound proves its labels all the same, nothing is lost by that; else the part was
// too small.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/message_part.hpp"

namespace rangemoves {

template <class Value>
class Parts {
 public:
  // messages: of the whole problem, in normal form, as a forward sweep left them.
  Parts(const ConvexProblem& problem, std::int64_t scale, MessagesOf<Value>& messages,
        const EngineOptions& options, std::int64_t held, std::map<std::string, double>& statistics);

  // Takes in everyone within so many edges of these variables.
  void add_around(const std::vector<std::int32_t>& nodes, int reach);
  std::int64_t size() const { return size_; }
  // Whether the problems of all parts fit into the memory that a run may take.
  bool fit_memory() const;
  // What so many variables take, but for cuts.
  static std::int64_t bytes_of(std::int64_t variables, int labels);

  // Solves all parts that have grown since the last call, with the labels x to begin with and to
  // end with, messages too. tolerance: what may stay open in all of them, scaled. labels_are_old:
  // x was found for other costs. room: bytes for all parts and their cuts; parts that would
  // need more are not cut. Returns the variables near which parts must grow, since they could not
  // be solved.
  std::vector<std::int32_t> solve(Labelling& x, std::int64_t tolerance, bool labels_are_old,
                                  Control& control, std::int64_t room = INT64_MAX);

 private:
  enum State : std::uint8_t { outside, inside, fresh };

  const ConvexProblem& problem_;
  std::int64_t scale_;
  MessagesOf<Value>& messages_;
  const EngineOptions& options_;
  std::int64_t held_;
  std::map<std::string, double>& statistics_;
  bool has_rows_;  // whether parts can be swept by rows
  UnaryRows unary_;
  std::vector<std::uint8_t> state_;
  std::vector<std::int32_t> place_;  // of a variable in its part
  std::int64_t size_ = 0;

  bool is_on(const Incidence& n) const { return problem_.weight[n.edge] > 0; }
  // Variables that edges join which are switched on.
  std::vector<PartNodes> grown_parts();
  // As solve(), with so many bytes for cuts.
  std::vector<std::int32_t> solve_part(const PartNodes& of, Labelling& x, std::int64_t tolerance,
                                       bool labels_are_old, std::int64_t for_cuts,
                                       std::map<std::string, double>& statistics, Control& control);
};

}  // namespace rangemoves
