#include "rangemoves/messages/node_rows.hpp"

#include <vector>

namespace rangemoves {

namespace {
// Nodes per row with one thread, which waits for no row: any length will do.
constexpr std::int32_t kRowAlone = 4096;
}  // namespace

NodeRows::NodeRows(const Neighbourhood& graph, int threads, Control& control)
    : nodes_(graph.nodes()),
      threads_(threads),
      row_(threads > 1 ? graph.topology().width : kRowAlone) {
  const std::int32_t rows = (nodes_ + row_ - 1) / row_;
  for (Pipeline* p : {&forward_, &backward_}) {
    p->rows = rows;
    p->length = row_;
    p->depends_on.resize(static_cast<std::size_t>(rows));
  }
  if (threads_ > 1) find_dependencies(graph, control);
}

// Which rows a row has to stay behind, and by how much: read off the edges, once.
void NodeRows::find_dependencies(const Neighbourhood& graph, Control& control) {
  const std::int32_t rows = forward_.rows;
  // A mirrored position is length - 1 - position, so a lead between two rows is the same in both
  // directions.
  std::vector<RowDependency> on;
  std::vector<std::int64_t> start(static_cast<std::size_t>(rows), 0);
  for (std::int32_t row = 0; row < rows; ++row) {
    if ((row & 0xf) == 0) control.poll();
    on.clear();
    const std::int32_t first = row * row_, last = std::min(nodes_ - first, row_) + first;
    for (std::int32_t r = first; r < last; ++r) {
      const std::int32_t i = graph.at_rank(r);
      for (const Incidence* k = graph.begin(i); k != graph.end(i); ++k)
        if (const std::int32_t before = graph.rank(k->other); before < first)
          on.push_back({before / row_, before % row_ - r % row_});
    }
    std::sort(on.begin(), on.end(), [](const RowDependency& a, const RowDependency& b) {
      return a.row != b.row ? a.row < b.row : a.lead > b.lead;
    });
    on.erase(
        std::unique(on.begin(), on.end(),
                    [](const RowDependency& a, const RowDependency& b) { return a.row == b.row; }),
        on.end());
    for (const RowDependency& d : on) {
      forward_.depends_on[row].push_back(d);
      backward_.depends_on[rows - 1 - d.row].push_back({rows - 1 - row, d.lead});
      const std::int32_t behind = std::max(0, std::min(row_, Pipeline::kPiece + d.lead));
      start[row] = std::max(start[row], start[d.row] + behind);
    }
  }
  // No more threads than have work: two for every three rows that can be under way at once, so
  // that one slow thread does not stop the others.
  const std::int64_t together = *std::max_element(start.begin(), start.end()) + row_;
  const std::int64_t useful = 2 * std::int64_t{nodes_} / (3 * together);
  threads_ = static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads_, useful)));
}

}  // namespace rangemoves
