// The table of methods: a method joins with one file and one row.
#pragma once

#include "rangemoves/moves/loop.hpp"

namespace rangemoves {

void automatic(MoveLoop& loop);       // the default: of the others what suits g
void ishikawa(MoveLoop& loop);        // g convex: one cut, global optimum
void gswap(MoveLoop& loop);           // a large active set, all labels
void gswapf(MoveLoop& loop);          // all variables, all labels, far edges left out
void expansion(MoveLoop& loop);       // all variables: keep, or one label
void swap(MoveLoop& loop);            // those with one of two labels: either of them
void rswap(MoveLoop& loop);           // those with a label in a range: any of the range
void rswape(MoveLoop& loop);          // those with a label in a range: any of a wider one
void rexp(MoveLoop& loop);            // all variables: keep, or any label of a range
void irgc(MoveLoop& loop);            // all variables, all labels, edges reweighted
void irgc_expansion(MoveLoop& loop);  // irgc and expansion in turns
void trws(MoveLoop& loop);  // messages instead of moves: a bound and labellings read off them
void best(MoveLoop& loop);  // all of them together, from several starts

// What a method holds in memory at a time: memory_estimate.cpp says how much that is.
enum class Holds {
  convex_move,
  reweighted_move,
  reweighted_and_binary_moves,
  expansions,
  swaps,
  range_swaps,
  extended_range_swaps,
  range_expansions,
  sweeps,
  sweeps_and_moves,
  sweeps_and_moves_perturbed,  // also messages to go back to once costs are as they were
};

struct Method {
  const char* name;
  void (*run)(MoveLoop&);
  Holds holds;
};

// nullptr where there is no such method.
const Method* find_method(const std::string& name);

// The numbers 0 .. count-1 in the order that the setting `order` gives for this cycle.
std::vector<int> chosen_order(const Settings& settings, int count, std::int64_t cycle);

}  // namespace rangemoves
