#include "rangemoves/run/memory_limit.hpp"

#include <cstdio>

namespace rangemoves {

void require_memory(std::int64_t bytes, const EngineOptions& options, const char* what) {
  if (options.max_memory <= 0 || bytes <= options.max_memory) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "%s needs %.0f MB, the limit is %.0f MB; raise max_memory or use fewer labels",
                what, static_cast<double>(bytes) / 1e6,
                static_cast<double>(options.max_memory) / 1e6);
  throw MemoryShortage(text);
}

}  // namespace rangemoves
