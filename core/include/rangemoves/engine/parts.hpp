// Parts of a convex problem, solved by themselves.
//
// Messages on edges between a part and the rest are frozen and become unary costs of the part. Its
// own bound and those of all variables outside then still add up to a bound of the whole. The
// outermost variables of a part keep their labels, so that they go on to agree with those outside.
// If the part's bound proves its labels all the same, nothing is lost by that; else the part was
// too small.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/messages.hpp"
#include "rangemoves/messages/shapes.hpp"

namespace rangemoves {

// Everyone who takes part within so many edges of these variables, themselves too.
std::vector<std::int32_t> reach_from(const ConvexProblem& problem,
                                     const std::vector<std::int32_t>& nodes, int reach);

// Variables by their rank, joined by edges that are switched on. Where those of a grid nearly fill
// the rectangle around them they lie as that does, and sweeps over it go by rows, several times as
// fast: `row` is its width then, and nobody's places are -1.
struct PartNodes {
  std::vector<std::int32_t> nodes;
  std::int32_t row = 0;  // 0: one after the other
};

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

  // Solves all parts that have grown since the last call, with the labels x to begin with and to
  // end with, messages too. tolerance: what may stay open in all of them, scaled. labels_are_old:
  // x was found for other costs. Returns the variables near which parts must grow, since they could
  // not be solved.
  std::vector<std::int32_t> solve(Labelling& x, std::int64_t tolerance, bool labels_are_old,
                                  Control& control);

 private:
  struct Part;
  enum State : std::uint8_t { outside, inside, fresh };

  const ConvexProblem& problem_;
  std::int64_t scale_;
  MessagesOf<Value>& messages_;
  const EngineOptions& options_;
  std::int64_t held_;
  std::map<std::string, double>& statistics_;
  bool has_rows_;  // whether parts can be swept by rows
  std::vector<std::uint8_t> state_;
  std::vector<std::int32_t> place_;  // of a variable in its part
  std::int64_t size_ = 0;

  bool is_on(const Incidence& n) const { return problem_.weight[n.edge] > 0; }
  std::vector<PartNodes> grown_parts();
  // Lays them out as a rectangle where that is worth it, and notes their places.
  void lay_out(PartNodes& part);
  std::unique_ptr<Part> extract(const PartNodes& of, Control& control);
  // Sets the unary terms of a part: those of the whole, with the messages from outside.
  void freeze_border(Part& part, const PartNodes& of, Control& control);
  // As solve().
  std::vector<std::int32_t> solve_part(const PartNodes& of, Labelling& x, std::int64_t tolerance,
                                       bool labels_are_old,
                                       std::map<std::string, double>& statistics, Control& control);
};

}  // namespace rangemoves
