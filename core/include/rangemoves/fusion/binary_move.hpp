// A binary move: each variable that takes part chooses between two labels, one of which it has now;
// all others keep theirs. Expansion, swap and fusion are this with different pairs of labels.
//
// One minimum cut solves it where every edge is submodular in the two choices. Where an edge is
// not, either its cost is raised for choices that are not the current one until it is (Rother et
// al., "Digital tapestry", 2005), or the doubled graph of QPBO decides for some variables and the
// others stay (Boros, Hammer; Rother et al. 2007). Either way the energy cannot rise.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rangemoves/problem/energy.hpp"
#include "rangemoves/run/control.hpp"
#include "rangemoves/run/settings.hpp"

namespace rangemoves {

class BinaryMove {
 public:
  // The labels do not depend on the number of threads. QPBO uses one.
  BinaryMove(const Energy& energy, Nonsubmodular nonsubmodular, int threads, Control& control);
  ~BinaryMove();

  // Bytes with all variables in the move.
  static std::int64_t bytes(std::int64_t nodes, std::int64_t edges, int labels, int threads);
  // Of which besides the cut, per variable.
  static constexpr std::size_t bytes_kept_per_node() {
    return sizeof(Choice) + sizeof(LabelChange) + sizeof(std::int32_t);
  }

  // Adds variables to the move, in increasing order: each chooses between `zero` and
  // `one`, and its current label is one of them. A move starts from the flow on its edges when
  // their tails last had the same `memory`, a number below L: any flow is a valid start, that of
  // the same choices some moves ago a good one.
  void clear();
  void add(std::int32_t node, std::int32_t zero, std::int32_t one, std::int32_t memory);

  // Returns the variables that change. Valid until the next call.
  const std::vector<LabelChange>& solve(const Labelling& x);

  const std::vector<LabelChange>& changes() const { return changes_; }

  // Of the last move: how many took part; whether the minimum was found (QPBO may leave variables
  // undecided); whether no edge was raised, so that it is the minimum of the true energy; and if
  // one was, by how much the energy with the raised edges fell.
  std::int64_t active() const { return static_cast<std::int64_t>(choices_.size()); }
  bool is_optimal() const { return optimal_; }
  bool is_true_energy() const { return !raised_; }
  std::int64_t gain() const { return gain_; }

 private:
  struct Choice {
    std::int32_t node, zero, one, memory;
  };
  // The cost of an edge: at_tail where the tail has `one`, at_head where the head has it, forward
  // where the tail alone has it, backward where the head alone has it, both where both have it.
  struct Term {
    std::int64_t at_tail, at_head, forward, backward, both;
  };
  struct Cut;
  template <class Capacity>
  struct SingleCut;
  struct DoubledCut;

  Term term(std::int64_t edge, const Choice& tail, const Choice& head, const Labelling& x);
  // What `zero` costs more than `one`: by itself, and on an edge to one that does not take part.
  std::int64_t unary_excess(const Choice& choice) const;
  std::int64_t border_excess(const Choice& choice, const Incidence& at, std::int32_t there) const;
  void choose(std::size_t v, bool one, const Labelling& x);

  const Energy& energy_;
  Nonsubmodular nonsubmodular_;
  int threads_;
  Control& control_;
  std::vector<Choice> choices_;
  std::vector<std::int32_t> local_;  // per variable: its number among the choices, or -1
  std::unique_ptr<Cut> cut_;
  std::vector<LabelChange> changes_;
  std::int64_t gain_ = 0;
  bool raised_ = false, optimal_ = true;
};

}  // namespace rangemoves
