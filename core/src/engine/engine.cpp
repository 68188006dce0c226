#include "rangemoves/engine/engine.hpp"

#include <cstdio>

#include "rangemoves/engine/dual.hpp"
#include "rangemoves/engine/reference.hpp"

namespace rangemoves {

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  if (options.engine == EngineChoice::reference) return std::make_unique<ReferenceEngine>(options);
  return std::make_unique<DualEngine>(options);
}

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
