// Memory for vector instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

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

  // Brings in every page, by writing to it if need be. A page that is read first is a page of zeros
  // that everybody shares; when it is written and replaced by one of its own, the system interrupts
  // all other threads of the process to tell them. Two threads that each swept an image of
  // 256 x 256 lost a sixth of their time by that.
  void touch(Control* control) {
    auto* const first = reinterpret_cast<volatile unsigned char*>(data_);
    for (std::size_t begin = 0; begin < bytes(); begin += kPolledBytes) {
      const std::size_t end = std::min(bytes(), begin + kPolledBytes);
      if (control) control->poll();
      if (bring_in(reinterpret_cast<unsigned char*>(data_) + begin, end - begin)) continue;
      for (std::size_t at = begin; at < end; at += kSmallPage) first[at] = 0;
    }
  }
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
};

// One of the arrays of a SharedMemory, which must outlive it.
template <class T>
class PlacedArray {
 public:
  T* data() { return static_cast<T*>(data_); }
  const T* data() const { return static_cast<const T*>(data_); }
  T& operator[](std::size_t k) { return data()[k]; }
  const T& operator[](std::size_t k) const { return data()[k]; }
  std::size_t size() const { return size_; }

 private:
  friend class SharedMemory;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Arrays that live as long as each other, one behind the other in the same memory where that fills
// large pages: by itself each would end in small pages, or have no others. Less than that is left
// to the heap, which has room that others have given back.
class SharedMemory {
 public:
  // So many elements for an array, all zero after allocate().
  template <class T>
  void plan(PlacedArray<T>& array, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "its memory comes cleared, not constructed");
    if (count > SIZE_MAX / 4 / sizeof(T)) throw std::bad_alloc();
    array.size_ = count;
    const std::size_t bytes =
        (count * sizeof(T) + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment;
    places_.push_back({&array.data_, bytes});
    bytes_ += bytes;
  }
  void allocate(Control* control) {
    const bool together = bytes_ >= kLargePage / 8 * 7;
    if (together) memory_.emplace_back(bytes_, control);
    std::size_t offset = 0;
    for (const Place& place : places_) {
      if (!together) memory_.emplace_back(place.bytes, control);
      *place.array = memory_.back().data() + (together ? offset : 0);
      offset += place.bytes;
    }
    places_.clear();
    bytes_ = 0;
  }

 private:
  struct Place {
    void** array;
    std::size_t bytes;
  };
  std::vector<Place> places_;  // until they are allocated
  std::size_t bytes_ = 0;      // of all of them
  std::vector<AlignedArray<unsigned char>> memory_;
};

}  // namespace rangemoves
