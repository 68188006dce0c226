#include "rangemoves/problem/shuffled_grid.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace rangemoves {

namespace {

using Kind = Topology::Kind;
using Nodes = std::vector<std::int32_t>;

constexpr int kMostAxes = 3;

int degree(const Neighbourhood& graph, std::int32_t i) {
  return static_cast<int>(graph.end(i) - graph.begin(i));
}

// What the numbers of neighbours alone say: which kind of grid it can be, and where its corners
// are.
struct Candidate {
  Kind kind;
  int axes;
  bool has_diagonals;
  Nodes corners;
};

std::optional<Candidate> candidate(const Neighbourhood& graph) {
  int fewest = INT32_MAX, most = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    fewest = std::min(fewest, degree(graph, i));
    most = std::max(most, degree(graph, i));
  }
  Candidate found{};
  if (fewest == 2 && most <= 4)
    found = {Kind::grid4, 2, false, {}};
  else if (fewest == 3 && most <= 6)
    found = {Kind::grid6, 3, false, {}};
  else if (fewest == 3 && most == 8)
    found = {Kind::grid8, 2, true, {}};
  else if (fewest == 7 && most == 26)
    found = {Kind::grid26, 3, true, {}};
  else
    return std::nullopt;
  const std::size_t corners = std::size_t{1} << found.axes;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if (degree(graph, i) > fewest) continue;
    if (found.corners.size() == corners) return std::nullopt;
    found.corners.push_back(i);
  }
  if (found.corners.size() < corners) return std::nullopt;
  return found;
}

// Which edges of a grid with 8 or 26 neighbours are diagonal.
//
// A node and its neighbours make a box of 2 or 3 nodes along every axis: 3 where the node has
// neighbours on both sides. Two neighbours have the box in common that is 2 wide where they differ.
// So of the factors 3 in the size of a node's box those are missing in the common box along which
// the two differ and the node has both sides.
class Diagonals {
 public:
  Diagonals(const Neighbourhood& graph, int axes, PollSometimes& poll)
      : graph_(graph), axes_(axes), poll_(poll) {}

  // Per edge, whether it is diagonal; empty where the graph can be no such grid.
  std::vector<std::uint8_t> find() {
    if (!compare_ends()) return {};
    drop_short_cuts();
    std::vector<std::uint8_t> diagonal;
    diagonal.reserve(step_.size());
    for (const Step step : step_) diagonal.push_back(step == Step::diagonal);
    return diagonal;
  }

 private:
  // Along one axis inside the grid, or across the corner of two sides (`inside`); along one axis
  // with an end of it at the tail or the head; diagonal.
  enum class Step : std::uint8_t { inside, tail_at_end, head_at_end, diagonal };

  const Neighbourhood& graph_;
  const int axes_;
  PollSometimes& poll_;
  std::vector<Step> step_;  // per edge

  // How many axes of a box of this size are 3 wide, the others 2; -1 where there is no such box.
  int wide_axes(int size) const {
    int wide = 0;
    for (; size % 3 == 0; size /= 3) ++wide;
    return wide <= axes_ && size == 1 << (axes_ - wide) ? wide : -1;
  }

  bool compare_ends() {
    step_.resize(static_cast<std::size_t>(graph_.edges()));
    Nodes seen_from(static_cast<std::size_t>(graph_.nodes()), -1);
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      const int mine = wide_axes(degree(graph_, i) + 1);
      if (mine < 0) return false;
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n) seen_from[n->other] = i;
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n) {
        if (!n->is_tail) continue;
        poll_();
        int shared = 2;  // both ends
        for (const Incidence* m = graph_.begin(n->other); m != graph_.end(n->other); ++m)
          shared += seen_from[m->other] == i;
        const int common = wide_axes(shared), theirs = wide_axes(degree(graph_, n->other) + 1);
        const int at_tail = mine - common, at_head = theirs - common;
        if (common < 0 || at_tail < 0 || at_head < 0 || at_tail + at_head == 0) return false;
        step_[n->edge] = std::max(at_tail, at_head) > 1 ? Step::diagonal
                         : at_tail == 0                 ? Step::tail_at_end
                         : at_head == 0                 ? Step::head_at_end
                                                        : Step::inside;
      }
    }
    return true;
  }

  // Two nodes on different sides of the grid, each next to the same node on both sides, look as if
  // they differed along one axis.
  void drop_short_cuts() {
    Nodes inward;
    for (std::int32_t i = 0; i < graph_.nodes(); ++i) {
      poll_();
      inward.clear();
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n)
        if (step_[n->edge] == (n->is_tail ? Step::tail_at_end : Step::head_at_end))
          inward.push_back(n->other);
      for (const std::int32_t a : inward)
        for (const Incidence* n = graph_.begin(a); n != graph_.end(a); ++n)
          if (std::find(inward.begin(), inward.end(), n->other) != inward.end())
            step_[n->edge] = Step::diagonal;
    }
  }
};

// Distances of all nodes from one, along edges that are not diagonal; empty where some cannot be
// reached.
Nodes distances(const Neighbourhood& graph, const std::vector<std::uint8_t>& is_diagonal,
                std::int32_t from, PollSometimes& poll) {
  Nodes distance(static_cast<std::size_t>(graph.nodes()), -1), queue{from};
  queue.reserve(distance.size());
  distance[from] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    poll();
    for (const Incidence* n = graph.begin(queue[k]); n != graph.end(queue[k]); ++n) {
      if (distance[n->other] >= 0 || (!is_diagonal.empty() && is_diagonal[n->edge])) continue;
      distance[n->other] = distance[queue[k]] + 1;
      queue.push_back(n->other);
    }
  }
  return queue.size() == distance.size() ? distance : Nodes{};
}

// An axis of the grid: how many nodes long it is, and the distances from the corner at its far end.
struct Axis {
  std::int32_t length = 0;
  Nodes from_end;
};

// The axes of the grid that begin at the first corner, the shortest one first; of two that are as
// long that whose first step leads to the node with the lower number. Empty where there are none.
std::vector<Axis> find_axes(const Neighbourhood& graph, const Candidate& grid,
                            const std::vector<std::uint8_t>& is_diagonal, const Nodes& from_start,
                            PollSometimes& poll) {
  Nodes ends(grid.corners.begin() + 1, grid.corners.end());
  std::sort(ends.begin(), ends.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(from_start[a], a) < std::pair(from_start[b], b);
  });
  std::vector<Axis> axes;
  std::int64_t rest = graph.nodes();  // nodes along all further axes
  const auto add = [&](std::int32_t end) {
    axes.push_back({from_start[end] + 1, distances(graph, is_diagonal, end, poll)});
    if (rest % axes.back().length != 0) rest = 0;
    rest /= axes.back().length;
  };
  // No corner is nearer than those at the ends of the two shortest axes.
  add(ends[0]);
  add(ends[1]);
  // The third axis has as many nodes as are left; a corner as far away that is not its end lies
  // opposite in the plane of the others, which is nearer to their ends.
  for (std::size_t k = 2; k < ends.size() && grid.axes == 3 && axes.size() == 2; ++k)
    if (from_start[ends[k]] + 1 == rest &&
        axes[0].from_end[ends[k]] == axes[0].length - 1 + from_start[ends[k]])
      add(ends[k]);
  if (rest != 1 || axes.size() != static_cast<std::size_t>(grid.axes)) return {};
  const std::int32_t start = grid.corners.front();
  const auto first_step = [&](const Axis& axis) {
    std::int32_t first = graph.nodes();
    for (const Incidence* n = graph.begin(start); n != graph.end(start); ++n)
      if (from_start[n->other] == 1 && axis.from_end[n->other] == axis.length - 2)
        first = std::min(first, n->other);
    return first;
  };
  std::sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) {
    return std::pair(a.length, first_step(a)) < std::pair(b.length, first_step(b));
  });
  return axes;
}

}  // namespace

std::optional<OrderedGrid> shuffled_grid(const Neighbourhood& graph, std::optional<Kind> instead_of,
                                         Control* control) {
  const std::optional<Candidate> grid = candidate(graph);
  if (!grid || (instead_of && neighbours_in(*instead_of) <= neighbours_in(grid->kind)))
    return std::nullopt;
  PollSometimes poll(control);
  std::vector<std::uint8_t> is_diagonal;
  if (grid->has_diagonals) {
    is_diagonal = Diagonals(graph, grid->axes, poll).find();
    if (is_diagonal.empty()) return std::nullopt;
  }
  const Nodes from_start = distances(graph, is_diagonal, grid->corners.front(), poll);
  if (from_start.empty()) return std::nullopt;
  const std::vector<Axis> axes = find_axes(graph, *grid, is_diagonal, from_start, poll);
  if (axes.empty()) return std::nullopt;

  const std::size_t n = static_cast<std::size_t>(graph.nodes());
  NodeOrder order(n), rank(n);
  std::vector<std::uint8_t> is_taken(n, 0);
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    poll();
    rank[i] = 0;
    for (const Axis& axis : axes) {
      const std::int32_t twice = from_start[i] - axis.from_end[i] + axis.length - 1;
      if (twice < 0 || twice % 2 != 0 || twice / 2 >= axis.length) return std::nullopt;
      rank[i] = rank[i] * axis.length + twice / 2;
    }
    if (is_taken[rank[i]]) return std::nullopt;
    is_taken[rank[i]] = 1;
    order[rank[i]] = i;
  }
  const std::int32_t width = axes.back().length, height = axes[axes.size() - 2].length;
  if (smallest_grid(graph, height, width, rank, poll) != grid->kind) return std::nullopt;
  const std::int32_t depth = axes.size() == 3 ? axes.front().length : 1;
  return OrderedGrid{{grid->kind, depth, height, width}, std::move(order)};
}

}  // namespace rangemoves
