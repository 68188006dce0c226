// All that a test needs to say what must hold.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "rangemoves/messages/kernels.hpp"

// Ends the test where `holds` is false. `seed` says which of many random cases it was.
inline void expect(bool holds, const char* what, std::int64_t seed = -1) {
  if (holds) return;
  if (seed < 0)
    std::fprintf(stderr, "failed: %s\n", what);
  else
    std::fprintf(stderr, "failed: %s (seed %lld)\n", what, static_cast<long long>(seed));
  std::exit(1);
}

// Which kernels run from now on.
inline void choose_level(const rangemoves::Level& level) {
  setenv("RANGEMOVES_SIMD", level.name, 1);
}
inline void choose_best_level() { unsetenv("RANGEMOVES_SIMD"); }
