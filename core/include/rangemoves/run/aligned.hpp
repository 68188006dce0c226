// Memory for vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

template <class T>
class AlignedArray {
  static_assert(std::is_arithmetic_v<T>, "zero bytes must be zero");

 public:
  AlignedArray() = default;
  // All zero. Large arrays come as pages that the system has cleared, which calloc knows: they are
  // not cleared again. `control`: polled before that.
  explicit AlignedArray(std::size_t size, Control* control = nullptr) : size_(size) {
    if (control) control->poll();
    if (size > (SIZE_MAX - kAlignment) / sizeof(T)) throw std::bad_alloc();
    memory_.reset(std::calloc(size * sizeof(T) + kAlignment, 1));
    if (!memory_) throw std::bad_alloc();
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory_.get());
    data_ = reinterpret_cast<T*>((at + kAlignment - 1) / kAlignment * kAlignment);
  }
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kAlignment = 128;  // of the widest vectors

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;

  void swap(AlignedArray& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
};

}  // namespace rangemoves
