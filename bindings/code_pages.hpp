// Loads the library's code pages at import. Pages count as memory of the process from their first
// use: loaded now, they do not appear in measurements of a run's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <link.h>
#endif

namespace rangemoves {

#if defined(__linux__)
// Reads one byte of every code page of the library that contains the address `data`. Not sanitized:
// the bytes belong to no object.
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

inline void read_in_code() {
#if defined(__linux__)
  dl_iterate_phdr(touch_code, reinterpret_cast<void*>(&read_in_code));
#endif
}

}  // namespace rangemoves
