#include "rangemoves/engine/engine.hpp"

#include "rangemoves/engine/dual.hpp"
#include "rangemoves/engine/reference.hpp"

namespace rangemoves {

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  if (options.engine == EngineChoice::reference) return std::make_unique<ReferenceEngine>(options);
  return std::make_unique<DualEngine>(options);
}

}  // namespace rangemoves
