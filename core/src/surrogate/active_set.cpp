#include "rangemoves/surrogate/active_set.hpp"

#include <algorithm>
#include <utility>

#include "rangemoves/run/random.hpp"

namespace rangemoves {

namespace {

// Of the two ends of an edge beyond the convex range: whether the tail is dropped.
bool drop_tail(std::int32_t tail, std::int32_t head, const Labelling& x, ConvexRange range,
               const ActiveSetChoice& choice, Random& random) {
  if (choice.favour && (*choice.favour)[tail] != (*choice.favour)[head])
    return (*choice.favour)[head] != 0;
  if (choice.strategy == Strategy::range) {
    const auto inside = [&](std::int32_t i) { return choice.low <= x[i] && x[i] <= choice.high; };
    if (inside(tail) != inside(head)) return inside(head);
  }
  if (choice.strategy == Strategy::random) return random.below(2) == 0;
  if (choice.strategy == Strategy::ends) return choice.iteration % 2 == 0;
  const bool drop_larger = choice.iteration % 2 == 0;
  return (x[tail] - x[head] > range.centre) == drop_larger;
}

}  // namespace

Mask active_set(const Neighbourhood& graph, const Labelling& x, const PerEdge<ConvexRange>& ranges,
                const ActiveSetChoice& choice) {
  Mask active(static_cast<std::size_t>(graph.nodes()), 1);
  std::vector<std::int64_t> clashes;
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    if (!ranges[e].contains(x[graph.tail(e)] - x[graph.head(e)])) clashes.push_back(e);
  if (clashes.empty()) return active;

  Random random(choice.seed);
  if (choice.strategy == Strategy::random) random.shuffle(clashes);
  // In the order of the variables: to the right, then downward, in an image.
  if (choice.strategy == Strategy::ends)
    std::stable_sort(clashes.begin(), clashes.end(), [&](std::int64_t a, std::int64_t b) {
      return std::pair(graph.tail(a), graph.head(a)) < std::pair(graph.tail(b), graph.head(b));
    });
  std::vector<std::int32_t> dropped;
  for (const std::int64_t e : clashes) {
    const std::int32_t tail = graph.tail(e), head = graph.head(e);
    if (!active[tail] || !active[head]) continue;
    dropped.push_back(drop_tail(tail, head, x, ranges[e], choice, random) ? tail : head);
    active[dropped.back()] = 0;
  }

  if (choice.strategy == Strategy::ends) return active;  // as dropped, not made maximal
  if (choice.strategy == Strategy::random)
    random.shuffle(dropped);
  else
    std::sort(dropped.begin(), dropped.end());
  for (const std::int32_t i : dropped) {
    bool clashes_inside = false;
    for (const Incidence* n = graph.begin(i); n != graph.end(i) && !clashes_inside; ++n) {
      const int d = n->is_tail ? x[i] - x[n->other] : x[n->other] - x[i];
      clashes_inside = active[n->other] && !ranges[n->edge].contains(d);
    }
    if (!clashes_inside) active[i] = 1;
  }
  return active;
}

}  // namespace rangemoves
