#include "rangemoves/messages/kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rangemoves {

extern const Level level_plain4, level_plain8, level_plain16, level_plain32;
#ifdef RANGEMOVES_X86
extern const Level level_avx2, level_avx512;
#endif

const Level* const* available_levels() {
  static const Level* list[7] = {};
  static const bool filled = [] {
    int n = 0;
#ifdef RANGEMOVES_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      list[n++] = &level_avx512;
    if (__builtin_cpu_supports("avx2")) list[n++] = &level_avx2;
#endif
#ifdef __aarch64__
    // Every such machine has NEON, and vectors of four lanes compile to it.
    static const Level neon{"neon", level_plain4.narrow, level_plain4.wide};
    list[n++] = &neon;
#endif
    for (const Level* plain : {&level_plain4, &level_plain8, &level_plain16, &level_plain32})
      list[n++] = plain;
    return true;
  }();
  (void)filled;
  return list;
}

namespace {

std::string asked(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

}  // namespace

const Level& chosen_level() {
  const std::string name = asked("RANGEMOVES_SIMD"), lanes = asked("RANGEMOVES_LANES");
  if (name.empty() && lanes.empty()) return *available_levels()[0];
  if (!lanes.empty()) {
    if (!name.empty() && name != "plain")
      throw std::invalid_argument("RANGEMOVES_LANES is for plain vectors; found RANGEMOVES_SIMD=" +
                                  name + " beside it; leave one out");
    for (const Level* level : {&level_plain4, &level_plain8, &level_plain16, &level_plain32})
      if (lanes == std::to_string(level->narrow.lanes)) return *level;
    throw std::invalid_argument("RANGEMOVES_LANES must be one of 4, 8, 16, 32; found " + lanes);
  }
  std::string known;
  for (const Level* const* level = available_levels(); *level; ++level) {
    if (name == (*level)->name) return **level;
    known += std::string(known.empty() ? "" : ", ") + (*level)->name;
  }
  throw std::invalid_argument("RANGEMOVES_SIMD must be one of " + known +
                              " on this machine; found " + name);
}

}  // namespace rangemoves
