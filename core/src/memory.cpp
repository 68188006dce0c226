#include "rangemoves/memory.hpp"

#include <algorithm>

#include "rangemoves/choice.hpp"
#include "rangemoves/coarse_start.hpp"
#include "rangemoves/engine_dual.hpp"
#include "rangemoves/engine_reference.hpp"
#include "rangemoves/ishikawa.hpp"
#include "rangemoves/kernels.hpp"
#include "rangemoves/moves/methods.hpp"
#include "rangemoves/moves/range_messages.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/trws.hpp"

namespace rangemoves {

namespace {

constexpr std::int32_t kBandLabels = 5;
// Of the cut of a band, per node: the trees of incremental_bfs.hpp, reduced unary terms.
constexpr std::int64_t kCutBytesPerNode = 48;

// Two variables and an edge between them stand for all.
struct Pair {
  const Neighbourhood graph{2, {0}, {1}, 2};
  ConvexProblem problem;

  Pair(const ConvexTable& table, std::int32_t weight)
      : problem{graph, table.h.labels(), {}, {weight}, {table}, {}, {0, 0}, {}} {
    problem.high.assign(2, problem.labels - 1);
  }
};

// What a size that is linear in variables and edges comes to.
template <class Bytes>
std::int64_t scaled_up(const ProblemSize& size, Pair pair, Bytes&& bytes) {
  const std::int64_t joined = bytes(pair.problem);
  pair.problem.weight[0] = 0;
  const std::int64_t apart = bytes(pair.problem);
  return size.variables * apart / 2 + size.edges * (joined - apart);
}

// Of the messages: their width, and how many lanes the kernels have for it.
struct Width {
  std::int64_t bytes, lanes;

  explicit Width(bool wide)
      : bytes(wide ? 8 : 4),
        lanes(wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes) {}
};

std::int64_t messages_on_a_grid(const ProblemSize& size, std::int64_t labels, Width width) {
  const std::int64_t lanes = width.lanes;
  const std::int64_t strips = (size.variables / size.row + lanes - 1) / lanes,
                     steps = size.row + lanes - 1;
  return strips * steps * lanes * (3 * width.bytes * labels + 2 * width.bytes + 2 * 4);
}

std::int64_t messages_on_a_graph(const ProblemSize& size, std::int32_t labels, Width width) {
  const std::int64_t stride = stride_for(labels, static_cast<std::int32_t>(width.lanes));
  return size.variables * (width.bytes * stride + 32) +
         size.edges * (width.bytes * stride + 16 + width.bytes);
}

bool is_grid(const ProblemSize& size, bool one_table) {
  const std::int64_t rows = size.variables / size.row;
  return one_table && size.variables % size.row == 0 && rows > 1 &&
         size.edges <= 2 * size.variables - rows - size.row;
}

std::int64_t messages(const ProblemSize& size, std::int32_t labels, bool one_table, bool wide) {
  return is_grid(size, one_table) ? messages_on_a_grid(size, labels, Width(wide))
                                  : messages_on_a_graph(size, labels, Width(wide));
}

bool has_wide_messages(const ProblemSize& size, const ConvexTable& table, bool cuts,
                       std::int64_t finest) {
  return plan_messages(kernel_load(table, size.largest_unary, size.largest_weight,
                                   size.largest_degree, size.edges, cuts),
                       finest)
      .wide;
}

}  // namespace

std::int64_t estimate_memory(const ProblemSize& size, const Table& g, const std::string& method,
                             const Settings& settings) {
  const std::int32_t labels = g.labels();
  // The neighbourhood, the unary terms and intervals of the move, a few labellings.
  const std::int64_t bytes = size.wide_costs ? 8 : 4;
  const std::int64_t problem =
      size.variables * (bytes * std::int64_t{labels} + 32) + size.edges * 44;
  const auto messages_on_g = [&] {
    const bool wide = has_wide_messages(size, ConvexTable::of_any(g), false, Trws::kFinestScale);
    return messages(size, labels, true, wide);
  };
  if (method == "trws") return problem + messages_on_g();
  if (method == "expansion" || method == "swap")
    return problem + BinaryMove::bytes(size.variables, size.edges, labels);

  // Besides the moves: messages on g, once more as they were before costs were perturbed, and the
  // costs on the way.
  const std::int64_t sweeps = method == "best" ? problem + 2 * messages_on_g() : 0;

  const ConvexRange range = convex_range(g);
  if (method == "rexp") {
    const std::int64_t states = range_states(g, settings);
    const std::int64_t cells = (states - 1) * (states - 1) * 16;
    return problem + size.variables * states * 88 +
           size.edges * (cells + RangeMessages::bytes_per_edge(states) + 56);
  }
  const SurrogateTables surrogate = method == "rswape"
                                        ? SurrogateTables::same_for_all(tight_surrogate(g, range))
                                        : chosen_surrogate(g, settings, range);
  const ConvexTable& table = surrogate.tables()[static_cast<std::size_t>(surrogate.of(0))];
  const Pair pair(table, static_cast<std::int32_t>(size.largest_weight));
  if (settings.engine.engine == "reference")
    return sweeps + problem + scaled_up(size, pair, reference_bytes);
  const bool wide = has_wide_messages(size, table, true, DualEngine::kFinestScale);
  const std::int32_t last = std::min(kBandLabels, labels) - 1;
  const std::int64_t cut = size.variables * last * kCutBytesPerNode +
                           scaled_up(size, pair, [last, wide](const ConvexProblem& of) {
                             using Narrow = IshikawaGraph<std::int32_t, std::int32_t>;
                             using Wide = IshikawaGraph<std::int64_t, std::int64_t>;
                             const Band band{{0, 0}, {last, last}};
                             return wide ? Wide::bytes(of, band) : Narrow::bytes(of, band);
                           });
  const bool one_table = surrogate.tables().size() == 1;
  // Smaller images to start from are given back before a cut.
  const std::int64_t coarse =
      is_grid(size, one_table) ? coarse_start_bytes(size.variables, labels, wide) : 0;
  return sweeps + problem + messages(size, labels, one_table, wide) + std::max(cut, coarse);
}

}  // namespace rangemoves
