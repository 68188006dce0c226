#include "rangemoves/surrogate/chosen.hpp"

#include <algorithm>

namespace rangemoves {

namespace {

ConvexRange within(ConvexRange table, PriorRange prior) {
  return {std::min(table.left, std::max(prior.left, -table.centre)),
          std::min(table.right, std::max(prior.right, table.centre)), table.centre};
}

}  // namespace

PerEdge<ConvexRange> chosen_ranges(const PerEdge<Table>& g, const Settings& settings) {
  const bool by_prior = settings.convex_range == RangeChoice::prior;
  auto prior = settings.prior_ranges.begin();
  return g.map([&](const Table& table) {
    const ConvexRange range = convex_range(table);
    return by_prior && prior != settings.prior_ranges.end() ? within(range, *prior++) : range;
  });
}

bool ranges_hold_all(const PerEdge<Table>& g, const Settings& settings) {
  const int far = g.kinds().front().labels() - 1;
  const PerEdge<ConvexRange> ranges = chosen_ranges(g, settings);
  return std::all_of(ranges.kinds().begin(), ranges.kinds().end(), [&](const ConvexRange& range) {
    return range.contains(-far) && range.contains(far);
  });
}

int range_width(const PerEdge<Table>& g, const Settings& settings) {
  const PerEdge<ConvexRange> ranges = chosen_ranges(g, settings);
  int width = g.kinds().front().labels() - 1;
  for (const ConvexRange& range : ranges.kinds())
    width = std::min(width, std::max(1, std::min(range.left, range.right)));
  return width;
}

PerEdge<Table> chosen_tables(const PerEdge<Table>& g, const Settings& settings) {
  const PerEdge<ConvexRange> ranges = chosen_ranges(g, settings);
  auto range = ranges.kinds().begin();
  if (settings.surrogate == SurrogateKind::huber) {
    auto slopes = settings.huber_slopes.begin();
    return g.map([&](const Table& table) {
      const auto [left, right] = slopes == settings.huber_slopes.end() ? HuberSlopes{} : *slopes++;
      return huber_surrogate(table, *range++, left, right);
    });
  }
  if (settings.surrogate == SurrogateKind::continued) {
    const std::int64_t extend = std::min<std::int64_t>(settings.extend, g.kinds()[0].labels());
    const int reach = range_width(g, settings) + 2 * static_cast<int>(extend);
    return g.map([&](const Table& table) { return continued_surrogate(table, *range++, reach); });
  }
  return g.map([&](const Table& table) { return tight_surrogate(table, *range++); });
}

SurrogateTables chosen_surrogate(const PerEdge<Table>& g, const Settings& settings) {
  if (settings.surrogate == SurrogateKind::chord)
    return SurrogateTables::chords(g, chosen_ranges(g, settings));
  return SurrogateTables(chosen_tables(g, settings));
}

}  // namespace rangemoves
