// Memory for large arrays: from the system by mmap, in large pages where it has them, and returned
// to it when freed, so that it does not fragment the heap. A page costs the system about the same
// whatever its size, and threads that touch new pages at the same time wait for each other: one of
// 2 MB instead of 512 small ones takes a fraction of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rangemoves {

// Below 128 KB malloc is faster; this is also where its own use of mmap begins.
constexpr std::size_t kLargeBytes = std::size_t{1} << 17;
constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Whether memory of so many bytes is zero when it is allocated.
inline bool comes_cleared([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  return bytes >= kLargeBytes;
#else
  return false;
#endif
}

#if defined(__linux__)
// Of a last large page that is nearly full all is taken: it is there sooner than its small pages
// would be. Not of a half full one: a run would take up to a quarter more memory where its arrays
// happen to be a little larger than that.
inline bool ends_in_large_page(std::size_t bytes) {
  return bytes % kLargePage >= kLargePage / 8 * 7;
}

// What is mapped for so many bytes.
inline std::size_t mapped_bytes(std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{1} << 16;  // no system has larger small pages
  const std::size_t unit = ends_in_large_page(bytes) ? kLargePage : piece;
  return (bytes + unit - 1) / unit * unit;
}

// Null where there is none. Linux lets a mapping begin where a large page does if its length is one
// of whole large pages, so that as much is asked for, and what is not needed is given back.
inline void* map_bytes(std::size_t bytes) {
  const std::size_t kept = mapped_bytes(bytes);
  const std::size_t asked =
      kept < kLargePage ? kept : (kept + kLargePage - 1) / kLargePage * kLargePage;
  void* p = mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (asked > kept) munmap(static_cast<char*>(p) + kept, asked - kept);
  // A hint: where it cannot be followed, pages are small as ever.
  if (kept >= kLargePage) madvise(p, kept, MADV_HUGEPAGE);
  return p;
}
#endif

// Brings in mapped memory that is about to be written, all of its pages at once: one after the
// other, as they are first written, takes a quarter longer. False where the system cannot.
inline bool bring_in([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, a name that older headers lack
  return madvise(p, bytes, populate_write) == 0;
#else
  return false;
#endif
}

// How much memory an array takes that is written to its end, for estimates: what was asked for, and
// what it really is.
inline std::int64_t asked_bytes(std::int64_t bytes) { return bytes; }
inline std::int64_t taken_bytes(std::int64_t bytes) {
#if defined(__linux__)
  // Small pages that nobody writes to are not there.
  if (ends_in_large_page(static_cast<std::size_t>(bytes)))
    return static_cast<std::int64_t>(mapped_bytes(static_cast<std::size_t>(bytes)));
#endif
  return bytes;
}

// That of the widest vectors.
constexpr std::size_t kVectorAlignment = 128;

// Aligned for vectors. Null where there is none.
inline void* allocate_large(std::size_t bytes) {
#if defined(__linux__)
  if (comes_cleared(bytes)) return map_bytes(bytes);
#endif
  return std::aligned_alloc(kVectorAlignment, (bytes / kVectorAlignment + 1) * kVectorAlignment);
}

inline void free_large(void* p, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  if (comes_cleared(bytes)) {
    munmap(p, mapped_bytes(bytes));
    return;
  }
#endif
  std::free(p);
}

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t count) {
    void* p = allocate_large(count * sizeof(T));
    if (!p) throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t count) { free_large(p, count * sizeof(T)); }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
  friend bool operator!=(const LargeAllocator&, const LargeAllocator&) { return false; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace rangemoves
