// The two facts about types that limits and kernels share. Nothing but integers is included here:
// kernels are compiled for newer machines, and no other function may be compiled with them.
#pragma once

#include <cstdint>

namespace rangemoves {

// Messages are 32 bits wide where that suffices, else 64. This stands for "no label": larger than
// any cost that takes part in a sweep, and far enough from the end of the type that a sweep cannot
// overflow. limits.hpp has the argument.
template <class Value>
constexpr Value unreachable = Value{1} << (8 * sizeof(Value) - 3);

// The widest vectors there are, in bytes: 32 lanes of 32 bits, 16 of 64. What fits is decided for
// these on every machine, so that all machines decide alike.
constexpr std::int32_t kMostBytes = 128;

}  // namespace rangemoves
