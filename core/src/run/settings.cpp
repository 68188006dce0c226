#include "rangemoves/run/settings.hpp"

#include <stdexcept>
#include <utility>

namespace rangemoves {

namespace {

template <class Choice>
using Words = std::vector<std::pair<const char*, Choice>>;

template <class Choice>
Choice look_up(const std::string& option, const std::string& word, const Words<Choice>& words) {
  std::string known;
  for (const auto& [name, choice] : words) {
    if (word == name) return choice;
    known += std::string(known.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument(option + " must be one of " + known + "; found " + word);
}

[[noreturn]] void no_such_option(const std::string& option) {
  throw std::invalid_argument("no such option: " + option);
}

}  // namespace

void Settings::set(const std::string& option, const std::string& word) {
  if (option == "engine")
    engine.engine = look_up<EngineChoice>(option, word,
                                          {{"auto", EngineChoice::automatic},
                                           {"reference", EngineChoice::reference},
                                           {"dual", EngineChoice::dual}});
  else if (option == "ties")
    engine.ties = look_up<Ties>(option, word, {{"keep", Ties::keep}, {"highest", Ties::highest}});
  else if (option == "backend")
    engine.backend = word;
  else if (option == "surrogate")
    surrogate = look_up<SurrogateKind>(option, word,
                                       {{"tight", SurrogateKind::tight},
                                        {"huber", SurrogateKind::huber},
                                        {"chord", SurrogateKind::chord},
                                        {"continued", SurrogateKind::continued}});
  else if (option == "convex_range")
    convex_range = look_up<RangeChoice>(
        option, word, {{"table", RangeChoice::table}, {"prior", RangeChoice::prior}});
  else if (option == "strategy")
    strategy = look_up<Strategy>(option, word,
                                 {{"alternate", Strategy::alternate},
                                  {"range", Strategy::range},
                                  {"random", Strategy::random},
                                  {"ends", Strategy::ends}});
  else if (option == "nonsubmodular")
    nonsubmodular = look_up<Nonsubmodular>(
        option, word, {{"truncate", Nonsubmodular::truncate}, {"qpbo", Nonsubmodular::qpbo}});
  else if (option == "reweighting")
    reweighting = look_up<Reweighting>(
        option, word, {{"middle", Reweighting::middle}, {"least", Reweighting::least}});
  else if (option == "islands")
    islands = look_up<IslandSearch>(
        option, word, {{"auto", IslandSearch::automatic}, {"branches", IslandSearch::branches}});
  else if (option == "order")
    order = look_up<TurnOrder>(option, word,
                               {{"fixed", TurnOrder::fixed},
                                {"ascending", TurnOrder::ascending},
                                {"random", TurnOrder::random}});
  else
    no_such_option(option);
}

void Settings::set(const std::string& option, std::int64_t number) {
  if (option == "extend")
    extend = number;
  else if (option == "width")
    width = number;
  else if (option == "bound_sweeps")
    bound_sweeps = number;
  else if (option == "decode_every")
    decode_every = number;
  else if (option == "beliefs")
    beliefs = number != 0;
  else if (option == "certificate")
    certificate = number != 0;
  else
    no_such_option(option);
}

void Settings::verify() const {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    if (value < least)
      throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least) +
                                  "; found " + std::to_string(value));
  };
  at_least("threads", engine.threads, 1);
  at_least("max_memory", engine.max_memory, 0);
  at_least("extend", extend, 0);
  at_least("width", width, 0);
  at_least("bound_sweeps", bound_sweeps, 0);
  at_least("decode_every", decode_every, 1);
  at_least("max_iter", max_iterations, -1);
}

}  // namespace rangemoves
