// Better labellings of a small problem from two that are there, and from one by single changes.
#pragma once

#include <cstdint>

#include "rangemoves/messages/lazy_messages.hpp"

namespace rangemoves {

// Takes over from y, part by part, whatever lowers the value of x: the connected parts in which
// they differ do not touch. Then changes single labels as long as that helps. Labels that are left
// out of the problem are not taken.
void take_better(const LazyMessages<std::int64_t>& problem, Labelling& x, const Labelling& y);

}  // namespace rangemoves
