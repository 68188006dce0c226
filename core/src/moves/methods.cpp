#include "rangemoves/moves/methods.hpp"

#include <numeric>

#include "rangemoves/run/random.hpp"

namespace rangemoves {

namespace {
constexpr Method methods[] = {
    {"auto", automatic},
    {"ishikawa", ishikawa},
    {"gswap", gswap},
    {"gswapf", gswapf},
    {"expansion", expansion},
    {"swap", swap},
    {"rswap", rswap},
    {"rswape", rswape},
    {"rexp", rexp},
    {"irgc", irgc},
    {"irgc+expansion", irgc_expansion},
    {"trws", trws},
    {"best", best},
};
}  // namespace

const Method* find_method(const std::string& name) {
  for (const Method& method : methods)
    if (name == method.name) return &method;
  return nullptr;
}

std::vector<int> chosen_order(const Settings& settings, int count, std::int64_t cycle) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (settings.order == TurnOrder::random)
    Random(settings.seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(cycle))
        .shuffle(order);
  return order;
}

}  // namespace rangemoves
