#include "rangemoves/flow/ishikawa_graph.hpp"

#include <stdexcept>
#include <utility>

#include "rangemoves/problem/limits.hpp"
#include "rangemoves/run/parallel.hpp"

namespace rangemoves {

namespace {

// Where the cells of an edge are stored: a cell for every pair of nodes, or, where that is less,
// for the pairs whose difference of labels has any capacity.
struct CellLayout {
  std::int64_t count;   // cells to store
  std::int64_t origin;  // of the pair of first nodes, which itself may have no cell
  std::int32_t row;     // from a node of the tail to the next
};

CellLayout cell_layout(const ConvexTable& table, const Band& band, std::int32_t i, std::int32_t j) {
  const std::int32_t tail = band.high[i] - band.low[i], head = band.high[j] - band.low[j];
  const std::int32_t diagonals = table.left + table.right + 1;
  if (head <= diagonals) return {static_cast<std::int64_t>(tail) * head, 0, head};
  return {static_cast<std::int64_t>(tail) * diagonals, band.low[j] - band.low[i] + table.right,
          diagonals - 1};
}

// The cells of an edge with an end inside the band.
struct EdgeWindow {
  const ConvexTable& table;
  int labels;
  std::int32_t low_i, high_i, low_j, high_j;
  int first, last;  // levels of the tail that have such cells

  EdgeWindow(const ConvexProblem& problem, const Band& band, std::int64_t e)
      : table(problem.table(e)),
        labels(problem.labels),
        low_i(band.low[problem.graph.tail(e)]),
        high_i(band.high[problem.graph.tail(e)]),
        low_j(band.low[problem.graph.head(e)]),
        high_j(band.high[problem.graph.head(e)]),
        first(std::max(1, std::min(low_i + 1, low_j + 1 - table.left))),
        last(std::min(labels - 1, std::max(high_i, high_j + table.right))) {}

  // visit(a, b, side of a, side of b): a side is -1 below the band (source), 0 inside, +1 above
  // (sink).
  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    for (int a = first; a <= last; ++a) {
      const int side_a = a <= low_i ? -1 : a > high_i ? 1 : 0;
      const int from = std::max(a - table.right, side_a != 0 ? low_j + 1 : 1);
      const int to = std::min(a + table.left, side_a != 0 ? high_j : labels - 1);
      for (int b = from; b <= to; ++b) visit(a, b, side_a, b <= low_j ? -1 : b > high_j ? 1 : 0);
    }
  }
  // visit(a, b), both inside.
  template <class Visit>
  void for_each_inside(Visit&& visit) const {
    for (int a = low_i + 1; a <= high_i; ++a) {
      const int to = std::min(a + table.left, high_j);
      for (int b = std::max(a - table.right, low_j + 1); b <= to; ++b) visit(a, b);
    }
  }
};

}  // namespace

template <class Flow, class Value>
std::int64_t IshikawaGraph<Flow, Value>::bytes(const ConvexProblem& problem, const Band& band) {
  const Neighbourhood& graph = problem.graph;
  std::int64_t nodes = 0, cells = 0, edges = 0, joined = 0, outside = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    nodes += band.high[i] - band.low[i];
    outside += band.low[i] > 0 || band.high[i] + 1 < problem.labels;
  }
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if (problem.weight[e] == 0) continue;
    ++edges;
    const std::int32_t i = graph.tail(e), j = graph.head(e);
    if (band.low[i] == band.high[i] || band.low[j] == band.high[j]) continue;
    cells += cell_layout(problem.table(e), band, i, j).count;
    ++joined;
  }
  return bytes(graph.nodes(), edges, joined, nodes, cells, outside > 0);
}

template <class Flow, class Value>
IshikawaGraph<Flow, Value>::IshikawaGraph(const ConvexProblem& problem, std::int64_t scale,
                                          const Band& band, const MessageWalk<Value>& messages,
                                          int threads, Control& control)
    : problem_(problem), scale_(scale), band_(band), scratch_(static_cast<std::size_t>(threads)) {
  for (Scratch& scratch : scratch_) {
    scratch.sent.resize(static_cast<std::size_t>(problem.labels));
    scratch.received.resize(scratch.sent.size());
  }
  lay_out_columns(control);
  lay_out_links();
  fill(messages, control);
}

// Sets the variables that have nodes, region by region, in their own order within one, and counts
// their links. The regions are of variables, for now.
template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::find_regions() {
  const Neighbourhood& graph = problem_.graph;
  std::vector<std::int32_t> region(columns_.size(), -1), size;
  std::vector<std::int32_t>& found = with_nodes_;
  for (std::int32_t start = 0; start < graph.nodes(); ++start) {
    if (columns_[start].count == 0 || region[start] >= 0) continue;
    const auto here = static_cast<std::int32_t>(size.size());
    std::size_t next = found.size();
    const std::size_t begin = next;
    region[start] = here;
    found.push_back(start);
    for (; next < found.size(); ++next)
      for (const Incidence* n = graph.begin(found[next]); n != graph.end(found[next]); ++n) {
        if (problem_.weight[n->edge] == 0 || columns_[n->other].count == 0) continue;
        ++columns_[found[next]].links;
        if (region[n->other] >= 0) continue;
        region[n->other] = here;
        found.push_back(n->other);
      }
    size.push_back(static_cast<std::int32_t>(found.size() - begin));
  }
  std::int32_t first = 0;
  for (const std::int32_t variables : size) {
    regions_.push_back({first, first});
    first += variables;
  }
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    if (region[i] >= 0) found[static_cast<std::size_t>(regions_[region[i]].last++)] = i;
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::lay_out_columns(Control& control) {
  columns_.reserve(band_.low.size());
  for (std::size_t i = 0; i < band_.low.size(); ++i)
    columns_.push_back({0, band_.high[i] - band_.low[i], 0, 0});
  find_regions();
  std::int64_t nodes = 0, links = 0, cells = 0;
  std::vector<FlowRegion> of_nodes;
  for (const FlowRegion& region : regions_) {
    of_nodes.push_back({static_cast<std::int32_t>(nodes), 0});
    for (std::int32_t k = region.first; k < region.last; ++k) {
      const std::int32_t i = with_nodes_[static_cast<std::size_t>(k)];
      Column& column = columns_[i];
      // A piece ends with a column: threads that push flow share no link.
      if (nodes - of_nodes.back().first >= kPiece)
        of_nodes.push_back({static_cast<std::int32_t>(nodes), 0, true});
      column.first = static_cast<std::int32_t>(nodes);
      column.first_link = static_cast<std::int32_t>(links);
      nodes += column.count;
      links += std::exchange(column.links, 0);
      for_each_joined(i, [&](const Incidence& n) {
        cells += cell_layout(problem_.table(n.edge), band_, i, n.other).count;
      });
      if (nodes > limits::kCutNodes)
        throw std::overflow_error("a cut of more than 2^31 - 1 nodes does not fit");
      if (links >= INT32_MAX)
        throw std::overflow_error("more than 2^31 - 1 links between variables");
      of_nodes.back().last = static_cast<std::int32_t>(nodes);
    }
  }
  regions_ = std::move(of_nodes);
  nodes_ = static_cast<std::int32_t>(nodes);
  allocate(links, cells, control);
  for (const std::int32_t i : with_nodes_)
    std::fill_n(column_of_.data() + columns_[i].first, columns_[i].count, i);
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::allocate(std::int64_t links, std::int64_t cells,
                                          Control& control) {
  const std::size_t n = static_cast<std::size_t>(nodes_),
                    edges = static_cast<std::size_t>(problem_.graph.edges());
  bool any_narrow = false;
  for (std::size_t i = 0; i < columns_.size() && !any_narrow; ++i)
    any_narrow = band_.low[i] > 0 || band_.high[i] + 1 < problem_.labels;
  memory_.plan(column_of_, n);
  memory_.plan(links_, static_cast<std::size_t>(links));
  memory_.plan(link_of_tail_, edges);
  memory_.plan(passes_by_, edges);
  memory_.plan(excess_, n);
  memory_.plan(up_, n);
  memory_.plan(from_outside_, any_narrow ? n : 0);
  memory_.plan(to_outside_, any_narrow ? n : 0);
  memory_.plan(cells_, static_cast<std::size_t>(cells));
  memory_.allocate(&control);
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::lay_out_links() {
  std::int64_t cells = 0;
  for (const std::int32_t i : with_nodes_)
    for_each_joined(i, [&](const Incidence& n) {
      const std::int32_t e = n.edge, j = n.other;
      Column &tail = columns_[i], &head = columns_[j];
      const ConvexTable& table = problem_.table(e);
      const CellLayout layout = cell_layout(table, band_, i, j);
      const std::int32_t offset = band_.low[i] - band_.low[j];
      links_[tail.first_link + tail.links] = {
          cells + layout.origin, head.first, head.count, layout.row, offset - table.right,
          offset + table.left,   head.links, true,       false};
      links_[head.first_link + head.links] = {
          cells + layout.origin, tail.first, tail.count, layout.row, -offset - table.left,
          -offset + table.right, tail.links, false,      false};
      ++head.links;
      link_of_tail_[static_cast<std::size_t>(e)] = tail.first_link + ++tail.links;
      cells += layout.count;
    });
}

// work(variable, its column) for all that have nodes, on as many threads as there are.
template <class Flow, class Value>
template <class Work>
void IshikawaGraph<Flow, Value>::for_each_column(Control& control, Work&& work) {
  constexpr std::size_t piece = 2048;
  const std::size_t count = with_nodes_.size();
  const int threads = count < 4 * piece ? 1 : static_cast<int>(scratch_.size());
  share_out(static_cast<std::int32_t>((count + piece - 1) / piece), threads, control,
            [&](std::int32_t k, Watch&) {
              const std::size_t first = static_cast<std::size_t>(k) * piece;
              for (std::size_t at = first; at < std::min(count, first + piece); ++at)
                work(with_nodes_[at], columns_[with_nodes_[at]]);
            });
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::fill(const MessageWalk<Value>& messages, Control& control) {
  const Neighbourhood& graph = problem_.graph;
  const bool any_narrow = from_outside_.size() > 0;

  // Unary terms plus messages, for the labels of the band: one more than a column has nodes. That
  // of the lowest label is kept as the excess of the first node, those of the others at the nodes
  // of their levels.
  const auto add = [&](std::int32_t i, auto&& cost) {
    const Column& column = columns_[i];
    if (column.count == 0) return;
    excess_[column.first] += cost(band_.low[i]);
    for (std::int32_t l = 0; l < column.count; ++l)
      up_[column.first + l] += cost(band_.low[i] + l + 1);
  };
  for_each_column(control, [&](std::int32_t i, const Column&) {
    problem_.unary.row(i).visit(
        [&](auto* theta) { add(i, [&](int l) { return theta[l] * scale_; }); });
  });
  messages([&](const EdgeMessages<Value>& edge, int thread) {
    if (is_fixed(edge.edge)) return;
    add(graph.tail(edge.edge), [&](int l) { return edge.p[l]; });
    add(graph.head(edge.edge), [&](int l) { return edge.q[l]; });
    fill_cells(edge, scratch_[static_cast<std::size_t>(thread)].staircase);
  });
  for_each_column(control, [&](std::int32_t, const Column& column) {
    std::int64_t *excess = excess_.data() + column.first, *at = up_.data() + column.first;
    const std::int64_t least = std::min(*excess, *std::min_element(at, at + column.count));
    *excess -= least;
    for (std::int32_t l = 0; l < column.count; ++l) at[l] -= least;
    excess[column.count - 1] -= std::exchange(at[column.count - 1], 0);
    for (std::int32_t l = 0; any_narrow && l < column.count; ++l)
      excess[l] += from_outside_[column.first + l] - to_outside_[column.first + l];
  });
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::fill_cells(const EdgeMessages<Value>& messages,
                                            Staircase<Value>& staircase) {
  const std::int64_t e = messages.edge;
  const EdgeWindow window(problem_, band_, e);
  staircase.build(window.table, problem_.weight[e] * scale_, messages.p, messages.q,
                  window.low_i + 1, window.high_i, window.low_j);
  if (const Link* tail = link_of(e)) {
    const Link& link = *tail;
    window.for_each_inside([&](int a, int b) {
      const std::int64_t forward = staircase.forward(a, b),
                         backward = staircase.capacity(a, b) - forward;
      cells_[link.cells + (a - window.low_i - 1) * link.row + b - window.low_j - 1] = {
          static_cast<Flow>(forward), static_cast<Flow>(backward)};
    });
  }
  if (from_outside_.size() > 0) fill_outside(e, staircase);
}

// What the cells between a level inside the band and all those on one side of it add up to: a
// difference of two corners, however many labels there are.
template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::fill_outside(std::int64_t e, const Staircase<Value>& staircase) {
  const std::int32_t i = problem_.graph.tail(e), j = problem_.graph.head(e);
  const int low_i = band_.low[i], high_i = band_.high[i], low_j = band_.low[j],
            high_j = band_.high[j];
  const auto forward = [&](int a, int b) { return staircase.forward_past(a, b); };
  const auto backward = [&](int a, int b) { return staircase.backward_past(a, b); };
  for (int a = low_i + 1, v = columns_[i].first; a <= high_i; ++a, ++v) {
    from_outside_[v] += backward(a - 1, low_j) - backward(a, low_j);
    to_outside_[v] += forward(a, high_j) - forward(a - 1, high_j);
  }
  for (int b = low_j + 1, v = columns_[j].first; b <= high_j; ++b, ++v) {
    from_outside_[v] += forward(low_i, b - 1) - forward(low_i, b);
    to_outside_[v] += backward(high_i, b) - backward(high_i, b - 1);
  }
  if (forward(low_i, high_j) > 0 || backward(high_i, low_j) > 0) passes_by_[e] = 1;
}

// Flow from below one band to above the other, which no cut can stop: all that there is room for.
template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::add_passing(std::int64_t e, Scratch& scratch) {
  const EdgeWindow window(problem_, band_, e);
  const int low_i = window.low_i, high_i = window.high_i, low_j = window.low_j,
            high_j = window.high_j;
  const auto forward = [&](int a, int b) { return scratch.staircase.forward_past(a, b); };
  const auto backward = [&](int a, int b) { return scratch.staircase.backward_past(a, b); };
  for (int a = window.first; a <= low_i; ++a)
    scratch.sent[a] += forward(a, high_j) - forward(a - 1, high_j);
  for (int a = high_i + 1; a <= window.last; ++a)
    scratch.sent[a] -= backward(a - 1, low_j) - backward(a, low_j);
  for (int b = high_j + 1; b < window.labels; ++b)
    scratch.received[b] += forward(low_i, b - 1) - forward(low_i, b);
  for (int b = 1; b <= low_j; ++b)
    scratch.received[b] -= backward(high_i, b) - backward(high_i, b - 1);
}

template <class Flow, class Value>
void IshikawaGraph<Flow, Value>::add_flow(const EdgeMessages<Value>& messages, int thread) {
  const std::int64_t e = messages.edge;
  if (is_fixed(e) || is_idle(e)) return;
  Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
  Staircase<Value>& staircase = scratch.staircase;
  const EdgeWindow window(problem_, band_, e);
  const Column &tail = columns_[problem_.graph.tail(e)], &head = columns_[problem_.graph.head(e)];
  staircase.build(window.table, problem_.weight[e] * scale_, messages.p, messages.q, window.first,
                  window.last, window.low_j);
  const Link* link = link_of(e);
  // Flow over a cell with one end outside the band: all of its capacity, less what give_back()
  // found unused.
  const auto used = [](std::int64_t capacity, std::int64_t& not_needed) {
    const std::int64_t part = std::min(capacity, not_needed);
    not_needed -= part;
    return capacity - part;
  };
  std::fill(scratch.sent.begin(), scratch.sent.end(), 0);
  std::fill(scratch.received.begin(), scratch.received.end(), 0);
  window.for_each_cell([&](int a, int b, int side_a, int side_b) {
    const std::int32_t la = a - window.low_i - 1, lb = b - window.low_j - 1;
    const std::int64_t forward = staircase.forward(a, b),
                       backward = staircase.capacity(a, b) - forward;
    std::int64_t flow = 0;
    if (side_a == 0 && side_b == 0)
      flow = forward - cells_[link->cells + la * link->row + lb].forward;
    else if (side_a < side_b)
      flow = side_b == 0 ? used(forward, from_outside_[head.first + lb])
                         : used(forward, to_outside_[tail.first + la]);
    else
      flow = -(side_a == 0 ? used(backward, from_outside_[tail.first + la])
                           : used(backward, to_outside_[head.first + lb]));
    scratch.sent[a] += flow;
    scratch.received[b] += flow;
  });
  if (passes_by_[e]) add_passing(e, scratch);
  std::int64_t sent = 0, received = 0;
  for (int l = 1; l < problem_.labels; ++l) {
    messages.p[l] += static_cast<Value>(sent += scratch.sent[l]);
    messages.q[l] -= static_cast<Value>(received += scratch.received[l]);
  }
}

template class IshikawaGraph<std::int32_t, std::int32_t>;
template class IshikawaGraph<std::int16_t, std::int64_t>;
template class IshikawaGraph<std::int32_t, std::int64_t>;
template class IshikawaGraph<std::int64_t, std::int64_t>;

}  // namespace rangemoves
