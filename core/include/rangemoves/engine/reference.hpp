// The exact move as the paper does it: one cut of the whole Ishikawa graph (section 3). Simple,
// obviously right, and the oracle of the tests.
#pragma once

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/messages/types.hpp"

namespace rangemoves {

class ReferenceEngine : public Engine {
 public:
  explicit ReferenceEngine(EngineOptions options) : options_(std::move(options)) {}
  using Engine::solve;
  MoveSolution solve(ConvexProblem problem, const Labelling& current, Control& control,
                     const Recall* recall) override;
  std::string name() const override { return "reference"; }

 private:
  EngineOptions options_;
};

// The largest capacity between two columns, which decides the type of the cells.
std::int64_t largest_cell(const ConvexProblem& problem);

// Bytes that the engine would allocate for a problem, within a band of its labels.
std::int64_t reference_bytes(const ConvexProblem& problem, const Band& band);
inline std::int64_t reference_bytes(const ConvexProblem& problem) {
  return reference_bytes(problem, {problem.low, problem.high});
}

// Of the labellings within a band that cost least, the highest. There is one: where two labellings
// are best, so is the higher of both in every variable.
Labelling highest_optimum(const ConvexProblem& problem, const Band& band, Control& control);

}  // namespace rangemoves
