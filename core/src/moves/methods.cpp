#include "rangemoves/moves/methods.hpp"

#include <numeric>

#include "rangemoves/run/random.hpp"

namespace rangemoves {

namespace {
constexpr Method methods[] = {
    {"auto", automatic, Holds::sweeps_and_moves},
    {"ishikawa", ishikawa, Holds::convex_move},
    {"gswap", gswap, Holds::convex_move},
    {"gswapf", gswapf, Holds::convex_move},
    {"expansion", expansion, Holds::expansions},
    {"swap", swap, Holds::swaps},
    {"rswap", rswap, Holds::range_swaps},
    {"rswape", rswape, Holds::extended_range_swaps},
    {"rexp", rexp, Holds::range_expansions},
    {"irgc", irgc, Holds::reweighted_move},
    {"irgc+expansion", irgc_expansion, Holds::reweighted_and_binary_moves},
    {"trws", trws, Holds::sweeps},
    {"best", best, Holds::sweeps_and_moves_perturbed},
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
