#include "rangemoves/kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rangemoves {

extern const Kernels kernels_plain;
#ifdef RANGEMOVES_X86
extern const Kernels kernels_avx2, kernels_avx512;
#endif

const Kernels* const* available_kernels() {
  static const Kernels* list[4] = {};
  static const bool filled = [] {
    int n = 0;
#ifdef RANGEMOVES_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      list[n++] = &kernels_avx512;
    if (__builtin_cpu_supports("avx2")) list[n++] = &kernels_avx2;
#endif
    list[n] = &kernels_plain;
    return true;
  }();
  (void)filled;
  return list;
}

const Kernels& kernels() {
  const char* wanted = std::getenv("RANGEMOVES_SIMD");
  if (!wanted || !*wanted) return *available_kernels()[0];
  std::string known;
  for (const Kernels* const* k = available_kernels(); *k; ++k) {
    if (std::string(wanted) == (*k)->name) return **k;
    known += std::string(known.empty() ? "" : ", ") + (*k)->name;
  }
  throw std::invalid_argument("RANGEMOVES_SIMD must be one of " + known +
                              " on this machine; found " + wanted);
}

}  // namespace rangemoves
