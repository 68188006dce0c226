#include "rangemoves/messages/coarse_start.hpp"

#include <algorithm>
#include <cstdlib>

#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/parallel.hpp"

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

  std::int32_t rows() const { return height_; }

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

  // visit(node, block) for the fine nodes of a row of blocks, join(edge, block edge) for the fine
  // edges between two of its blocks or to one below.
  template <class Visit, class Join>
  void for_each(std::int32_t row, Visit&& visit, Join&& join) const {
    const std::int32_t bottom = std::min(2 * row + 2, fine_.topology().height);
    for (std::int32_t y = 2 * row; y < bottom; ++y)
      for (std::int32_t x = 0; x < fine_width_; ++x) {
        const std::int32_t r = y * fine_width_ + x, i = fine_.at_rank(r);
        const std::int32_t block = row * width_ + x / 2;
        visit(i, block);
        for (const Incidence* n = fine_.begin(i); n != fine_.end(i); ++n) {
          const std::int32_t other = fine_.rank(n->other);
          if (other == r + 1 && x % 2 == 1) join(n->edge, right_[block]);
          if (other == r + fine_width_ && y % 2 == 1) join(n->edge, down_[block]);
        }
      }
  }

 private:
  const Neighbourhood& fine_;
  std::int32_t fine_width_, width_, height_;
  std::vector<std::int32_t> right_, down_;  // per block: its edge
};

ConvexProblem merge(const ConvexProblem& fine, const Blocks& blocks, const Neighbourhood& grid,
                    int threads, Control& control) {
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
  threads = useful_threads(threads, std::int64_t{fine.graph.nodes()} * fine.labels);
  // No row of blocks adds to what another adds to.
  share_out(blocks.rows(), threads, control, [&](std::int32_t row, Watch&) {
    blocks.for_each(
        row,
        [&](std::int32_t i, std::int32_t block) {
          if (!fine.takes_part(i)) return;
          unary.add_row(block, fine.unary.row(i));
          coarse.high[block] = fine.labels - 1;
        },
        [&](std::int32_t e, std::int32_t joined) { coarse.weight[joined] += fine.weight[e]; });
  });
  coarse.unary = std::move(unary);
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

}  // namespace

// The problem of the blocks, of which the messages alone are left.
template <class Value>
class CoarseStart<Value>::Smaller {
 public:
  explicit Smaller(const Neighbourhood& fine) : blocks_(fine), grid_(blocks_.grid()) {}

  // False where its costs leave no scale.
  bool sweep(int levels, const ConvexProblem& problem, std::int64_t scale,
             const EngineOptions& options, Control& control) {
    {
      const ConvexProblem coarse = merge(problem, blocks_, grid_, options.threads, control);
      const std::int64_t coarse_scale = finest_scale<Value>(kernel_load(coarse, false), scale);
      if (coarse_scale == 0) return false;
      CoarseStart deeper(levels, coarse, coarse_scale, options, control);
      messages_ =
          find_backend(options.backend).make<Value>(coarse, coarse_scale, options.threads, control);
      deeper.add_to(coarse, *messages_, control);
      messages_->load(coarse, control);
    }
    for (int k = 0; k < kCoarseSweeps; ++k) {
      messages_->sweep(false, nullptr, control);
      messages_->sweep(true, nullptr, control);
    }
    messages_->set_unary_aside();
    return true;
  }
  MessagesOf<Value>& messages() { return *messages_; }

 private:
  Blocks blocks_;
  const Neighbourhood grid_;
  std::unique_ptr<MessagesOf<Value>> messages_;
};

template <class Value>
CoarseStart<Value>::CoarseStart(const ConvexProblem& problem, std::int64_t scale,
                                const EngineOptions& options, Control& control)
    : CoarseStart(fits_wavefront(problem) ? kLevels : 0, problem, scale, options, control) {}

template <class Value>
CoarseStart<Value>::CoarseStart(int levels, const ConvexProblem& problem, std::int64_t scale,
                                const EngineOptions& options, Control& control) {
  const Topology& grid_of = problem.graph.topology();
  if (levels == 0 || std::min(grid_of.width, grid_of.height) < 2 * kSmallestSide ||
      !sums_fit(problem))
    return;
  smaller_ = std::make_unique<Smaller>(problem.graph);
  if (!smaller_->sweep(levels - 1, problem, scale, options, control)) smaller_.reset();
}

template <class Value>
CoarseStart<Value>::~CoarseStart() = default;

template <class Value>
void CoarseStart<Value>::add_to(const ConvexProblem& problem, MessagesOf<Value>& messages,
                                Control& control) {
  if (smaller_)
    add_block_messages(problem, messages, smaller_->messages(), kTrust, kWhole, control);
  smaller_.reset();
}

template class CoarseStart<std::int32_t>;
template class CoarseStart<std::int64_t>;

std::int64_t coarse_start_bytes(std::int64_t variables, int labels, bool wide) {
  // A quarter of the variables, each with two messages and what else there is of it, and the next
  // levels within: a third in all. The unary terms of the problem itself are not there yet.
  const std::int64_t value = wide ? 8 : 4;
  return std::max<std::int64_t>(
      0, (variables + 2) / 3 * (2 * value * labels + 64) - variables * value * labels);
}

}  // namespace rangemoves
