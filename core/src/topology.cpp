#include "rangemoves/topology.hpp"

#include <algorithm>
#include <cstdlib>

namespace rangemoves {

namespace {

using Kind = Topology::Kind;

// Steps of a grid to neighbours that come later in raster order: 13 with all diagonals.
constexpr std::size_t kMostSteps = 13;

class Poll {
 public:
  explicit Poll(Control* control) : control_(control) {}
  void operator()() {
    if (control_ && (++count_ & 0xffff) == 0) control_->poll();
  }

 private:
  Control* control_;
  std::uint32_t count_ = 0;
};

bool is_smaller(Kind a, Kind b) {
  const auto size = [](Kind kind) {
    return kind == Kind::grid4 ? 4 : kind == Kind::grid6 ? 6 : kind == Kind::grid8 ? 8 : 26;
  };
  return size(a) < size(b);
}

// The smallest stencil that holds all edges on a grid of these sides, if any does.
template <class Rank>
std::optional<Kind> stencil(const Neighbourhood& graph, std::int32_t height, std::int32_t width,
                            Rank&& rank, Poll& poll) {
  const bool is_flat = std::int64_t{height} * width == graph.nodes();
  bool has_diagonals = false;
  // Which steps a node has taken: two edges between the same nodes are no grid's.
  std::vector<std::uint16_t> taken(static_cast<std::size_t>(graph.nodes()), 0);
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    poll();
    const std::int32_t a = rank(graph.tail(e)), b = rank(graph.head(e));
    const std::int32_t i = std::min(a, b), j = std::max(a, b);
    const std::int32_t dx = j % width - i % width, dy = j / width % height - i / width % height,
                       dz = j / width / height - i / width / height;
    if (std::abs(dx) > 1 || std::abs(dy) > 1 || dz > 1) return std::nullopt;
    has_diagonals = has_diagonals || std::abs(dx) + std::abs(dy) + dz > 1;
    const auto bit = static_cast<std::uint16_t>(1 << ((dz * 3 + dy) * 3 + dx - 1));
    if (taken[i] & bit) return std::nullopt;
    taken[i] = static_cast<std::uint16_t>(taken[i] | bit);
  }
  if (is_flat) return has_diagonals ? Kind::grid8 : Kind::grid4;
  return has_diagonals ? Kind::grid26 : Kind::grid6;
}

// By how much the ends of edges differ: all such numbers, or none where they are too many for a
// grid.
std::vector<std::int32_t> differences(const Neighbourhood& graph, Poll& poll) {
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

}  // namespace

std::optional<Topology> raster_grid(const Neighbourhood& graph, std::int32_t row,
                                    Control* control) {
  Poll poll(control);
  const std::int32_t nodes = graph.nodes();
  const std::vector<std::int32_t> steps = differences(graph, poll);
  if (steps.empty()) return std::nullopt;
  const std::int32_t largest = steps.back(),
                     second = steps.front() == 1 && steps.size() > 1 ? steps[1] : steps.front();
  std::optional<Topology> best;
  const auto consider = [&](std::int64_t height, std::int64_t width) {
    if (height < 2 || width < 2 || height * width > nodes || nodes % (height * width) != 0) return;
    const auto h = static_cast<std::int32_t>(height), w = static_cast<std::int32_t>(width);
    const std::optional<Kind> kind = stencil(graph, h, w, [](std::int32_t i) { return i; }, poll);
    if (!kind || (best && !is_smaller(*kind, best->kind))) return;
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

void Neighbourhood::find_topology(Control* control) const {
  if (facts_) return;
  Facts facts;
  if (const auto grid = raster_grid(*this, row_, control)) {
    facts.topology = *grid;
  } else {
    facts.topology.width = std::min(row(), std::max(1, nodes_));
    facts.topology.height = (nodes_ + facts.topology.width - 1) / facts.topology.width;
  }
  facts_ = std::make_shared<const Facts>(std::move(facts));
}

}  // namespace rangemoves
