// Better labellings of a small problem from two that are there, and from one by single changes.
#pragma once

#include <cstdint>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

// Lowers the value of x. The variables where x and y differ fall into connected parts; no edge
// joins two parts, so each is judged by itself and takes the labels of y where that is cheaper.
// After that single labels are changed as long as that helps. Labels that are left out of the
// problem are not taken.
void take_better(const LazyMessages<std::int64_t>& problem, Labelling& x, const Labelling& y);

}  // namespace rangemoves
