// Rows behind each other: whatever the number of threads, nobody runs ahead of what it reads.
#include "rangemoves/run/pipeline.hpp"

#include <chrono>
#include <thread>

#include "check.hpp"
#include "oracles.hpp"

using namespace rangemoves;

namespace {

// Every cell is made from those that its row may rely on; the sum of all is the result.
struct Sheet {
  Pipeline pipeline;
  std::vector<std::int64_t> cells;

  std::int64_t run(int threads) {
    cells.assign(static_cast<std::size_t>(pipeline.rows) * pipeline.length, 0);
    Control control;
    return pipeline.run(threads, control,
                        [&](std::int32_t row, std::int32_t first, std::int32_t last, int) {
                          std::int64_t sum = 0;
                          for (std::int32_t k = first; k < last; ++k) sum += fill(row, k);
                          return sum;
                        });
  }

  std::int64_t& cell(std::int32_t row, std::int32_t k) {
    return cells[static_cast<std::size_t>(row) * pipeline.length + k];
  }
  std::int64_t fill(std::int32_t row, std::int32_t k) {
    std::int64_t value = row * 31 + k + (k > 0 ? cell(row, k - 1) : 0);
    for (const RowDependency& d : pipeline.depends_on[row]) {
      const std::int32_t newest = std::min(pipeline.length - 1, k + d.lead);
      if (newest >= 0) value += 3 * cell(d.row, newest);
    }
    return cell(row, k) = value % 1000003;
  }
};

void same_for_all_threads(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Sheet sheet;
  sheet.pipeline.rows = oracles::between(random, 1, 12);
  sheet.pipeline.length = oracles::between(random, 1, 200);
  sheet.pipeline.depends_on.resize(static_cast<std::size_t>(sheet.pipeline.rows));
  for (std::int32_t row = 1; row < sheet.pipeline.rows; ++row)
    for (int k = oracles::between(random, 0, 2); k > 0; --k)
      sheet.pipeline.depends_on[row].push_back(
          {oracles::between(random, 0, row - 1), oracles::between(random, -20, 40)});
  const std::int64_t sum = sheet.run(1);
  const std::vector<std::int64_t> cells = sheet.cells;
  for (const int threads : {2, 3, 8}) {
    expect(sheet.run(threads) == sum, "the same sum", seed);
    expect(sheet.cells == cells, "the same cells", seed);
  }
}

void stops_when_told() {
  for (const int threads : {1, 2, 3}) {
    Pipeline pipeline;
    pipeline.rows = 1000;
    pipeline.length = 100;
    pipeline.depends_on.resize(1000);
    for (std::int32_t row = 1; row < 1000; ++row) pipeline.depends_on[row].push_back({row - 1, 1});
    Control control([] { return true; });
    bool stopped = false;
    try {
      pipeline.run(threads, control, [](std::int32_t, std::int32_t, std::int32_t, int) {
        // Long enough that the calling thread gets its turn to look.
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return std::int64_t{1};
      });
    } catch (const Stopped& reason) {
      stopped = reason.reason == StopReason::interrupted;
    }
    expect(stopped, "an interruption ends all threads");
  }
}

// A chain is one row, however long.
void a_long_row_stops_when_told() {
  Pipeline pipeline;
  pipeline.rows = 1;
  pipeline.length = 1 << 20;
  pipeline.depends_on.resize(1);
  std::int32_t done = 0;
  Control control([&] { return done > 0; });
  bool stopped = false;
  try {
    pipeline.run(1, control, [&](std::int32_t, std::int32_t first, std::int32_t last, int) {
      done += last - first;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      return std::int64_t{0};
    });
  } catch (const Stopped&) {
    stopped = true;
  }
  expect(stopped && done < pipeline.length / 16, "a row is left in its midst");
}

}  // namespace

int main() {
  for (std::int64_t seed = 0; seed < 150; ++seed) same_for_all_threads(seed);
  stops_when_told();
  a_long_row_stops_when_told();
}
