#include "rangemoves/moves/memory_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "rangemoves/engine/band_search.hpp"
#include "rangemoves/engine/dual.hpp"
#include "rangemoves/engine/reference.hpp"
#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/fusion/fusion.hpp"
#include "rangemoves/messages/coarse_start.hpp"
#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/messages/tree_reweighted.hpp"
#include "rangemoves/moves/kept_messages.hpp"
#include "rangemoves/moves/label_changes.hpp"
#include "rangemoves/moves/methods.hpp"
#include "rangemoves/moves/range_messages.hpp"
#include "rangemoves/moves/ranges.hpp"
#include "rangemoves/optimum/proof.hpp"
#include "rangemoves/problem/limits.hpp"
#include "rangemoves/run/large_memory.hpp"
#include "rangemoves/surrogate/reweight.hpp"

namespace rangemoves {

namespace {

constexpr std::int64_t kLabel = sizeof(std::int32_t);
constexpr std::int64_t kWeight = sizeof(std::int32_t);
// Of a proof: measured.
constexpr std::int64_t kIslands = 600'000;

template <class Count>
constexpr std::int64_t bytes_of(Count size) {
  return static_cast<std::int64_t>(size);
}

// Two variables and an edge: enough to read off bytes per variable and per edge.
struct Pair {
  const Neighbourhood graph{2, {0}, {1}, 0};
  ConvexProblem problem;

  Pair(const ConvexTable& table, std::int32_t weight)
      : problem{graph, table.h.labels(), {}, {weight}, {table}, {}, {0, 0}, {}} {
    problem.high.assign(2, problem.labels - 1);
  }
};

class Estimate {
 public:
  Estimate(const ProblemSize& size, const PerEdge<Table>& g, const Settings& settings)
      : size_(size), all_(g), g_(widest(g)), settings_(settings), range_(convex_range(g_)) {}

  std::int64_t of(Holds holds) const {
    const std::int64_t bound = settings_.bound_sweeps > 0 ? sweeps() : std::int64_t{0};
    return graph() + std::max(bound, moves(holds));
  }

 private:
  const ProblemSize& size_;
  const PerEdge<Table>& all_;
  const Table& g_;  // stands for all
  const Settings& settings_;
  const ConvexRange range_;

  // The one of which a cut has the most arcs.
  static const Table& widest(const PerEdge<Table>& g) {
    const auto width = [](const Table& table) {
      const ConvexRange range = convex_range(table);
      return range.left + range.right;
    };
    return *std::max_element(g.kinds().begin(), g.kinds().end(),
                             [&](const Table& a, const Table& b) { return width(a) < width(b); });
  }

  // Kept throughout: the edges twice, as a list and by variable, and two labellings; without rows
  // also an order of nodes and edges.
  std::int64_t graph() const {
    const std::int64_t order = size_.row == 0 ? 2 * kLabel : 0;
    return size_.variables * (bytes_of(sizeof(std::int32_t)) + 2 * kLabel + order) +
           size_.edges * (2 * kLabel + kWeight + order) +
           taken_bytes(size_.edges * 2 * bytes_of(sizeof(Incidence)));
  }

  std::int64_t moves(Holds holds) const {
    const std::int64_t labels = g_.labels();
    switch (holds) {
      case Holds::sweeps:
        return sweeps();
      case Holds::expansions:
        return binary_moves() + records(2 * labels);
      case Holds::swaps:
        return binary_moves() + records(labels * (labels - 1) / 2);
      case Holds::range_expansions:
        return range_expansion();
      case Holds::range_swaps:
        return range_swaps(false);
      case Holds::extended_range_swaps:
        return range_swaps(true);
      default:
        return moves_of_all(holds);
    }
  }

  // Moves of all variables over all labels, alone or with others.
  std::int64_t moves_of_all(Holds holds) const {
    const SurrogateTables surrogate = chosen_surrogate(g_, settings_);
    const ConvexTable& table =
        surrogate.tables()[static_cast<std::size_t>(surrogate.of(0, g_.centre()))];
    const bool one_table = surrogate.tables().size() == 1 && all_.kinds().size() == 1;
    // Two masks: variables ever active, variables active now.
    std::int64_t convex = convex_moves(table, one_table) + 2 * size_.variables;
    // Several cuts, each with other weights: memory freed by one is not all reused by the next.
    if (holds == Holds::reweighted_move || holds == Holds::reweighted_and_binary_moves)
      convex += convex / 20 + multiplied_costs();
    if (holds == Holds::reweighted_move) return convex;
    if (holds == Holds::reweighted_and_binary_moves) return convex + binary_moves();
    if (is_convex(g_)) return convex;
    convex += borders();
    if (holds == Holds::convex_move) return convex;
    // Messages of moves and on g at the same time. Either there is a move, or messages are
    // remembered while costs are perturbed.
    const std::int64_t remembered =
        holds == Holds::sweeps_and_moves_perturbed ? 2 * messages_on_g() / 3 : 0;
    const std::int64_t labellings = 6 * kLabel * size_.variables;
    // The default expands only what sweeps leave unsettled: about those variables that are cut,
    // most of which have two nodes.
    const bool some = holds == Holds::sweeps_and_moves && size_.nodes_per_variable >= 0;
    const double binary = some ? std::min(1.0, size_.nodes_per_variable / 2) : 1.0;
    // Lazy sweeps come after the first moves, where costs are noise; elsewhere sweeps and moves
    // mostly end the run. Moves that follow come on top of them, which is not counted.
    const bool is_lazy = holds == Holds::sweeps_and_moves_perturbed && size_.cuts_whole;
    const std::int64_t lazy = is_lazy ? lazy_sweeps() : std::int64_t{0};
    const std::int64_t all =
        sweeps() + labellings + Fusion::bytes(size_.variables) +
        std::max(convex, convex_messages(table, one_table) +
                             std::max({lazy, remembered, binary_moves(binary)}));
    // Islands and the tables that solve them are small, however large the problem.
    const std::int64_t islands = holds == Holds::sweeps_and_moves_perturbed ? kIslands : 0;
    return all + islands;
  }

  // Reweighted cuts multiply all costs where that makes weighted ones whole, unless they would not
  // fit then. Their unit, without which more would fit, is not known here.
  std::int64_t multiplied_costs() const {
    const PerEdge<Table> h = chosen_tables(all_, settings_);
    const std::int64_t factor = common_factor(touching_slopes(all_, h, settings_));
    if (factor == 1) return 0;
    std::int64_t edge = 0;
    for (const Table& table : h.kinds())
      edge = std::max(edge, table.spread() + (table.labels() - 1) * table.steepest());
    const Int128 largest = Int128{size_.largest_unary} + Int128{size_.largest_degree} * edge;
    if (size_.largest_weight > limits::kWeight / factor || largest > limits::kWideCost / factor ||
        largest * size_.variables > limits::kTotalCost / factor)
      return 0;
    return size_.variables * g_.labels() * (size_.wide_costs ? 8 : 4);
  }

  // Records of moves, of which there are many: in the trace, and again for the caller.
  static std::int64_t records(std::int64_t moves) { return moves * 1000; }

  bool is_grid() const {
    if (size_.row == 0) return false;
    const std::int64_t rows = size_.variables / size_.row;
    return size_.variables % size_.row == 0 && rows > 1 &&
           size_.edges <= 2 * size_.variables - rows - size_.row;
  }

  std::int64_t messages(std::int32_t labels, bool one_table, bool wide) const {
    const std::int64_t any = graph_message_bytes(size_.variables, size_.edges, labels, wide);
    if (!one_table || size_.row == 0) return any;
    if (is_grid()) return grid_message_bytes(size_.variables, size_.row, labels, wide);
    const Topology rows = all_rows();
    const Level& level = chosen_level();
    const int threads = settings_.engine.threads;
    return fills_stencil(rows, wide ? level.wide.lanes : level.narrow.lanes, threads)
               ? stencil_message_bytes(rows, labels, wide, threads)
               : any;
  }

  // A grid with more than four neighbours, all its slices below each other: how high they are does
  // not matter much. So many edges a variable have those with 6, 8 and 26.
  Topology all_rows() const {
    using Kind = Topology::Kind;
    const Kind kind = size_.edges <= 3 * size_.variables   ? Kind::grid6
                      : size_.edges <= 4 * size_.variables ? Kind::grid8
                                                           : Kind::grid26;
    return {kind, 1, static_cast<std::int32_t>(size_.variables / size_.row), size_.row};
  }

  bool has_wide_messages(const ConvexTable& table, bool cuts, std::int64_t finest) const {
    return plan_messages(kernel_load(table, size_.largest_unary, size_.largest_weight,
                                     size_.largest_degree, size_.edges, cuts),
                         finest)
        .wide;
  }

  std::int64_t messages_on_g() const {
    const bool wide = has_wide_messages(ConvexTable::of_any(g_), false, Trws::kFinestScale);
    return messages(g_.labels(), all_.kinds().size() == 1, wide);
  }

  std::int64_t lazy_sweeps() const {
    const bool wide = has_wide_messages(ConvexTable::of_any(g_), false, Trws::kFinestScale);
    return Proof::bytes(size_.variables, size_.edges, g_.labels(), wide);
  }

  // In later moves variables next to those that do not move have costs of their own: up to a sixth
  // of them. Where the first cut is of all variables it takes more than that.
  std::int64_t borders() const {
    if (size_.cuts_whole) return 0;
    const std::int64_t row = g_.labels() * own_cost();
    return size_.variables * kLabel + size_.variables / 6 * row;
  }

  // Bytes of a cost in a row that a move has of its own.
  std::int64_t own_cost() const { return size_.wide_costs ? 8 : 4; }

  // With the intervals and weights that messages are made for, and a labelling read off them.
  std::int64_t sweeps() const {
    return messages_on_g() + size_.variables * 4 * kLabel + size_.edges * kWeight;
  }

  // With graphs of this part of the variables. Flows are remembered for all edges.
  std::int64_t binary_moves(double part = 1) const {
    const auto some = [&](std::int64_t count) {
      return static_cast<std::int64_t>(std::ceil(part * static_cast<double>(count)));
    };
    const int threads = settings_.engine.threads;
    const std::int64_t flows = BinaryMove::bytes(0, size_.edges, g_.labels(), threads) -
                               BinaryMove::bytes(0, size_.edges, 0, threads);
    return flows + BinaryMove::bytes(some(size_.variables), some(size_.edges), 0, threads) +
           turns();
  }

  std::int64_t turns() const {
    return size_.variables * bytes_of(LabelChanges::bytes_per_variable());
  }

  std::int64_t convex_messages(const ConvexTable& table, bool one_table) const {
    if (settings_.engine.engine == EngineChoice::reference) return 0;
    const bool wide = has_wide_messages(table, true, DualEngine::kFinestScale);
    return messages(table.h.labels(), one_table, wide);
  }

  // A move of all variables over the labels of the table.
  std::int64_t convex_moves(const ConvexTable& table, bool one_table) const {
    const std::int32_t labels = table.h.labels();
    // Intervals; a table for each edge where they differ. Costs are those of the caller.
    const std::int64_t problem =
        size_.variables * 2 * kLabel + size_.edges * (one_table ? kWeight : kWeight + kLabel);
    if (settings_.engine.engine == EngineChoice::reference) return problem + whole_cut(table);
    const bool wide = has_wide_messages(table, true, DualEngine::kFinestScale);
    // The band, the labellings before and after, the weights of the move before.
    const std::int64_t engine = size_.variables * 5 * kLabel + size_.edges * kWeight;
    // Smaller images to start from are given back before a cut.
    const std::int64_t coarse =
        one_table && is_grid() ? coarse_start_bytes(size_.variables, labels, wide) : 0;
    const std::int64_t held = messages(labels, one_table, wide);
    std::int64_t cut = wide ? band_cut<std::int64_t>(table) : band_cut<std::int32_t>(table);
    if (size_.cuts_whole)
      cut = std::max(cut, cut_budget(size_.variables, size_.edges, labels, held, wide));
    return problem + engine + held + std::max(cut, coarse);
  }

  template <class Value>
  std::int64_t band_cut(const ConvexTable& table) const {
    using Graph = IshikawaGraph<Value, Value>;
    const std::int64_t most = table.h.labels() - 1;
    const std::int64_t row = std::min<std::int64_t>(most, table.left + table.right + 1);
    const auto part = [](double of, std::int64_t most_of, std::int64_t count) {
      const double each = of < 0 ? static_cast<double>(most_of) : of;
      return static_cast<std::int64_t>(std::ceil(each * static_cast<double>(count)));
    };
    const std::int64_t nodes = part(size_.nodes_per_variable, most, size_.variables),
                       cells = part(size_.cells_per_edge, most * row, size_.edges);
    const bool narrow = nodes < most * size_.variables * 99 / 100;
    const std::int64_t joined = part(size_.joined, 1, size_.edges);
    return Graph::bytes(size_.variables, size_.edges, joined, nodes, cells, narrow, taken_bytes) +
           IncrementalBfs<Graph>::bytes(nodes);
  }

  // A size that is linear in variables and edges.
  std::int64_t whole_cut(const ConvexTable& table) const {
    Pair pair(table, static_cast<std::int32_t>(size_.largest_weight));
    const std::int64_t joined = reference_bytes(pair.problem);
    pair.problem.weight[0] = 0;
    const std::int64_t apart = reference_bytes(pair.problem);
    return size_.variables * apart / 2 + size_.edges * (joined - apart);
  }

  std::int64_t range_swaps(bool extended) const {
    const int extend =
        extended ? static_cast<int>(std::min<std::int64_t>(settings_.extend, g_.labels())) : 0;
    // Of a range with room to extend on either side: messages cover all variables, not only those
    // that move.
    const int count = std::min(g_.labels(), range_width(all_, settings_) + 2 * extend + 1);
    const Table h = tight_surrogate(g_, range_);
    std::vector<std::int64_t> values;
    for (int d = 1 - count; d < count; ++d) values.push_back(h(d));
    const ConvexTable table{Table(std::move(values))};
    // Places of variables, their new labels; the labelling of the move.
    // Next to those that do not move variables have costs of their own: up to a quarter.
    const std::int64_t borders = size_.variables * count * own_cost() / 4;
    const std::int64_t lists = turns() + size_.variables * (3 * kLabel + 1) + borders;
    // Ranges are tried in several cycles.
    const std::int64_t all = lists + convex_moves(table, all_.kinds().size() == 1) +
                             kept_messages(count) + records(4 * g_.labels());
    // Memory freed by one move is not all reused by the next, whose graph may be larger. Measured;
    // cuts of extended ranges take less than those of small parts say, which makes up for it.
    return extended ? all : all + all / 32;
  }

  // An edge whose ends have the same label is in as many ranges as a range has labels, others in
  // fewer.
  std::int64_t kept_messages(int labels) const {
    const std::int64_t step = largest_step(chosen_tables(all_, settings_),
                                           static_cast<std::int64_t>(size_.largest_weight));
    const std::int64_t ranges = range_width(all_, settings_) + 1;
    return std::min(most_kept_bytes(size_.variables, g_.labels(), step, settings_),
                    size_.edges * ranges * KeptMessages::bytes_of(labels, step));
  }

  std::int64_t range_expansion() const {
    const std::int64_t states = range_states(all_, settings_), levels = states - 1;
    const std::int64_t nodes = levels * size_.variables;
    // Flow starts from most of the nodes: the frontiers are long, and as long again while they
    // grow.
    const std::int64_t frontiers = 5 * bytes_of(sizeof(std::int32_t)) * nodes;
    const std::int64_t graph =
        2 * taken_bytes(nodes * bytes_of(sizeof(std::int64_t))) +
        taken_bytes(size_.edges * levels * levels * bytes_of(sizeof(ColumnGraph::Cell))) +
        taken_bytes(size_.edges * bytes_of(ColumnGraph::bytes_per_edge()));
    // Places, states and changes; three lists of links.
    const std::int64_t lists = size_.variables * (5 * kLabel + bytes_of(sizeof(LabelChange)));
    return turns() + taken_bytes(size_.variables * states * bytes_of(sizeof(std::int64_t))) +
           RangeMessages::bytes(size_.edges, states) + graph +
           IncrementalBfs<ColumnGraph>::bytes(nodes) + frontiers + lists;
  }
};

}  // namespace

std::int64_t estimate_memory(const ProblemSize& size, const PerEdge<Table>& g,
                             const std::string& method, const Settings& settings) {
  const Method* row = find_method(method);
  if (!row) throw std::invalid_argument("no such method: " + method);
  return Estimate(size, g, settings).of(row->holds);
}

}  // namespace rangemoves
