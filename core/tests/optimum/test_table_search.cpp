// Search by tables against enumeration and, on larger problems, against itself on single labels.
#include "rangemoves/optimum/table_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <set>
#include <stdexcept>

#include "check.hpp"
#include "table_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::SmallProblem;

const std::function<void()> kNoPoll = [] {};

// Bytes that are allocated now, and the most that ever were: see operator new below.
std::int64_t taken = 0, most_taken = 0;

// One table after the other; each variable is taken out once, after all tables that it is in.
void sound(const std::vector<std::int32_t>& tables, std::int32_t nodes, std::int64_t seed) {
  std::set<std::int32_t> gone;
  std::int32_t last = -1;
  for (std::size_t at = 0; at < tables.size();) {
    const auto count = static_cast<std::size_t>(tables[at]);
    expect(count > 0 && at + count < tables.size(), "a whole table", seed);
    const std::int32_t out = tables[at + count];
    if (out != last) expect(gone.insert(out).second, "taken out once", seed);
    last = out;
    for (std::size_t k = 1; k < count; ++k)
      expect(gone.count(tables[at + k]) == 0, "variables that are there", seed);
    expect(out >= 0 && out < nodes, "a variable", seed);
    at += count + 1;
  }
}

void solves(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::tangled_problem(random, 9, seed % 3 == 0);
  const auto messages = problem.messages<std::int64_t>();
  oracles::begin_somewhere(random, *messages);
  const std::int64_t optimum = problem.optimum(),
                     cut = optimum + oracles::between(random, -50, 300),
                     margin = oracles::between(random, 0, 10);
  const TableResult found = search_by_tables(*messages, cut, margin, {}, kNoPoll);
  expect(found.is_closed, "small problems are solved", seed);
  expect(found.bound <= optimum, "no labelling costs less", seed);
  sound(found.tables, problem.nodes, seed);
  if (!found.labels) {
    expect(found.bound >= cut, "nothing is below the cut", seed);
    return;
  }
  expect(found.value == problem.value(*found.labels) && found.value < cut, "a labelling", seed);
  expect(found.bound >= found.value - margin, "and nothing better", seed);
}

// A complete graph of these many variables: too wide for whole tables.
SmallProblem dense(Random& random, std::int32_t nodes, int labels) {
  SmallProblem problem;
  problem.nodes = nodes;
  problem.labels = labels;
  for (std::int32_t i = 0; i < nodes; ++i)
    for (std::int32_t j = i + 1; j < nodes; ++j)
      problem.edges.push_back({i, j, oracles::between(random, 1, 3), 0});
  for (std::int32_t k = 0; k < nodes * labels; ++k) {
    problem.unary.push_back(oracles::between(random, 0, 50));
    problem.allowed.push_back(1);
  }
  problem.tables.push_back(ConvexTable::of_any(oracles::any_table(random, labels)));
  return problem;
}

// 14 variables with four labels each, all joined: the optimum with one label held fast is found by
// itself, and the least of these is the optimum.
void too_wide_for_whole_tables(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = dense(random, 14, 4);
  const auto messages = problem.messages<std::int64_t>();
  const std::int64_t cut = problem.value(oracles::random_labelling(random, problem)) + 1;
  const TableResult found = search_by_tables(*messages, cut, 0, {}, kNoPoll);
  expect(found.is_closed && found.labels && found.bound == found.value, "solved", seed);
  expect(problem.value(*found.labels) == found.value, "its value", seed);
  std::int64_t least = INT64_MAX;
  for (int held = 0; held < 4; ++held) {
    const auto part = problem.messages<std::int64_t>();
    for (int l = 0; l < 4; ++l)
      if (l != held) part->unary(5)[l] = unreachable<std::int64_t>;
    const TableResult one = search_by_tables(*part, cut, 0, {}, kNoPoll);
    expect(one.is_closed, "with one label held fast", seed);
    least = std::min(least, one.bound);
  }
  expect(least == found.value, "one of them has the optimum", seed);
}

// Returns whether it was solved all the same.
bool in_a_hurry(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = dense(random, 25, 6);
  const auto messages = problem.messages<std::int64_t>();
  const std::int64_t cut = problem.value(oracles::random_labelling(random, problem));
  const TableResult found = search_by_tables(*messages, cut, 0, {1}, kNoPoll);
  expect(found.work > 0 && found.work < 100'000, "counts its work", seed);
  expect(found.labels && problem.value(*found.labels) == found.value, "finds what it can", seed);
  expect(found.bound <= found.value && found.bound >= messages->bound(), "a bound", seed);
  return found.is_closed;
}

// Tables and layers that fit, and what is found is as sound as ever. Returns how many bytes it
// took.
std::int64_t in_little_memory(const SmallProblem& problem, std::int64_t bytes) {
  const auto messages = problem.messages<std::int64_t>();
  Random random(7);
  const std::int64_t cut = problem.value(oracles::random_labelling(random, problem));
  const std::int64_t before = taken;
  most_taken = taken;
  const TableResult found = search_by_tables(*messages, cut, 0, {INT64_MAX, bytes}, kNoPoll);
  expect(found.bound >= messages->bound(), "a bound", bytes);
  expect(!found.labels || found.bound <= found.value, "below what was found", bytes);
  return most_taken - before;
}

void keeps_to_its_memory() {
  Random random(3);
  const SmallProblem problem = dense(random, 22, 6);
  const std::int64_t all = in_little_memory(problem, INT64_MAX);
  for (const std::int64_t bytes : {100'000, 1'000'000, 10'000'000}) {
    expect(all > bytes * 2, "would take more", all);
    expect(in_little_memory(problem, bytes) < bytes * 5 / 4, "takes no more", bytes);
  }
  expect(in_little_memory(problem, 0) < 20'000, "where there is none", 0);
}

}  // namespace

// Count what is taken, a number in front of each piece. Not inlined: the compiler would see memory
// before the beginning of an array.
[[gnu::noinline]] void* operator new(std::size_t size) {
  auto* const p = static_cast<std::max_align_t*>(std::malloc(size + sizeof(std::max_align_t)));
  if (!p) throw std::bad_alloc();
  *reinterpret_cast<std::int64_t*>(p) = static_cast<std::int64_t>(size);
  taken += static_cast<std::int64_t>(size);
  most_taken = std::max(most_taken, taken);
  return p + 1;
}
// A sanitizer has one of its own, which would not write the number that delete reads.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  if (!p) return;
  auto* const first = static_cast<std::max_align_t*>(p) - 1;
  taken -= *reinterpret_cast<std::int64_t*>(first);
  std::free(first);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

int main() {
  keeps_to_its_memory();
  for (std::int64_t seed = 0; seed < 2000; ++seed) solves(seed);
  for (std::int64_t seed = 0; seed < 3; ++seed) too_wide_for_whole_tables(seed);
  std::int64_t solved = 0;
  for (std::int64_t seed = 0; seed < 8; ++seed) solved += in_a_hurry(seed);
  expect(solved < 6, "keeps to its limit");
}
