// The code of this library, read in before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <link.h>
#endif

namespace rangemoves {

#if defined(__linux__)
// The library that the address `data` belongs to: one byte of every page of its code. (Bytes that
// are no object's, which a sanitizer would find fault with.)
__attribute__((no_sanitize("address"))) inline int touch_code(dl_phdr_info* library, std::size_t,
                                                              void* data) {
  constexpr std::uintptr_t page = 4096;
  const auto inside = reinterpret_cast<std::uintptr_t>(data);
  const auto first = [&](const ElfW(Phdr) & part) { return library->dlpi_addr + part.p_vaddr; };
  bool is_ours = false;
  for (int k = 0; k < library->dlpi_phnum; ++k) {
    const ElfW(Phdr) & part = library->dlpi_phdr[k];
    is_ours = is_ours || (part.p_type == PT_LOAD && first(part) <= inside &&
                          inside < first(part) + part.p_memsz);
  }
  if (!is_ours) return 0;
  for (int k = 0; k < library->dlpi_phnum; ++k) {
    const ElfW(Phdr) & part = library->dlpi_phdr[k];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) || !(part.p_flags & PF_R)) continue;
    for (std::uintptr_t at = first(part); at < first(part) + part.p_filesz; at += page)
      static_cast<void>(*reinterpret_cast<const volatile char*>(at));
  }
  return 1;
}
#endif

// Pages of code are memory of a process from when they are first used. A run's memory is its own
// where that is before.
inline void read_in_code() {
#if defined(__linux__)
  dl_iterate_phdr(touch_code, reinterpret_cast<void*>(&read_in_code));
#endif
}

}  // namespace rangemoves
