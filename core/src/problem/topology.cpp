#include "rangemoves/problem/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "rangemoves/problem/shuffled_grid.hpp"

namespace rangemoves {

namespace {

using Kind = Topology::Kind;

// Steps of a grid to neighbours that come later in raster order: 13 with all diagonals.
constexpr std::size_t kMostSteps = 13;
// Nodes per piece of work where independent nodes lie side by side; in the caller's order at least
// so many.
constexpr std::int32_t kPieceOfWork = 16;
// Nodes are put side by side within stretches of so many times the reach of an edge.
constexpr std::int64_t kReaches = 8, kLeastStretch = 1024;
// Our order replaces the caller's only where neighbours are at least this much closer: of two that
// are about as good the caller's needs no permutation.
constexpr double kBetter = 0.75;

// By how much the ends of edges differ: all such numbers, or none where they are too many for a
// grid.
std::vector<std::int32_t> differences(const Neighbourhood& graph, PollSometimes& poll) {
  std::vector<std::int32_t> found;
  std::int32_t last = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    poll();
    const std::int32_t d = std::abs(graph.head(e) - graph.tail(e));
    if (d == last) continue;
    last = d;
    if (std::find(found.begin(), found.end(), d) != found.end()) continue;
    if (found.size() == kMostSteps) return {};
    found.push_back(d);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::int64_t degree(const Neighbourhood& graph, std::int32_t i) {
  return graph.end(i) - graph.begin(i);
}

// Sum over the edges of how far apart their ends are.
template <class Rank>
double total_distance(const Neighbourhood& graph, Rank&& rank, PollSometimes& poll) {
  double sum = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    poll();
    sum += std::abs(rank(graph.head(e)) - rank(graph.tail(e)));
  }
  return sum;
}

// A node at the end of a component (pseudo-peripheral): breadth-first searches, each from the node
// furthest from the last start, until the distance stops growing. `seen` counts the searches that
// have reached a node.
class EndOfGraph {
 public:
  EndOfGraph(const Neighbourhood& graph, PollSometimes& poll)
      : graph_(graph), poll_(poll), seen_(static_cast<std::size_t>(graph.nodes()), 0) {}

  std::int32_t from(std::int32_t start) {
    std::int32_t depth = -1;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const auto [end, found] = furthest(start);
      if (found <= depth) break;
      depth = found;
      start = end;
    }
    return start;
  }

 private:
  static constexpr int kMostTries = 8;
  const Neighbourhood& graph_;
  PollSometimes& poll_;
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> queue_;
  std::int32_t search_ = 0;

  // The node furthest from another, of those the one with the fewest neighbours; and how far.
  std::pair<std::int32_t, std::int32_t> furthest(std::int32_t start) {
    ++search_;
    queue_.assign(1, start);
    seen_[start] = search_;
    std::size_t level = 0;
    std::int32_t depth = -1;
    for (std::size_t end = 1; level < end; ++depth) {
      const std::size_t begin = level;
      level = end;
      for (std::size_t k = begin; k < level; ++k) {
        poll_();
        for (const Incidence* n = graph_.begin(queue_[k]); n != graph_.end(queue_[k]); ++n)
          if (seen_[n->other] != search_) {
            seen_[n->other] = search_;
            queue_.push_back(n->other);
          }
      }
      if (queue_.size() == level) {
        const auto fewest = std::min_element(queue_.begin() + static_cast<std::ptrdiff_t>(begin),
                                             queue_.end(), [&](std::int32_t a, std::int32_t b) {
                                               return std::pair(degree(graph_, a), a) <
                                                      std::pair(degree(graph_, b), b);
                                             });
        return {*fewest, depth + 1};
      }
      end = queue_.size();
    }
    return {start, depth};
  }
};

}  // namespace

int neighbours_in(Kind kind) {
  return kind == Kind::grid4 ? 4 : kind == Kind::grid6 ? 6 : kind == Kind::grid8 ? 8 : 26;
}

std::optional<Kind> smallest_grid(const Neighbourhood& graph, std::int32_t height,
                                  std::int32_t width, const NodeOrder& rank, PollSometimes& poll) {
  const bool is_flat = std::int64_t{height} * width == graph.nodes();
  bool has_diagonals = false;
  // Which steps a node has taken: two edges between the same nodes are no grid's.
  std::vector<std::uint16_t> taken(static_cast<std::size_t>(graph.nodes()), 0);
  const auto place = [&](std::int32_t i) { return rank.empty() ? i : rank[i]; };
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    poll();
    const std::int32_t a = place(graph.tail(e)), b = place(graph.head(e));
    const std::int32_t i = std::min(a, b), j = std::max(a, b);
    // Rows are counted through all planes at first: most grids have one plane.
    const std::int32_t row_i = i / width, row_j = j / width;
    const std::int32_t dz = is_flat ? 0 : row_j / height - row_i / height;
    const std::int32_t dx = (j - i) - (row_j - row_i) * width, dy = (row_j - row_i) - dz * height;
    if (std::abs(dx) > 1 || std::abs(dy) > 1 || dz > 1) return std::nullopt;
    has_diagonals = has_diagonals || std::abs(dx) + std::abs(dy) + dz > 1;
    const auto bit = static_cast<std::uint16_t>(1 << ((dz * 3 + dy) * 3 + dx - 1));
    if (taken[i] & bit) return std::nullopt;
    taken[i] = static_cast<std::uint16_t>(taken[i] | bit);
  }
  if (is_flat) return has_diagonals ? Kind::grid8 : Kind::grid4;
  return has_diagonals ? Kind::grid26 : Kind::grid6;
}

std::optional<Topology> raster_grid(const Neighbourhood& graph, std::int32_t row,
                                    Control* control) {
  PollSometimes poll(control);
  const std::int32_t nodes = graph.nodes();
  const std::vector<std::int32_t> steps = differences(graph, poll);
  if (steps.empty()) return std::nullopt;
  const std::int32_t largest = steps.back(),
                     second = steps.front() == 1 && steps.size() > 1 ? steps[1] : steps.front();
  std::optional<Topology> best;
  const auto consider = [&](std::int64_t height, std::int64_t width) {
    if (height < 2 || width < 2 || height * width > nodes || nodes % (height * width) != 0) return;
    const auto h = static_cast<std::int32_t>(height), w = static_cast<std::int32_t>(width);
    const std::optional<Kind> kind = smallest_grid(graph, h, w, {}, poll);
    if (!kind || (best && neighbours_in(*kind) >= neighbours_in(best->kind))) return;
    best = Topology{*kind, nodes / h / w, h, w};
  };
  // Along a plane the largest step goes to the next row, or diagonally one beside it.
  for (const std::int64_t width : {std::int64_t{row}, std::int64_t{largest},
                                   std::int64_t{largest} - 1, std::int64_t{largest} + 1}) {
    if (width < 2) continue;
    consider(nodes / width, width);
    if (best && best->kind == Kind::grid4) return best;
  }
  // In a volume the second smallest step goes to the next row, the largest to the next plane, or
  // one beside it.
  for (const std::int64_t width : {std::int64_t{row}, std::int64_t{second},
                                   std::int64_t{second} + 1, std::int64_t{second} - 1}) {
    if (width < 2) continue;
    const std::int64_t middle = (largest + width / 2) / width;
    for (const std::int64_t height : {middle, middle - 1, middle + 1, middle - 2}) {
      if (height * width == nodes) continue;
      consider(height, width);
      if (best && best->kind == Kind::grid6) return best;
    }
  }
  return best;
}

bool is_forest(const Neighbourhood& graph, Control* control) {
  if (graph.edges() >= std::max(1, graph.nodes())) return false;
  PollSometimes poll(control);
  // Union-find: each node's parent on the way to the root of its set.
  std::vector<std::int32_t> up(static_cast<std::size_t>(graph.nodes()));
  for (std::int32_t i = 0; i < graph.nodes(); ++i) up[i] = i;
  const auto top = [&](std::int32_t i) {
    for (; up[i] != i; i = up[i]) up[i] = up[up[i]];
    return i;
  };
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    poll();
    const std::int32_t a = top(graph.tail(e)), b = top(graph.head(e));
    if (a == b) return false;
    up[std::max(a, b)] = std::min(a, b);
  }
  return true;
}

NodeOrder root_first(const Neighbourhood& graph, Control* control) {
  PollSometimes poll(control);
  const std::int32_t n = graph.nodes();
  NodeOrder order;
  order.reserve(static_cast<std::size_t>(n));
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(n), 0);
  std::vector<std::int32_t> stack;
  // Down each branch to its end before the next one; chains begin at an end.
  const auto walk = [&](std::int32_t root) {
    if (reached[root]) return;
    reached[root] = 1;
    stack.push_back(root);
    while (!stack.empty()) {
      poll();
      const std::int32_t i = stack.back();
      stack.pop_back();
      order.push_back(i);
      for (const Incidence* k = graph.end(i); k-- != graph.begin(i);)
        if (!reached[k->other]) {
          reached[k->other] = 1;
          stack.push_back(k->other);
        }
    }
  };
  for (std::int32_t i = 0; i < n; ++i)
    if (degree(graph, i) <= 1) walk(i);
  return order;
}

NodeOrder neighbours_close(const Neighbourhood& graph, Control* control) {
  PollSometimes poll(control);
  const std::int32_t n = graph.nodes();
  NodeOrder order;
  order.reserve(static_cast<std::size_t>(n));
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(n), 0);
  std::vector<std::int32_t> next;
  EndOfGraph end(graph, poll);
  for (std::int32_t i = 0; i < n; ++i) {
    if (reached[i]) continue;
    const std::size_t begin = order.size();
    order.push_back(end.from(i));
    reached[order.back()] = 1;
    for (std::size_t k = begin; k < order.size(); ++k) {
      poll();
      next.clear();
      for (const Incidence* at = graph.begin(order[k]); at != graph.end(order[k]); ++at)
        if (!reached[at->other]) {
          reached[at->other] = 1;
          next.push_back(at->other);
        }
      std::sort(next.begin(), next.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(degree(graph, a), a) < std::pair(degree(graph, b), b);
      });
      order.insert(order.end(), next.begin(), next.end());
    }
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
  }
  return order;
}

namespace {

NodeOrder ranks_of(const NodeOrder& order) {
  NodeOrder rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<std::int32_t>(r);
  return rank;
}

// How far ahead a node's furthest neighbour is, on average: the length of a row, if there are rows.
template <class Rank>
std::int32_t mean_reach(const Neighbourhood& graph, Rank&& rank) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    std::int32_t furthest = rank(i);
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n)
      furthest = std::max(furthest, rank(n->other));
    sum += furthest - rank(i);
  }
  return static_cast<std::int32_t>(sum / std::max(1, graph.nodes()));
}

}  // namespace

NodeOrder side_by_side(const Neighbourhood& graph, const NodeOrder& order, Control* control) {
  PollSometimes poll(control);
  const NodeOrder rank = ranks_of(order);
  const std::int64_t reach = mean_reach(graph, [&](std::int32_t i) { return rank[i]; });
  const auto stretch = static_cast<std::size_t>(std::max(kLeastStretch, kReaches * reach));
  NodeOrder sorted(order.size());
  std::vector<std::int32_t> depth(order.size());
  std::vector<std::size_t> first;  // of each depth: where its nodes begin
  for (std::size_t begin = 0; begin < order.size(); begin += stretch) {
    const std::size_t end = std::min(order.size(), begin + stretch);
    first.assign(1, begin);
    for (std::size_t r = begin; r < end; ++r) {
      poll();
      const std::int32_t i = order[r];
      std::int32_t longest = 0;
      for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) {
        const auto other = static_cast<std::size_t>(rank[n->other]);
        if (other >= begin && other < r) longest = std::max(longest, depth[n->other] + 1);
      }
      depth[i] = longest;
      const auto next = static_cast<std::size_t>(longest) + 1;
      if (next >= first.size()) first.resize(next + 1, 0);
      ++first[next];
    }
    for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
    for (std::size_t r = begin; r < end; ++r)
      sorted[first[static_cast<std::size_t>(depth[order[r]])]++] = order[r];
  }
  return sorted;
}

namespace {

// Whether every node has at most one neighbour with a smaller number.
bool is_root_first(const Neighbourhood& graph) {
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    int before = 0;
    for (const Incidence* n = graph.begin(i); n != graph.end(i); ++n) before += n->other < i;
    if (before > 1) return false;
  }
  return true;
}

}  // namespace

void Neighbourhood::find_topology(Control* control) const {
  if (facts_) return;
  PollSometimes poll(control);
  Facts facts;
  Topology& found = facts.topology;
  if (is_forest(*this, control)) {
    std::int64_t most = 0;
    for (std::int32_t i = 0; i < nodes_; ++i) most = std::max(most, degree(*this, i));
    found.kind = most <= 2 ? Kind::chain : Kind::tree;
    if (!is_root_first(*this)) facts.at = root_first(*this, control);
  } else {
    const bool may_reorder = row_ < 1;
    const std::optional<Topology> raster = raster_grid(*this, row_, control);
    std::optional<OrderedGrid> shuffled;
    if (may_reorder)
      shuffled = shuffled_grid(*this, raster ? std::optional(raster->kind) : std::nullopt, control);
    if (shuffled) {
      found = shuffled->topology;
      facts.at = std::move(shuffled->order);
    } else if (raster) {
      found = *raster;
    } else if (may_reorder) {
      // Kept only if it beats the caller's order by enough.
      NodeOrder close = neighbours_close(*this, control);
      const NodeOrder rank = ranks_of(close);
      const double theirs = total_distance(*this, [](std::int32_t i) { return i; }, poll);
      const double ours = total_distance(*this, [&](std::int32_t i) { return rank[i]; }, poll);
      if (ours < kBetter * theirs) facts.at = std::move(close);
    }
  }
  if (found.is_forest() || found.kind == Kind::general) {
    std::int32_t width = kPieceOfWork;
    if (!facts.at.empty())
      facts.at = side_by_side(*this, facts.at, control);
    else if (row_ > 0)
      width = row_;
    else
      width = std::max(width, mean_reach(*this, [](std::int32_t i) { return i; }));
    found.width = std::max(1, std::min(width, nodes_));
    found.height = (nodes_ + found.width - 1) / found.width;
  }
  if (!facts.at.empty()) facts.rank = ranks_of(facts.at);
  facts_ = std::make_shared<const Facts>(std::move(facts));
}

}  // namespace rangemoves
