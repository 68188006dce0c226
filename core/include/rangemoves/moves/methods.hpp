// The table of methods: a method joins with one file and one row.
#pragma once

#include "rangemoves/move_loop.hpp"

namespace rangemoves {

void ishikawa(MoveLoop& loop);  // g convex: one cut, global optimum
void gswap(MoveLoop& loop);     // a large active set, all labels
void gswapf(MoveLoop& loop);    // all variables, all labels, far edges left out
void trws(MoveLoop& loop);      // messages instead of moves: a bound and labellings read off them
void best(MoveLoop& loop);      // all of them together, from several starts

struct Method {
  const char* name;
  void (*run)(MoveLoop&);
};

// nullptr where there is no such method.
const Method* find_method(const std::string& name);

// What the options `surrogate`, `slope_left` and `slope_right` say.
class SurrogateTables;
SurrogateTables chosen_surrogate(const Table& g, const Settings& settings, ConvexRange range);

}  // namespace rangemoves
