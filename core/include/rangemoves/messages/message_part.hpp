// A part of a problem by itself, with its messages.
//
// Messages on edges between the part and the rest are frozen and become unary costs of the part.
// Its own bound and those of all variables outside then still add up to a bound of the whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "rangemoves/messages/messages.hpp"
#include "rangemoves/messages/shapes.hpp"

namespace rangemoves {

// Everyone who takes part within so many edges of these variables, themselves too.
std::vector<std::int32_t> reach_from(const ConvexProblem& problem,
                                     const std::vector<std::int32_t>& nodes, int reach);

// Whether what is around new costs is few enough to be worked on alone: a quarter of all at most,
// and either few in any case or not many times as many as have new costs. Where these lie here and
// there, what is around them soon is everything.
inline bool is_worth_it(std::int64_t around, std::int64_t new_costs, std::int64_t all) {
  constexpr std::int64_t few = 4000;
  return around <= all / 4 && around <= std::max({few, all / 20, 4 * new_costs});
}

// Variables by their rank. Where those of a grid nearly fill the rectangle around them they lie as
// that does, and sweeps over it go by rows, several times as fast: `row` is its width then, and
// nobody's places are -1.
struct PartNodes {
  std::vector<std::int32_t> nodes;
  std::int32_t row = 0;  // 0: one after the other

  // Lays them out as a rectangle of the problem's grid where that is worth it.
  template <class Value>
  void lay_out_by_rows(const ConvexProblem& problem);
  // So it is if that, in whole vectors of rows, has at most so many places for each of them.
  static constexpr std::int64_t kMostPlaces = 2;
};

// What parts are taken from.
template <class Value>
struct WholeOfParts {
  const ConvexProblem& problem;  // in normal form
  const UnaryRows& unary;        // its unary terms; called from one thread at a time per part
  std::int64_t scale;            // of the messages
  MessagesOf<Value>& messages;   // as a forward sweep left them
  const std::uint8_t* in_part;   // per variable: whether it is in this part or in another one that
                                 // no edge joins with it
  const std::int32_t* place;     // of those variables in the list of their part
};

template <class Value>
class MessagePart {
 public:
  MessagePart(const WholeOfParts<Value>& whole, const PartNodes& of, Control& control);
  MessagePart(const MessagePart&) = delete;

  // In units of the messages: unary terms and tables are scaled.
  const ConvexProblem& problem() const { return problem_; }
  // None where no edge lies inside.
  MessagesOf<Value>* messages() { return messages_.get(); }

  // After a forward sweep: hands the messages to the whole.
  void write_back();

 private:
  // The edges inside: their ends here, and which they are in the whole.
  struct Inside {
    std::vector<std::int32_t> tail, head;
    std::vector<std::int64_t> edges;
    Inside(const WholeOfParts<Value>& whole, const PartNodes& of);
  };

  const WholeOfParts<Value> whole_;
  Neighbourhood graph_;
  std::vector<std::int64_t> edges_;
  ConvexProblem problem_;
  std::unique_ptr<MessagesOf<Value>> messages_;
  // The tables in use: where they are here, and, not scaled, in the form that kernels read.
  std::map<std::int32_t, std::int32_t> place_of_table_;
  std::vector<ShapePair<Value>> shapes_;

  MessagePart(const WholeOfParts<Value>& whole, const PartNodes& of, Inside inside,
              Control& control);
  // The table of an edge of the whole, taken over when first asked for.
  std::size_t table_of(std::int64_t e);
  // Sets the unary terms: those of the whole, with the messages from outside.
  void freeze_border(const PartNodes& of, Control& control);
  // Messages start as they are in the whole.
  void copy_messages(const PartNodes& of, Control& control);
};

}  // namespace rangemoves
