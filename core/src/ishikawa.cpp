#include "rangemoves/ishikawa.hpp"

#include <algorithm>
#include <stdexcept>

namespace rangemoves {

namespace {

// How a stored edge is laid out: all pairs of levels, or only the diagonals that have capacity,
// whichever is smaller.
struct CellLayout {
  std::int64_t count;  // cells to store
  std::int64_t
      origin;  // of the first level of the tail and the first of the head, relative to the start
  std::int32_t row;
};

CellLayout cell_layout(const ConvexTable& table, std::int32_t low_tail, std::int32_t tail_levels,
                       std::int32_t low_head, std::int32_t head_levels) {
  const std::int32_t diagonals = table.left + table.right + 1;
  if (head_levels <= diagonals)
    return {static_cast<std::int64_t>(tail_levels) * head_levels, 0, head_levels};
  return {static_cast<std::int64_t>(tail_levels) * diagonals, low_head - low_tail + table.right,
          diagonals - 1};
}

}  // namespace

template <class Cell>
std::int64_t IshikawaGraph<Cell>::bytes(const ConvexProblem& problem, const Band& band) {
  const Neighbourhood& graph = problem.graph;
  std::int64_t nodes = 0, cells = 0, links = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) nodes += band.high[i] - band.low[i];
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if (problem.weight[e] == 0) continue;
    const std::int32_t i = graph.tail(e), j = graph.head(e);
    cells += cell_layout(problem.table(e), band.low[i], band.high[i] - band.low[i], band.low[j],
                         band.high[j] - band.low[j])
                 .count;
    links += 2;
  }
  return nodes * static_cast<std::int64_t>(sizeof(std::int32_t) + 2 * sizeof(std::int64_t)) +
         cells * static_cast<std::int64_t>(sizeof(Cell)) +
         links * static_cast<std::int64_t>(sizeof(Link)) +
         graph.nodes() * static_cast<std::int64_t>(sizeof(Column) + sizeof(std::int64_t));
}

template <class Cell>
void IshikawaGraph<Cell>::lay_out() {
  const Neighbourhood& graph = problem_.graph;
  const std::int32_t n = graph.nodes();
  columns_.resize(static_cast<std::size_t>(n));
  std::int64_t nodes = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    columns_[i] = {static_cast<std::int32_t>(nodes), band_.high[i] - band_.low[i], 0, 0};
    nodes += columns_[i].count;
    if (nodes > INT32_MAX)
      throw std::overflow_error(
          "a cut of more than 2^31 - 1 nodes does not fit the reference engine");
  }
  nodes_ = static_cast<std::int32_t>(nodes);
  column_of_.resize(static_cast<std::size_t>(nodes));
  for (std::int32_t i = 0; i < n; ++i)
    std::fill_n(column_of_.begin() + columns_[i].first, columns_[i].count, i);

  const auto stored = [&](std::int64_t e) {
    return problem_.weight[e] > 0 && columns_[graph.tail(e)].count > 0 &&
           columns_[graph.head(e)].count > 0;
  };
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if (!stored(e)) continue;
    ++columns_[graph.tail(e)].links;
    ++columns_[graph.head(e)].links;
  }
  std::int64_t links = 0;
  for (Column& column : columns_) {
    column.first_link = static_cast<std::int32_t>(links);
    links += column.links;
    if (links > INT32_MAX) throw std::overflow_error("more than 2^31 - 1 links between variables");
    column.links = 0;
  }
  links_.resize(static_cast<std::size_t>(links));
  link_of_tail_.assign(static_cast<std::size_t>(graph.edges()), -1);
  std::int64_t cells = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if (!stored(e)) continue;
    const std::int32_t i = graph.tail(e), j = graph.head(e);
    Column &tail = columns_[i], &head = columns_[j];
    const ConvexTable& table = problem_.table(e);
    const CellLayout layout =
        cell_layout(table, band_.low[i], tail.count, band_.low[j], head.count);
    const std::int32_t offset = band_.low[i] - band_.low[j];
    Link link{};
    link.bend = table.bend.data() + (problem_.labels - 2);
    link.cells = cells + layout.origin;
    link.weight = problem_.weight[e] * scale_;
    link.row = layout.row;
    link.offset = offset;
    link.edge = static_cast<std::int32_t>(e);
    cells += layout.count;

    link_of_tail_[e] = tail.first_link + tail.links;
    Link from_tail = link, from_head = link;
    from_tail.is_tail = true;
    from_tail.first = head.first;
    from_tail.count = head.count;
    from_tail.from = offset - table.right;
    from_tail.to = offset + table.left;
    from_tail.reverse = head.links;
    from_head.is_tail = false;
    from_head.first = tail.first;
    from_head.count = tail.count;
    from_head.from = -offset - table.left;
    from_head.to = -offset + table.right;
    from_head.reverse = tail.links;
    links_[tail.first_link + tail.links++] = from_tail;
    links_[head.first_link + head.links++] = from_head;
  }
  cells_.assign(static_cast<std::size_t>(cells), 0);
}

namespace {

// Visits the cells of an edge that are not constant in the band, with where their two ends lie:
// visit(a, b, side of a, side of b), a side being -1 below the band (source), 0 inside, +1 above
// (sink).
template <class Visit>
void for_each_cell(const ConvexTable& table, int labels, std::int32_t low_i, std::int32_t high_i,
                   std::int32_t low_j, std::int32_t high_j, Visit&& visit) {
  const int first = std::max(1, std::min(low_i + 1, low_j + 1 - table.left));
  const int last = std::min(labels - 1, std::max(high_i, high_j + table.right));
  for (int a = first; a <= last; ++a) {
    const int side_a = a <= low_i ? -1 : a > high_i ? 1 : 0;
    const int from = std::max({1, a - table.right, side_a < 0 ? low_j + 1 : 1});
    const int to = std::min({labels - 1, a + table.left, side_a > 0 ? high_j : labels - 1});
    for (int b = from; b <= to; ++b) visit(a, b, side_a, b <= low_j ? -1 : b > high_j ? 1 : 0);
  }
}

}  // namespace

template <class Cell>
void IshikawaGraph<Cell>::fill(MessageSource& messages) {
  const Neighbourhood& graph = problem_.graph;
  const int labels = problem_.labels;
  const std::size_t n = static_cast<std::size_t>(nodes_);
  excess_.assign(n, 0);
  up_.assign(n, 0);

  // Reduced unary terms over the band: of variable i at first(i) + i, one more label than levels.
  std::vector<std::int64_t> reduced(n + columns_.size());
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    const std::int32_t* theta = problem_.unary.data() + static_cast<std::int64_t>(i) * labels;
    std::int64_t* at = reduced.data() + columns_[i].first + i;
    for (std::int32_t l = band_.low[i]; l <= band_.high[i]; ++l) *at++ = theta[l] * scale_;
  }

  std::vector<std::int64_t> p(static_cast<std::size_t>(labels)),
      q(static_cast<std::size_t>(labels));
  Staircase staircase;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    if (problem_.weight[e] == 0) continue;
    const std::int32_t i = graph.tail(e), j = graph.head(e);
    const Column &tail = columns_[i], &head = columns_[j];
    if (tail.count == 0 && head.count == 0) continue;
    messages.read(e, p.data(), q.data());
    for (std::int32_t l = 0; l <= tail.count; ++l)
      reduced[tail.first + i + l] += p[band_.low[i] + l];
    for (std::int32_t l = 0; l <= head.count; ++l)
      reduced[head.first + j + l] += q[band_.low[j] + l];
    staircase.build(problem_.table(e), problem_.weight[e] * scale_, p.data(), q.data());
    const Link* link = link_of_tail_[e] < 0 ? nullptr : &links_[link_of_tail_[e]];
    for_each_cell(problem_.table(e), labels, band_.low[i], band_.high[i], band_.low[j],
                  band_.high[j], [&](int a, int b, int side_a, int side_b) {
                    const std::int32_t la = a - band_.low[i] - 1, lb = b - band_.low[j] - 1;
                    const std::int64_t forward = staircase.forward(a, b);
                    if (side_a == 0 && side_b == 0) {
                      cells_[link->cells + la * link->row + lb] = static_cast<Cell>(forward);
                    } else if (side_b == 0) {
                      excess_[head.first + lb] += side_a < 0 ? forward : -staircase.backward(a, b);
                    } else if (side_a == 0) {
                      excess_[tail.first + la] += side_b < 0 ? staircase.backward(a, b) : -forward;
                    }
                  });
  }

  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    const Column& column = columns_[i];
    if (column.count == 0) continue;
    std::int64_t* at = reduced.data() + column.first + i;
    const std::int64_t least = *std::min_element(at, at + column.count + 1);
    excess_[column.first] += at[0] - least;
    for (std::int32_t l = 0; l + 1 < column.count; ++l) up_[column.first + l] = at[l + 1] - least;
    excess_[column.first + column.count - 1] -= at[column.count] - least;
  }
}

template <class Cell>
void IshikawaGraph<Cell>::add_flow(std::int64_t e, std::int64_t* p, std::int64_t* q) const {
  const std::int32_t i = problem_.graph.tail(e), j = problem_.graph.head(e);
  const int labels = problem_.labels;
  Staircase staircase;
  staircase.build(problem_.table(e), problem_.weight[e] * scale_, p, q);
  const Link* link = link_of_tail_[e] < 0 ? nullptr : &links_[link_of_tail_[e]];
  std::vector<std::int64_t> out(static_cast<std::size_t>(labels), 0),
      in(static_cast<std::size_t>(labels), 0);
  for_each_cell(
      problem_.table(e), labels, band_.low[i], band_.high[i], band_.low[j], band_.high[j],
      [&](int a, int b, int side_a, int side_b) {
        std::int64_t flow = 0;
        if (side_a == 0 && side_b == 0) {
          const std::int32_t la = a - band_.low[i] - 1, lb = b - band_.low[j] - 1;
          flow = staircase.forward(a, b) - cells_[link->cells + la * link->row + lb];
        } else if (side_a < side_b) {  // from the source, or to the sink: saturated from the start
          flow = staircase.forward(a, b);
        } else if (side_a > side_b) {
          flow = -staircase.backward(a, b);
        }
        out[a] += flow;
        in[b] += flow;
      });
  std::int64_t sent = 0, received = 0;
  for (int l = 1; l < labels; ++l) {
    p[l] += sent += out[l];
    q[l] -= received += in[l];
  }
}

template class IshikawaGraph<std::int16_t>;
template class IshikawaGraph<std::int32_t>;
template class IshikawaGraph<std::int64_t>;

}  // namespace rangemoves
