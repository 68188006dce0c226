// Memory for vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "rangemoves/run/control.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

template <class T>
class AlignedArray {
  // It must be right for a T to begin as zero bytes.
  static_assert(std::is_trivially_copyable_v<T>, "its memory comes cleared, not constructed");

 public:
  AlignedArray() = default;
  // All zero. `control`: polled meanwhile.
  explicit AlignedArray(std::size_t size, Control* control = nullptr) : AlignedArray() {
    if (control) control->poll();
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    size_ = size;
    data_ = static_cast<T*>(allocate_large(bytes()));
    if (!data_) throw std::bad_alloc();
    if (comes_cleared(bytes()))
      touch(control);
    else
      std::memset(static_cast<void*>(data_), 0, bytes());
  }
  ~AlignedArray() {
    if (data_) free_large(data_, bytes());
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
  // No system has smaller pages. Clearing this many bytes takes milliseconds.
  static constexpr std::size_t kSmallPage = 4096, kPolledBytes = std::size_t{1} << 24;

  T* data_ = nullptr;
  std::size_t size_ = 0;

  std::size_t bytes() const { return size_ * sizeof(T); }

  // Writes to every page. A page that is read first is a page of zeros that everybody shares; when
  // it is written and replaced by one of its own, the system interrupts all other threads of the
  // process to tell them. Two threads that each swept an image of 256 x 256 lost a sixth of their
  // time by that.
  void touch(Control* control) {
    auto* const first = reinterpret_cast<volatile unsigned char*>(data_);
    for (std::size_t at = 0; at < bytes(); at += kSmallPage) {
      if (control && at % kPolledBytes == 0) control->poll();
      first[at] = 0;
    }
  }
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
};

}  // namespace rangemoves
