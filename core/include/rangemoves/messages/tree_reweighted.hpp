// Sequential tree-reweighted message passing (Kolmogorov 2006) on g itself: a lower bound that
// rises with every sweep, and labellings read off the messages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/certify.hpp"
#include "rangemoves/problem/energy.hpp"
#include "rangemoves/run/memory_limit.hpp"

namespace rangemoves {

class Trws {
 public:
  // Factor on all costs where the type of the messages has room: shares of a cost then keep
  // fractions, and the finer they are, the closer the bound comes.
  static constexpr std::int64_t kFinestScale = 1024;

  Trws(const Energy& energy, const EngineOptions& options, Control& control);

  // Goes over to an energy over the same graph and labels, with the messages as they are: any are
  // feasible, and where little has changed they are good ones. False where they cannot be kept,
  // after which this must not be used.
  bool take(const Energy& energy, Control& control);

  // One sweep there and one back.
  void sweep(Control& control);
  // The same, and after take() between the two many over what is near variables whose costs are
  // new: until one of these raises the bound by no more than `enough`, in units of the energy.
  void sweep_near_new_costs(double enough, Control& control);

  // No labelling has a lower energy. Before the first sweep: every term at its least. Energies are
  // integers, so fractions of the bound are rounded up.
  std::int64_t lower_bound() const { return lower_bound_; }

  // The same with its fractions, which show that a bound still rises.
  double exact_bound() const;

  // The bound of the energy before its costs were rounded: multiplied by `scale` it became this
  // one.
  double certified_bound(const TrueCosts& costs, double scale, Control& control);

  // Variables x labels: what the messages make a label of a variable cost more than its best one,
  // in units of the energy. On forests these are min-marginals, after the first sweep.
  std::vector<double> beliefs(Control& control);

  // A labelling read off the messages, and its energy; does not change them. After sweep().
  struct Decoded {
    Labelling x;
    std::int64_t energy;
  };
  Decoded decode(Control& control);
  // The same labelling. Where it costs little the next sweep() is begun at the same time: its first
  // half, which raises the bound. Not worth it where no more sweeps are to come.
  Decoded decode_and_begin_sweep(Control& control);

  // What is swept over, for others that go on from here: costs are multiplied by scale(), and
  // constant() is what was taken off them before.
  const ConvexProblem& problem() const { return problem_; }
  const KernelLoad& load() const { return load_; }
  std::int64_t scale() const { return scale_; }
  std::int64_t constant() const { return constant_; }
  bool is_wide() const { return wide_; }
  // visit(variable, its unary costs before they are scaled), for all of them.
  void visit_costs(const std::function<void(std::int32_t, const std::int64_t*)>& visit,
                   Control& control) const;
  // The messages to the earlier nodes of all edges. None where there is only one label.
  Messages* messages() { return messages_.get(); }
  // Says that messages with a better bound are known elsewhere: scaled and without the constant, to
  // be rounded down; and the least integer that an energy can be by it.
  void raise_bound(std::int64_t scaled, std::int64_t energy);

  // Adds a random cost between 0 and `amplitude` to every label, the same for all variables of a
  // block of so many rows and columns. Sweeps go on from the same messages and find labellings
  // nearby; they say nothing about the bound. restore() goes back to the costs and messages before,
  // and ends a sweep that was begun.
  void perturb(std::uint64_t seed, std::int64_t amplitude, int block, Control& control);
  void restore(Control& control);

 private:
  const Energy* energy_;
  ConvexProblem problem_;  // its unary terms live in the messages only
  std::int64_t scale_ = 0, constant_ = 0, scaled_bound_ = 0, lower_bound_ = 0;
  KernelLoad load_{};                // of the problem
  std::int64_t largest_belief_ = 0;  // that the scale was chosen for
  std::unique_ptr<Messages> messages_;
  bool wide_ = false, perturbed_ = false;
  bool has_begun_ = false;  // whether the last sweep went forward, and sweep() goes on from there

  // Fills in the problem, what is constant in it, and what the kernels will be given.
  void describe(Control& control);

  // The costs of a variable as they are swept over.
  template <class Noise>
  UnaryRows normal_costs(std::vector<std::int64_t>& row, Noise&& noise) const;

  template <class Noise>
  void load(Control& control, Noise&& noise);

  void sweep(bool forward, Control& control);
  void end_sweep(Control& control);
  // What is near variables whose costs are new; nobody where there are none or too many.
  std::vector<std::int32_t> near_new_costs() const;
  // After a forward sweep: sweeps over these variables alone, all else being frozen.
  template <class Value>
  void sweep_part(std::vector<std::int32_t> nodes, double enough, Control& control);
};

}  // namespace rangemoves
