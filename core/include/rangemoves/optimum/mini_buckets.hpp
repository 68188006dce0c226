// Dynamic programming with tables of limited size (mini-buckets, Dechter and Rish 2003): variables
// are taken out one after the other, each replaced by tables over variables that are still there.
// Where one table over all of them would be too large there are several, each with a least cost of
// its own: the sum is then a bound instead of the optimum. Before a variable goes, its tables are
// made to agree as far as they can about the variables that they share, and before the first one
// goes all tables can be, several times (Ihler et al. 2012): costs move to where they bound more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rangemoves/optimum/reduced_costs.hpp"

namespace rangemoves {

// Which tables there are.
struct TablePlan {
  // Variables that have a choice, in the order in which a search gives them labels: the other way
  // round they are taken out.
  std::vector<std::int32_t> order;
  // Of each place in the order: the variables of each table, in that order, its own one last.
  std::vector<std::vector<std::vector<std::int32_t>>> scopes;
  double entries = 0;    // of all tables
  double largest = 0;    // entries of the largest
  bool is_whole = true;  // no variable has two tables: this is exact dynamic programming
  // How often tables are made to agree before the first variable goes: those of one variable, and
  // each with the one that its least costs will go to; from the last place to the first and back.
  int rounds = 0;
};

// Tables have no more entries than `each`, unless a single cost has.
TablePlan plan_tables(const ReducedCosts& costs, const std::vector<std::int32_t>& order,
                      double each);

// What a variable costs together with some that are taken out later.
struct BucketTable {
  std::vector<std::int64_t> costs;  // the labels of the last variable of its scope run fastest
  std::vector<std::int64_t> least;  // over the labels of that one
};

struct MiniBuckets {
  TablePlan plan;
  std::vector<std::vector<BucketTable>> tables;  // as the scopes of the plan
  std::int64_t bound = 0;  // of the problem; its optimum where the plan is whole
};

// A cost goes into the first table of its last variable that has all of its variables. poll: called
// now and then; may throw.
MiniBuckets fill_tables(const ReducedCosts& costs, TablePlan plan,
                        const std::function<void()>& poll);

}  // namespace rangemoves
