#include "rangemoves/messages/message_part.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/aligned.hpp"

namespace rangemoves {

std::vector<std::int32_t> reach_from(const ConvexProblem& problem,
                                     const std::vector<std::int32_t>& nodes, int reach) {
  const Neighbourhood& graph = problem.graph;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<std::int32_t> reached;
  const auto visit = [&](std::int32_t i) {
    if (seen[i] || !problem.takes_part(i)) return;
    seen[i] = 1;
    reached.push_back(i);
  };
  for (const std::int32_t i : nodes) visit(i);
  std::size_t begin = 0;
  for (int step = 0; step < reach; ++step)
    for (const std::size_t end = reached.size(); begin < end; ++begin)
      for (const Incidence* n = graph.begin(reached[begin]); n != graph.end(reached[begin]); ++n)
        if (problem.weight[n->edge] > 0) visit(n->other);
  return reached;
}

template <class Value>
void PartNodes::lay_out_by_rows(const ConvexProblem& problem) {
  const Neighbourhood& graph = problem.graph;
  const std::int32_t columns = graph.topology().width;
  std::int32_t left = columns, right = 0;
  for (const std::int32_t i : nodes) {
    left = std::min(left, graph.rank(i) % columns);
    right = std::max(right, graph.rank(i) % columns);
  }
  const std::int32_t top = graph.rank(nodes.front()) / columns,
                     bottom = graph.rank(nodes.back()) / columns;
  const std::int64_t lanes = chosen_level().of<Value>().lanes, width = right - left + 1,
                     height = bottom - top + 1;
  if ((height + lanes - 1) / lanes * lanes * (width + lanes - 1) >
      kMostPlaces * static_cast<std::int64_t>(nodes.size()))
    return;
  std::vector<std::int32_t> places(static_cast<std::size_t>(width * height), -1);
  for (const std::int32_t i : nodes) {
    const std::int32_t y = graph.rank(i) / columns, x = graph.rank(i) % columns;
    places[static_cast<std::size_t>((y - top) * width + x - left)] = i;
  }
  nodes = std::move(places);
  row = static_cast<std::int32_t>(width);
}

template void PartNodes::lay_out_by_rows<std::int32_t>(const ConvexProblem&);
template void PartNodes::lay_out_by_rows<std::int64_t>(const ConvexProblem&);

template <class Value>
MessagePart<Value>::Inside::Inside(const WholeOfParts<Value>& whole, const PartNodes& of) {
  const Neighbourhood& graph = whole.problem.graph;
  const std::int32_t columns = std::max(1, graph.topology().width);
  // Edges within a row, down from even rows of the part, down from odd ones: messages by rows visit
  // them in that order, and whether a part is laid out by rows depends on the width of vectors.
  struct Later {
    std::int32_t node;
    Incidence to;
  };
  std::array<std::vector<Later>, 3> of_round;
  std::int32_t top = -1;  // the row of the first node
  for (const std::int32_t i : of.nodes) {
    if (i < 0) continue;
    const std::int32_t row = graph.rank(i) / columns;
    if (top < 0) top = row;
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
      if (whole.problem.weight[n->edge] == 0 || !whole.in_part[n->other] ||
          graph.rank(n->other) < graph.rank(i))
        continue;
      const bool stays = graph.rank(n->other) / columns == row;
      of_round[stays ? 0 : 1 + (row - top) % 2].push_back({i, *n});
    }
  }
  for (const std::vector<Later>& round : of_round)
    for (const auto& [i, n] : round) {
      tail.push_back(whole.place[n.is_tail ? i : n.other]);
      head.push_back(whole.place[n.is_tail ? n.other : i]);
      edges.push_back(n.edge);
    }
}

template <class Value>
MessagePart<Value>::MessagePart(const WholeOfParts<Value>& whole, const PartNodes& of,
                                Control& control)
    : MessagePart(whole, of, Inside(whole, of), control) {}

template <class Value>
MessagePart<Value>::MessagePart(const WholeOfParts<Value>& whole, const PartNodes& of,
                                Inside inside, Control& control)
    : whole_(whole),
      // A row of all nodes keeps the order of the whole.
      graph_(static_cast<std::int32_t>(of.nodes.size()), std::move(inside.tail),
             std::move(inside.head),
             of.row > 0 ? of.row : static_cast<std::int32_t>(of.nodes.size())),
      edges_(std::move(inside.edges)),
      problem_{graph_,
               whole.problem.labels,
               {},
               std::vector<std::int32_t>(edges_.size()),
               {},
               {},
               std::vector<std::int32_t>(of.nodes.size(), 0),
               std::vector<std::int32_t>(of.nodes.size(), whole.problem.labels - 1)} {
  for (std::size_t k = 0; k < of.nodes.size(); ++k)
    if (of.nodes[k] < 0) problem_.high[k] = 0;
  std::vector<std::int32_t> table_of_edge;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    problem_.weight[k] = whole.problem.weight[edges_[k]];
    table_of_edge.push_back(static_cast<std::int32_t>(table_of(edges_[k])));
  }
  freeze_border(of, control);
  if (problem_.tables.size() > 1) problem_.table_of_edge = std::move(table_of_edge);
  if (!edges_.empty()) copy_messages(of, control);
}

template <class Value>
void MessagePart<Value>::copy_messages(const PartNodes& of, Control& control) {
  messages_ = of.row > 0 && fits_wavefront(problem_)
                  ? make_wavefront_messages<Value>(problem_, 1, 1, control)
                  : make_label_messages<Value>(problem_, 1, 1, control);
  messages_->load(problem_, control);
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    // A part that is a forest is swept in an order of its own, in which an edge may point the other
    // way: its message starts at zero, and one sweep solves a forest in any case.
    const auto e = static_cast<std::int64_t>(k);
    if (graph_.tail_first(e) != whole_.problem.graph.tail_first(edges_[k])) continue;
    const MessageVector<Value> from = whole_.messages.edges().to_later(edges_[k]),
                               to = messages_->edges().to_later(e);
    for (int l = 0; l < problem_.labels; ++l) to[l] = from[l];
  }
}

template <class Value>
std::size_t MessagePart<Value>::table_of(std::int64_t e) {
  const ConvexProblem& whole = whole_.problem;
  const std::int32_t there = whole.table_of_edge.empty() ? 0 : whole.table_of_edge[e];
  const auto [at, is_new] =
      place_of_table_.try_emplace(there, static_cast<std::int32_t>(shapes_.size()));
  if (is_new) {
    Table h = whole.table(e).h;
    for (int d = 1 - whole.labels; d < whole.labels; ++d) h.at(d) *= whole_.scale;
    problem_.tables.push_back(ConvexTable::of_any(std::move(h)));
    shapes_.emplace_back(whole.table(e));
  }
  return static_cast<std::size_t>(at->second);
}

template <class Value>
void MessagePart<Value>::freeze_border(const PartNodes& of, Control& control) {
  const Neighbourhood& graph = whole_.problem.graph;
  const int labels = problem_.labels;
  const Kernels<Value>& kernels = chosen_level().of<Value>();
  const std::int32_t stride = stride_for(labels, kernels.lanes);
  AlignedArray<Value> given(static_cast<std::size_t>(stride)), implied(given.size()),
      scratch(static_cast<std::size_t>(scratch_size(stride)));
  std::vector<std::int64_t> row(static_cast<std::size_t>(labels));
  CostVolume unary(static_cast<std::int64_t>(of.nodes.size()), labels, sizeof(Value) == 8, control);
  for (std::size_t k = 0; k < of.nodes.size(); ++k) {
    if ((k & 0xff) == 0) control.poll();
    const std::int32_t i = of.nodes[k];
    if (i < 0) continue;
    whole_.unary(i).visit([&](auto* theta) {
      for (int l = 0; l < labels; ++l) row[l] = theta[l] * whole_.scale;
    });
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
      if (whole_.problem.weight[n->edge] == 0 || whole_.in_part[n->other]) continue;
      const MessageVector<Value> to_later = whole_.messages.edges().to_later(n->edge);
      if (n->is_tail != graph.tail_first(n->edge)) {
        for (int l = 0; l < labels; ++l) row[l] += to_later[l];
        continue;
      }
      // Only messages to the later end are stored. This is the earlier end: its message is the
      // largest that is feasible with the stored one.
      for (int l = 0; l < labels; ++l) given[l] = -to_later[l];
      const ShapePair<Value>& pair = shapes_[table_of(n->edge)];
      kernels.convolve(n->is_tail ? pair.from_head() : pair.from_tail(),
                       static_cast<Value>(whole_.problem.weight[n->edge] * whole_.scale),
                       given.data(), implied.data(), labels, stride, scratch.data());
      for (int l = 0; l < labels; ++l) row[l] += implied[l];
    }
    unary.add_row(static_cast<std::int32_t>(k), CostRow(row.data()));
  }
  problem_.unary = UnaryTerms(std::move(unary));
}

template <class Value>
void MessagePart<Value>::write_back() {
  const auto write = [&](const EdgeMessages<Value>& edge) {
    const std::int64_t e = edges_[static_cast<std::size_t>(edge.edge)];
    const MessageVector<Value> to = whole_.messages.edges().to_later(e);
    const MessageVector<Value>& from = whole_.problem.graph.tail_first(e) ? edge.q : edge.p;
    for (int l = 0; l < problem_.labels; ++l) to[l] = from[l];
  };
  messages_->edges().for_each_tight(problem_, write);
}

template class MessagePart<std::int32_t>;
template class MessagePart<std::int64_t>;

}  // namespace rangemoves
