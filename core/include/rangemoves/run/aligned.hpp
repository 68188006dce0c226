// Memory for vector instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  // `control`: polled while a large array is cleared.
  explicit AlignedArray(std::size_t size, Control* control = nullptr) : size_(size) {
    const std::size_t bytes = (size * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(kAlignment, bytes == 0 ? kAlignment : bytes)));
    if (!data_) throw std::bad_alloc();
    for (std::size_t k = 0; k < size; k += kPolledPiece) {
      if (control) control->poll();
      std::fill_n(data_.get() + k, std::min(size - k, kPolledPiece), T{});
    }
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kAlignment = 128;  // of the widest vectors

  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace rangemoves
