#include "rangemoves/moves/methods.hpp"

#include <numeric>
#include <stdexcept>

#include "rangemoves/choice.hpp"
#include "rangemoves/random.hpp"

namespace rangemoves {

namespace {
constexpr Method methods[] = {
    {"ishikawa", ishikawa}, {"gswap", gswap},
    {"gswapf", gswapf},     {"expansion", expansion},
    {"swap", swap},         {"rswap", rswap},
    {"rswape", rswape},     {"rexp", rexp},
    {"irgc", irgc},         {"irgc+expansion", irgc_expansion},
    {"trws", trws},         {"best", best},
};
}  // namespace

const Method* find_method(const std::string& name) {
  for (const Method& method : methods)
    if (name == method.name) return &method;
  return nullptr;
}

Nonsubmodular chosen_nonsubmodular(const Settings& settings) {
  const std::string kind = settings.option("nonsubmodular", "truncate");
  if (kind == "truncate") return Nonsubmodular::truncate;
  if (kind == "qpbo") return Nonsubmodular::qpbo;
  throw std::invalid_argument("nonsubmodular must be truncate or qpbo; found " + kind);
}

std::vector<int> chosen_order(const Settings& settings, int count, std::int64_t cycle) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const std::string kind = settings.option("order", "fixed");
  if (kind == "random")
    Random(settings.seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(cycle))
        .shuffle(order);
  else if (kind != "fixed" && kind != "ascending")
    throw std::invalid_argument("order must be fixed, ascending or random; found " + kind);
  return order;
}

SurrogateTables chosen_surrogate(const PerEdge<Table>& g, const Settings& settings) {
  const std::string kind = settings.option("surrogate", "tight");
  if (kind == "chord") return SurrogateTables::chords(g);
  if (kind == "tight")
    return SurrogateTables(
        g.map([](const Table& table) { return tight_surrogate(table, convex_range(table)); }));
  if (kind == "huber") {
    auto slopes = settings.huber_slopes.begin();
    return SurrogateTables(g.map([&](const Table& table) {
      const auto [left, right] = slopes == settings.huber_slopes.end() ? HuberSlopes{} : *slopes++;
      return huber_surrogate(table, convex_range(table), left, right);
    }));
  }
  throw std::invalid_argument("surrogate must be tight, huber or chord; found " + kind);
}

}  // namespace rangemoves
