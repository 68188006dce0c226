#include "rangemoves/messages/coarse_start.hpp"

#include <algorithm>
#include <cstdlib>

#include "rangemoves/messages/storage.hpp"

namespace rangemoves {

namespace {

// Levels, each a quarter of the one below it: more of them help where large areas are even.
constexpr int kLevels = 4;
// Sweeps per level: on the first they cost as much as two and a half here.
constexpr int kCoarseSweeps = 10;
// Shortest side of a smaller grid: below that it does not pay.
constexpr std::int32_t kSmallestSide = 16;
// Take 70 % of the coarse messages: with all of them the first bound is lower (measured). Variables
// of a block differ, so that its messages exaggerate.
constexpr std::int64_t kTrust = 7, kWhole = 10;

// The grid of blocks, and which of its edges a fine edge belongs to.
class Blocks {
 public:
  explicit Blocks(const Neighbourhood& fine)
      : fine_(fine),
        fine_width_(fine.topology().width),
        width_((fine_width_ + 1) / 2),
        height_((fine.topology().height + 1) / 2),
        right_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), -1),
        down_(right_) {}

  std::int32_t of(std::int32_t node) const { return of_rank(fine_.rank(node)); }

  Neighbourhood grid() {
    std::vector<std::int32_t> tail, head;
    const auto add = [&](std::int32_t i, std::int32_t j) {
      tail.push_back(i);
      head.push_back(j);
      return static_cast<std::int32_t>(tail.size()) - 1;
    };
    for (std::int32_t y = 0; y < height_; ++y)
      for (std::int32_t x = 0; x < width_; ++x) {
        const std::int32_t i = y * width_ + x;
        if (x + 1 < width_) right_[i] = add(i, i + 1);
        if (y + 1 < height_) down_[i] = add(i, i + width_);
      }
    const std::int32_t nodes = width_ * height_;
    return Neighbourhood(nodes, std::move(tail), std::move(head), width_);
  }

  // The edges between blocks before and after a fine edge, the same one where it joins two blocks;
  // -1 where there is none.
  struct Around {
    std::int32_t before, after;
  };

  // visit(e, around) for all fine edges, in strips of rows: messages of rows below each other lie
  // close together.
  template <class Visit>
  void for_each_edge(Control& control, Visit&& visit) const {
    const std::int32_t fine_height = fine_.topology().height;
    for (std::int32_t top = 0; top < fine_height; top += kStrip)
      for (std::int32_t x = 0; x < fine_width_; ++x) {
        if ((x & 0xf) == 0) control.poll();
        for (std::int32_t y = top; y < std::min(fine_height, top + kStrip); ++y) {
          const std::int32_t r = y * fine_width_ + x, i = fine_.at_rank(r);
          for (const Incidence* n = fine_.begin(i); n != fine_.end(i); ++n) {
            const std::int32_t other = fine_.rank(n->other);
            if (other > r) visit(std::int64_t{n->edge}, around(y, x, other == r + 1));
          }
        }
      }
  }

 private:
  static constexpr std::int32_t kStrip = 16;

  Around around(std::int32_t y, std::int32_t x, bool is_right) const {
    const std::int32_t block = (y >> 1) * width_ + (x >> 1);
    const std::int32_t after = (is_right ? right_ : down_)[block];
    if ((is_right ? x : y) & 1) return {after, after};
    if (is_right) return {x > 0 ? right_[block - 1] : -1, after};
    return {y > 0 ? down_[block - width_] : -1, after};
  }

  std::int32_t of_rank(std::int32_t r) const {
    return r / fine_width_ / 2 * width_ + r % fine_width_ / 2;
  }

  const Neighbourhood& fine_;
  std::int32_t fine_width_, width_, height_;
  std::vector<std::int32_t> right_, down_;  // per block: its edge
};

ConvexProblem merge(const ConvexProblem& fine, const Blocks& blocks, const Neighbourhood& grid,
                    Control& control) {
  const std::size_t nodes = static_cast<std::size_t>(grid.nodes());
  CostVolume unary(grid.nodes(), fine.labels, fine.unary.is_wide(), control);
  ConvexProblem coarse{grid,
                       fine.labels,
                       {},
                       std::vector<std::int32_t>(static_cast<std::size_t>(grid.edges()), 0),
                       fine.tables,
                       {},
                       std::vector<std::int32_t>(nodes, 0),
                       std::vector<std::int32_t>(nodes, 0)};
  for (std::int32_t i = 0; i < fine.graph.nodes(); ++i) {
    if ((i & 0xff) == 0) control.poll();
    if (!fine.takes_part(i)) continue;
    const std::int32_t block = blocks.of(i);
    unary.add_row(block, fine.unary.row(i));
    coarse.high[block] = fine.labels - 1;
  }
  coarse.unary = std::move(unary);
  blocks.for_each_edge(control, [&](std::int64_t e, const Blocks::Around& around) {
    if (around.before == around.after && around.after >= 0)
      coarse.weight[around.after] += fine.weight[e];
  });
  return coarse;
}

// Whether the sums of four variables' costs and weights still fit their types.
bool sums_fit(const ConvexProblem& problem) {
  const std::int64_t most_unary = problem.unary.is_wide() ? 2 * limits::kWideCost : 1 << 23;
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    if (problem.takes_part(i) && problem.largest_unary(i) >= most_unary) return false;
  return std::all_of(problem.weight.begin(), problem.weight.end(),
                     [](std::int32_t w) { return w < 1 << 23; });
}

template <class Value>
void start_from(int levels, const ConvexProblem& problem, std::int64_t scale,
                const EngineOptions& options, MessagesOf<Value>& messages, Control& control) {
  const Topology& grid_of = problem.graph.topology();
  if (levels == 0 || std::min(grid_of.width, grid_of.height) < 2 * kSmallestSide ||
      !sums_fit(problem))
    return;
  Blocks blocks(problem.graph);
  const Neighbourhood grid = blocks.grid();
  const ConvexProblem coarse = merge(problem, blocks, grid, control);
  const std::int64_t coarse_scale = finest_scale<Value>(kernel_load(coarse, false), scale);
  if (coarse_scale == 0) return;
  const auto theirs =
      find_backend(options.backend).make<Value>(coarse, coarse_scale, options.threads, control);
  theirs->load(coarse, control);
  start_from(levels - 1, coarse, coarse_scale, options, *theirs, control);
  for (int k = 0; k < kCoarseSweeps; ++k) {
    theirs->sweep(false, nullptr, control);
    theirs->sweep(true, nullptr, control);
  }
  add_block_messages(messages, *theirs, kTrust, kWhole, control);
}

}  // namespace

bool starts_coarse(const ConvexProblem& problem) { return fits_wavefront(problem); }

template <class Value>
void start_coarse(const ConvexProblem& problem, std::int64_t scale, const EngineOptions& options,
                  MessagesOf<Value>& messages, Control& control) {
  if (starts_coarse(problem)) start_from(kLevels, problem, scale, options, messages, control);
}

template void start_coarse(const ConvexProblem&, std::int64_t, const EngineOptions&,
                           MessagesOf<std::int32_t>&, Control&);
template void start_coarse(const ConvexProblem&, std::int64_t, const EngineOptions&,
                           MessagesOf<std::int64_t>&, Control&);

std::int64_t coarse_start_bytes(std::int64_t variables, int labels, bool wide) {
  // A quarter of the variables, each with its unary term, the scaled one and two messages, and the
  // next levels within: a third in all.
  return (variables + 2) / 3 * ((wide ? 32LL : 16LL) * labels + 64);
}

}  // namespace rangemoves
