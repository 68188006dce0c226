// The limit that a caller sets on memory.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "rangemoves/run/settings.hpp"

namespace rangemoves {

// Thrown before anything is allocated.
struct MemoryShortage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws MemoryShortage, with both figures, where the limit is set and too low.
void require_memory(std::int64_t bytes, const EngineOptions& options, const char* what);

}  // namespace rangemoves
