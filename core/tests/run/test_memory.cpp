// Memory for large arrays and for vector instructions; and the numbers that fill it at random.
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "check.hpp"
#include "rangemoves/run/aligned.hpp"
#include "rangemoves/run/large_memory.hpp"
#include "rangemoves/run/random.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace rangemoves;

namespace {

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 128 == 0; }

void large_vectors() {
  // Below and above the size from which memory comes straight from the system.
  for (const std::size_t count : {std::size_t{1}, kLargeBytes / 8 - 1, kLargeBytes / 8 + 1}) {
    LargeVector<std::int64_t> values(count, 3);
    expect(is_aligned(values.data()), "aligned for vectors");
    values.resize(2 * count, 4);
    expect(values.front() == 3 && values[count] == 4 && values.back() == 4, "they grow");
    const LargeVector<std::int64_t> copy = values;
    values.assign(1, 0);
    values.shrink_to_fit();
    expect(copy.size() == 2 * count && copy[count - 1] == 3, "copies are their own");
  }
}

void aligned_arrays() {
  Control control;
  // Of malloc, of small pages, of large ones; twice, since what was freed comes again.
  for (const std::size_t size : {std::size_t{7}, kLargeBytes / 4 + 7, kLargePage / 4 + 7})
    for (int time = 0; time < 2; ++time) {
      AlignedArray<std::int32_t> array(size, &control);
      expect(is_aligned(array.data()) && array.size() == size, "aligned, of that size");
      for (std::size_t k = 0; k < size; ++k) expect(array[k]++ == 0, "zero at first");
      AlignedArray<std::int32_t> other;
      other = std::move(array);
      expect(other.size() == size && other[size - 1] == 1, "they move");
    }
  expect(AlignedArray<double>(0).size() == 0, "none at all");
}

void arrays_in_one_memory() {
  Control control;
  for (const std::size_t count : {std::size_t{5}, kLargeBytes / 4, kLargePage / 4}) {
    SharedMemory memory;
    PlacedArray<std::uint8_t> flags;
    PlacedArray<std::int64_t> none, values;
    memory.plan(flags, count);
    memory.plan(none, 0);
    memory.plan(values, count);
    memory.allocate(&control);
    expect(flags.size() == count && none.size() == 0 && values.size() == count, "as planned");
    expect(is_aligned(flags.data()) && is_aligned(values.data()), "aligned, each of them");
    for (std::size_t k = 0; k < count; ++k) {
      expect(flags[k]++ == 0 && values[k] == 0, "zero at first");
      values[k] = -1;
    }
    const SharedMemory moved = std::move(memory);
    for (std::size_t k = 0; k < count; ++k)
      expect(flags[k] == 1 && values[k] == -1, "none reaches into another, wherever it is moved");
  }
  bool refused = false;
  SharedMemory memory;
  PlacedArray<std::int64_t> endless;
  try {
    memory.plan(endless, SIZE_MAX / 16);
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  expect(refused, "no more than there can be");
}

// Where a last large page would be nearly full it is taken, else small pages.
void whole_large_pages() {
#if defined(__linux__)
  expect(mapped_bytes(kLargeBytes) == kLargeBytes, "small pages");
  expect(mapped_bytes(kLargePage / 2) == kLargePage / 2, "half a large page");
  expect(mapped_bytes(kLargePage / 8 * 7) == kLargePage, "a large page, nearly full");
  expect(mapped_bytes(kLargePage) == kLargePage, "a full one");
  expect(mapped_bytes(kLargePage + 1) < kLargePage + kLargePage / 8, "one, and a few small ones");
  expect(mapped_bytes(2 * kLargePage - 1) == 2 * kLargePage, "two");
  expect(taken_bytes(kLargePage - 1) == kLargePage, "what a full one takes");
  expect(taken_bytes(kLargePage / 2 + 5) == kLargePage / 2 + 5, "what small ones take");
  // All that is mapped can be used, and what was asked for beyond it is gone.
  for (const std::size_t bytes : {kLargePage - 7, kLargePage + 7, 3 * kLargePage / 2}) {
    auto* const at = static_cast<unsigned char*>(allocate_large(bytes));
    at[mapped_bytes(bytes) - 1] = 1;
    free_large(at, bytes);
    unsigned char is_there = 0;
    expect(mincore(at, 1, &is_there) == -1, "given back");
  }
#endif
}

// A page that is read before it is written is first shared and then replaced, for which the system
// interrupts all threads of the process.
void pages_are_there_at_once() {
#if defined(__linux__)
  Control control;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t size : {kLargeBytes + 7, 2 * kLargePage + 7}) {
    AlignedArray<std::uint8_t> array(size, &control);
    std::vector<unsigned char> is_there((size + page - 1) / page, 0);
    expect(mincore(array.data(), size, is_there.data()) == 0, "the system tells");
    for (const unsigned char is : is_there) expect((is & 1) == 1, "written already");
  }
  Control impatient({}, 0.002);
  bool stopped = false;
  try {
    AlignedArray<std::uint8_t> array(std::size_t{1} << 29, &impatient);
  } catch (const Stopped&) {
    stopped = true;
  }
  expect(stopped, "that lasts, and can be stopped");
#endif
}

void random_numbers() {
  // The same on every machine: the first of splitmix64 for seed 0.
  expect(Random(0).next() == 0xe220a8397b1dcdafULL, "as published");
  Random random(1), again(1), other(2);
  std::vector<int> counts(6, 0);
  bool differs = false;
  for (int k = 0; k < 6000; ++k) {
    const std::uint64_t value = random.below(6);
    ++counts[value];
    expect(value == again.below(6), "the same seed, the same numbers");
    differs = differs || value != other.below(6);
  }
  expect(differs, "another seed, others");
  for (const int count : counts) expect(count > 800 && count < 1200, "all about as often");
  std::vector<int> items = {1, 2, 3, 4, 5};
  int sum = 0;
  random.shuffle(items);
  for (const int item : items) sum += 1 << item;
  expect(sum == 62, "a shuffle keeps what there is");
}

}  // namespace

int main() {
  large_vectors();
  aligned_arrays();
  arrays_in_one_memory();
  whole_large_pages();
  pages_are_there_at_once();
  random_numbers();
  return 0;
}
