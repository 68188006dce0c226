// The only source of randomness: seeded, and the same on every machine (std::shuffle is not).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rangemoves {

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t below(std::uint64_t n) { return next() % n; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rangemoves
