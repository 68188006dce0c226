// Words become values, and what is wrong is refused with the option's name and what there is.
#include "rangemoves/run/settings.hpp"

#include <functional>
#include <stdexcept>
#include <string>

#include "check.hpp"

using namespace rangemoves;

namespace {

// What a refusal says; empty where there was none.
std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Choice>
void word(const char* option, const char* name, Choice Settings::* member, Choice expected) {
  Settings settings;
  settings.set(option, std::string(name));
  expect(settings.*member == expected, name);
}

void every_word() {
  word("surrogate", "tight", &Settings::surrogate, SurrogateKind::tight);
  word("surrogate", "huber", &Settings::surrogate, SurrogateKind::huber);
  word("surrogate", "chord", &Settings::surrogate, SurrogateKind::chord);
  word("surrogate", "continued", &Settings::surrogate, SurrogateKind::continued);
  word("convex_range", "table", &Settings::convex_range, RangeChoice::table);
  word("convex_range", "prior", &Settings::convex_range, RangeChoice::prior);
  word("strategy", "alternate", &Settings::strategy, Strategy::alternate);
  word("strategy", "range", &Settings::strategy, Strategy::range);
  word("strategy", "random", &Settings::strategy, Strategy::random);
  word("reweighting", "middle", &Settings::reweighting, Reweighting::middle);
  word("reweighting", "least", &Settings::reweighting, Reweighting::least);
  word("islands", "auto", &Settings::islands, IslandSearch::automatic);
  word("islands", "branches", &Settings::islands, IslandSearch::branches);
  word("nonsubmodular", "truncate", &Settings::nonsubmodular, Nonsubmodular::truncate);
  word("nonsubmodular", "qpbo", &Settings::nonsubmodular, Nonsubmodular::qpbo);
  word("order", "fixed", &Settings::order, TurnOrder::fixed);
  word("order", "ascending", &Settings::order, TurnOrder::ascending);
  word("order", "random", &Settings::order, TurnOrder::random);
  Settings settings;
  for (const auto& [name, choice] :
       {std::pair{"reference", EngineChoice::reference}, std::pair{"dual", EngineChoice::dual},
        std::pair{"auto", EngineChoice::automatic}}) {
    settings.set("engine", std::string(name));
    expect(settings.engine.engine == choice, name);
  }
  settings.set("backend", std::string("elsewhere"));
  expect(settings.engine.backend == "elsewhere", "backends are looked up when they are needed");
}

void every_number() {
  Settings settings;
  settings.set("extend", 5);
  settings.set("width", 6);
  settings.set("bound_sweeps", 7);
  settings.set("decode_every", 8);
  expect(settings.extend == 5 && settings.width == 6 && settings.bound_sweeps == 7 &&
             settings.decode_every == 8,
         "numbers");
}

void refusals() {
  Settings settings;
  const std::string wrong_word =
      refusal([&] { settings.set("strategy", std::string("alternating")); });
  expect(
      says(wrong_word, "strategy must be one of alternate, range, random, ends; found alternating"),
      "a wrong word: the option, what there is, what was found");
  expect(says(refusal([&] { settings.set("stratgy", std::string("range")); }), "stratgy"),
         "an unknown option of words is named");
  expect(says(refusal([&] { settings.set("extent", 1); }), "extent"),
         "an unknown option of numbers is named");
  expect(!refusal([&] { settings.set("extend", std::string("2")); }).empty(),
         "numbers are no words");
  expect(!refusal([&] { settings.set("engine", 2); }).empty(), "words are no numbers");
}

void verification() {
  expect(refusal([] { Settings().verify(); }).empty(), "the defaults are fine");
  const auto refused = [](const char* name, const std::function<void(Settings&)>& spoil) {
    Settings settings;
    spoil(settings);
    expect(says(refusal([&] { settings.verify(); }), std::string(name) + " must be at least"),
           name);
  };
  refused("threads", [](Settings& s) { s.engine.threads = 0; });
  refused("max_memory", [](Settings& s) { s.engine.max_memory = -1; });
  refused("extend", [](Settings& s) { s.extend = -1; });
  refused("width", [](Settings& s) { s.width = -1; });
  refused("bound_sweeps", [](Settings& s) { s.bound_sweeps = -1; });
  refused("decode_every", [](Settings& s) { s.decode_every = 0; });
  refused("max_iter", [](Settings& s) { s.max_iterations = -2; });
  Settings least;
  least.extend = least.bound_sweeps = least.max_iterations = 0;
  least.width = 0;
  expect(refusal([&] { least.verify(); }).empty(), "the least values are allowed");
}

}  // namespace

int main() {
  every_word();
  every_number();
  refusals();
  verification();
  return 0;
}
