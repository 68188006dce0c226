// All that a test needs to say what must hold.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Ends the test where `holds` is false. `seed` says which of many random cases it was.
inline void expect(bool holds, const char* what, std::int64_t seed = -1) {
  if (holds) return;
  if (seed < 0)
    std::fprintf(stderr, "failed: %s\n", what);
  else
    std::fprintf(stderr, "failed: %s (seed %lld)\n", what, static_cast<long long>(seed));
  std::exit(1);
}
