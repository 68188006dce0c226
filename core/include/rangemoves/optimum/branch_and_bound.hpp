// Branch and bound on a small problem: sweeps give the bound, labels that cannot pay are taken out,
// tables solve what is small enough, and what remains is split between the labels of one variable.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rangemoves/messages/lazy_messages.hpp"
#include "rangemoves/optimum/certificate.hpp"

namespace rangemoves {

// How long it may take: parts of the problem that are looked at, visits of variables in sweeps;
// whether parts may be solved by tables; and about how many bytes tables and parts that wait may
// take.
struct BranchLimits {
  std::int64_t nodes = INT64_MAX, visits = INT64_MAX;
  bool tables = true;
  std::int64_t bytes = INT64_MAX;
};

struct BranchResult {
  // No labelling of the problem costs less.
  std::int64_t bound = 0;
  // The bound reaches the best value less the margin: nothing is left to find.
  bool is_closed = false;
  Labelling labels;  // the best that was found; those it started with if there is none better
  std::int64_t value = 0;
  std::int64_t nodes = 0, visits = 0;
  std::vector<ProofStep> steps;  // where they were asked for
};

// What a labelling costs, in the units of the messages. No label that is left out may be in it.
std::int64_t value_of(const LazyMessages<std::int64_t>& problem, const Labelling& x);

// margin: labellings that are better by no more than this need not be found. unit: the gap that
// counts as closed in the whole problem; thresholds of sweeps and random costs are parts of it. The
// messages of the problem are a start, and are changed; which labels it has is not. poll: called
// now and then; may throw.
BranchResult branch_and_bound(LazyMessages<std::int64_t>& problem, const Labelling& start,
                              std::int64_t margin, std::int64_t unit, const BranchLimits& limits,
                              bool keep_steps, const std::function<void()>& poll);

}  // namespace rangemoves
