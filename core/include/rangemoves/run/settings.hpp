// What a caller can choose about a run. Words become values here and nowhere else, and what is out
// of range is refused before any work begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rangemoves {

enum class EngineChoice { automatic, reference, dual };

// Which of several best labellings a move takes.
enum class Ties {
  keep,     // the current one where it is among them
  highest,  // the highest, even where nothing is gained by it
};

struct EngineOptions {
  EngineChoice engine = EngineChoice::automatic;
  Ties ties = Ties::keep;
  int threads = 1;
  std::int64_t max_memory = 0;  // bytes; 0: no limit
  std::string backend = "cpu";  // where messages live: see backend.hpp

  bool operator==(const EngineOptions& other) const {
    return engine == other.engine && ties == other.ties && threads == other.threads &&
           max_memory == other.max_memory && backend == other.backend;
  }
};

// How a convex function goes on beyond the range where it equals g (convexify.hpp).
enum class SurrogateKind {
  unset,      // what the method has by default
  tight,      // as low as can be
  huber,      // with the slope of the paper's Huber function
  chord,      // per difference, the flattest line above g
  continued,  // with the last bend of g: extended range swaps
};

// How an active set is chosen (active_set.hpp).
enum class Strategy {
  alternate,  // drop the larger end on even iterations, the smaller on odd ones
  range,      // keep the labels in [low, high]; alternate where neither end lies in it
  random,     // the edges in a random order; a coin says which end goes
  ends,       // drop the first end of an edge on even iterations, the second on odd ones
};

// How a binary move treats edges that are not submodular (binary_move.hpp).
enum class Nonsubmodular { truncate, qpbo };

// In which order moves are tried.
enum class TurnOrder {
  fixed,      // the method's own
  ascending,  // by label
  random,
};

// Which differences count as the convex range of a prior (chosen.hpp).
enum class RangeChoice {
  table,  // all that its table allows
  prior,  // those up to the prior's own T, where it has one
};

// By which slope reweighted cuts weight an edge where several would do (reweight.hpp).
enum class Reweighting {
  middle,  // the middle of them, as the authors of the method have it
  least,
};

// How islands, the small parts of a problem that sweeps leave open, are solved (proof.hpp).
enum class IslandSearch {
  automatic,  // by tables where they are small enough, else by branches
  branches,   // by branches alone
};

// Slopes of a prior's Huber function beyond its convex range; -1: as the tight surrogate.
struct HuberSlopes {
  std::int64_t left = -1, right = -1;
};

// A prior is convex on [-left, right], by its formula.
struct PriorRange {
  std::int32_t left = INT32_MAX, right = INT32_MAX;
};

struct Settings {
  EngineOptions engine;
  SurrogateKind surrogate = SurrogateKind::unset;
  RangeChoice convex_range = RangeChoice::table;
  Strategy strategy = Strategy::alternate;
  Nonsubmodular nonsubmodular = Nonsubmodular::truncate;
  TurnOrder order = TurnOrder::fixed;
  Reweighting reweighting = Reweighting::middle;
  IslandSearch islands = IslandSearch::automatic;
  std::int64_t extend = 2;           // labels by which rswape widens its ranges on either side
  std::int64_t width = 0;            // of the ranges of rexp; 0: as far as g is convex
  std::int64_t bound_sweeps = 0;     // sweeps for a lower bound before a method without one
  std::int64_t decode_every = 1;     // sweeps of trws for each labelling that is read off them
  bool beliefs = false;              // leave beliefs in the result
  bool certificate = false;          // and what proves the bound
  std::int64_t max_iterations = -1;  // -1: no limit
  std::uint64_t seed = 0;
  std::vector<HuberSlopes> huber_slopes;  // of every table; none: all as the tight one
  std::vector<PriorRange> prior_ranges;   // of every table; none: as far as the tables allow

  // Sets an option by its name. Throws std::invalid_argument where there is no such option or no
  // such value.
  void set(const std::string& option, const std::string& word);
  void set(const std::string& option, std::int64_t number);

  // Throws std::invalid_argument where a number is out of range.
  void verify() const;
};

}  // namespace rangemoves
