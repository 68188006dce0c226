// Sequential tree-reweighted message passing (Kolmogorov 2006) on g itself: a lower bound that
// rises with every sweep, and labellings read off the messages.
#pragma once

#include <cstdint>
#include <memory>

#include "rangemoves/energy.hpp"
#include "rangemoves/engine.hpp"
#include "rangemoves/messages.hpp"

namespace rangemoves {

class Trws {
 public:
  Trws(const Energy& energy, const EngineOptions& options);

  // One sweep there and one back.
  void sweep(Control& control);

  // No labelling has a lower energy. Before the first sweep: every term at its least. Energies are
  // integers, so fractions of the bound are rounded up.
  std::int64_t lower_bound() const { return lower_bound_; }

  // The same with its fractions, which show that a bound still rises.
  double exact_bound() const;

  // A labelling read off the messages; does not change them.
  Labelling decode(Control& control);

 private:
  ConvexProblem problem_;
  std::int64_t scale_ = 0, constant_ = 0, scaled_bound_ = 0, lower_bound_ = 0;
  std::unique_ptr<Messages> messages_;

  void raise(std::int64_t scaled_bound);
};

}  // namespace rangemoves
