#include "rangemoves/moves/methods.hpp"

#include <stdexcept>

#include "rangemoves/choice.hpp"

namespace rangemoves {

namespace {
constexpr Method methods[] = {
    {"ishikawa", ishikawa}, {"gswap", gswap}, {"gswapf", gswapf}, {"trws", trws}, {"best", best},
};
}  // namespace

const Method* find_method(const std::string& name) {
  for (const Method& method : methods)
    if (name == method.name) return &method;
  return nullptr;
}

SurrogateTables chosen_surrogate(const Table& g, const Settings& settings, ConvexRange range) {
  const std::string kind = settings.option("surrogate", "tight");
  if (kind == "tight") return SurrogateTables::same_for_all(tight_surrogate(g, range));
  if (kind == "chord") return SurrogateTables::chords(g, range);
  if (kind == "huber")
    return SurrogateTables::same_for_all(
        huber_surrogate(g, range, static_cast<std::int64_t>(settings.option("slope_left", -1.0)),
                        static_cast<std::int64_t>(settings.option("slope_right", -1.0))));
  throw std::invalid_argument("surrogate must be tight, huber or chord; found " + kind);
}

}  // namespace rangemoves
