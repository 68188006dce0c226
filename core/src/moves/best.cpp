// The lowest energies: message passing finds basins that moves do not, moves find the bottom of a
// basin, fusion takes the best parts of both, and what is then left of the gap is closed island by
// island.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "rangemoves/messages/tree_reweighted.hpp"
#include "rangemoves/moves/methods.hpp"
#include "rangemoves/moves/proposals.hpp"
#include "rangemoves/optimum/proof.hpp"

namespace rangemoves {

namespace {

// Full sweeps, before lazy ones.
constexpr std::int64_t kFirstSweeps = 100;
// A labelling is decoded after every so many full sweeps.
constexpr std::int64_t kSweepsPerLook = 25;
// Lazy sweeps in stages: a variable is visited again only if a message to it has moved by more than
// a unit / parts. A stage ends when no variable is left to visit.
constexpr std::int64_t kParts[] = {1, 4, 16, 64, 256, 1024};
// From this stage on islands are tried after each: finer sweeps take longer than they gain where
// the gap sits in few places.
constexpr std::int64_t kPartsForIslands = 256;
constexpr int kMostLazySweeps = 3000;
// Visits of variables in the islands of one round: at first, how many times more when islands are
// tried again, and at most.
constexpr std::int64_t kFirstVisits = 20'000'000, kMoreVisits = 4, kMostVisits = 300'000'000;
// Proof::Effort::thrift: by how much it grows from round to round, and its largest value.
constexpr std::int64_t kMoreThrift = 8, kMostThrift = 64;
// Problems of up to so many variables are one island. They begin with fewer visits: after these the
// labelling so far is offered, so that a time limit does not lose it.
constexpr std::int32_t kSmall = 150;
constexpr std::int64_t kSmallVisits = kFirstVisits / 4;
// Proposals from perturbed costs in a round: each amplitude, as a part of what a step of one label
// costs on an edge, with each size of blocks.
constexpr double kAmplitudes[] = {1. / 16, 1. / 4, 1. / 2, 1, 2};
constexpr int kBlocks[] = {1, 8, 32, 128};
constexpr int kPerturbedSweeps[] = {2, 8, 2, 4};
// Moves of one descent; expansion has one for every label.
constexpr std::int64_t kMostMoves = 4;
// Moves from the best labelling are made once in so many rounds: they take long and gain little.
constexpr int kRoundsPerMove = 8;
// Ends after so many rounds in a row without a gain.
constexpr int kIdleRounds = 6;

// What a step of one label costs on an edge, on average, and at least 1.
double step_cost(const Energy& energy) {
  const PerEdge<double> step = energy.g.map([](const Table& g) {
    const int c = g.centre(), end = g.labels() - 1;
    const bool flat = c == end || g(c + 1) == g(c);
    return static_cast<double>(flat ? g.steepest() : std::abs(g(c + 1) - g(c)));
  });
  double sum = 0;
  for (std::int64_t e = 0; e < energy.graph.edges(); ++e) sum += step[e] * energy.w[e];
  const double edges = static_cast<double>(std::max<std::int64_t>(1, energy.graph.edges()));
  return std::max(1.0, sum / edges);
}

class Search {
 public:
  explicit Search(MoveLoop& loop)
      : loop_(loop), flat_(suits_gswapf(loop.energy())), trws_(loop.messages()), proposals_(loop) {
    loop_.raise_bound(trws_.lower_bound());
  }

  void run() {
    const Labelling start = loop_.labels();
    sweep(kFirstSweeps);
    // Small problems are over sooner without it. Elsewhere lazy sweeps can take all the time there
    // is, and must not keep the end above that of a method that only moves.
    const bool small = loop_.energy().graph.nodes() <= kSmall;
    const auto descend_from_start = [&] { descend(gswap, start, "gswap from the start"); };
    if (!small) descend_from_start();
    if (loop_.energy().labels > 1) {
      proof_ = Proof::make(trws_, loop_.settings(), loop_.control());
      loop_.set_proof(proof_);
      if (loop_.energy().graph.nodes() <= kSmall) {
        proof_->take_all();
        effort_.visits = kSmallVisits;
      }
      for (const std::int64_t parts : kParts) {
        sweep_lazily(parts);
        if (parts < kPartsForIslands) continue;
        do close_islands();
        while (effort_.visits < kFirstVisits);
      }
    }
    if (small) descend_from_start();
    descend(gswap, lowest_, "gswap from a labelling of the sweeps");
    if (flat_) descend(gswapf, lowest_, "gswapf from a labelling of the sweeps");
    move();
    // With a limit of time there is always something left to try.
    const bool has_clock = std::isfinite(loop_.control().time_limit());
    for (int round = 1, idle = 0; has_clock || idle < kIdleRounds; ++round) {
      const std::int64_t value = loop_.value(), bound = loop_.bound().value_or(0);
      propose(round);
      const bool is_last = idle + 1 == kIdleRounds;
      if (round % kRoundsPerMove == 0 || is_last) move();
      if (loop_.value() < value || round % kRoundsPerMove == 0 || is_last) close_islands();
      idle = loop_.value() < value || loop_.bound().value_or(0) > bound ? 0 : idle + 1;
    }
  }

 private:
  MoveLoop& loop_;
  bool flat_;
  Trws& trws_;
  Proposals proposals_;
  std::shared_ptr<Proof> proof_;
  Proof::Effort effort_{kFirstVisits, 1};
  std::int64_t sweeps_ = 0;
  Labelling lowest_;  // of all that the sweeps gave
  std::int64_t least_ = 0;
  std::optional<std::int64_t> moved_from_;  // the energy at which moves last gained nothing

  bool offer(const Labelling& y, const std::string& step) { return proposals_.offer(y, step); }

  void descend(void (*method)(MoveLoop&), const Labelling& start, const std::string& step,
               Strategy strategy = Strategy::alternate) {
    const std::int64_t most = method == expansion ? loop_.energy().labels : kMostMoves;
    proposals_.descend(method, start, step, most, strategy);
  }

  // More sweeps; some of their labellings are fused with the best so far.
  void sweep(std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      loop_.sweep();
      loop_.raise_bound(trws_.lower_bound());
      ++sweeps_;
      // One sweep says it all where there are no cycles.
      const bool has_cycles = !loop_.energy().graph.topology().is_forest();
      if (has_cycles && k % kSweepsPerLook != kSweepsPerLook - 1) continue;
      auto [x, value] = trws_.decode(loop_.control());
      offer(x, "sweep " + std::to_string(sweeps_));
      if (!lowest_.empty() && value >= least_) continue;
      lowest_ = std::move(x);
      least_ = value;
    }
  }

  // Rounds of islands, until one brings neither a better labelling nor larger islands. Each time
  // with more effort than before.
  void close_islands() {
    if (!proof_) return;
    for (effort_.thrift = 1;;) {
      const Proof::Round result = proof_->round(loop_.labels(), loop_.goal(), effort_);
      loop_.raise_bound(result.bound);
      if (offer(result.labels, "islands") || result.grew) continue;
      if (effort_.thrift == kMostThrift) break;
      effort_.thrift *= kMoreThrift;
    }
    if (effort_.visits < kMostVisits) effort_.visits *= kMoreVisits;
  }

  void sweep_lazily(std::int64_t parts) {
    const std::int64_t variables = loop_.energy().graph.nodes();
    proof_->begin_stage();
    std::int64_t visits = 0, looked = 0;
    int k = 0;
    for (bool ends = false; !ends; ++k) {
      const std::int64_t visited = proof_->sweep(parts);
      visits += visited;
      ends = visited == 0 || k + 1 == kMostLazySweeps;
      if (!ends && visits - looked < 2 * kSweepsPerLook * variables) continue;
      looked = visits;
      proof_->hand_back();
      loop_.raise_bound(trws_.lower_bound());
      if (!ends) offer(loop_.labels(), "lazy sweep");
      for (const bool forward : {true, false})
        if (ends) offer(proof_->decode(forward), "lazy sweep");
    }
  }

  // Labellings of slightly different problems, each some sweeps from the last: the more there are,
  // the larger are the parts that change together.
  void propose(int round) {
    const double step = step_cost(loop_.energy());
    const int sweeps = kPerturbedSweeps[(round - 1) % std::size(kPerturbedSweeps)];
    std::uint64_t seed = loop_.settings().seed + 1000003 * static_cast<std::uint64_t>(round);
    for (const int block : kBlocks)
      for (const double amplitude : kAmplitudes) {
        trws_.perturb(++seed, std::max<std::int64_t>(1, std::llround(amplitude * step)), block,
                      loop_.control());
        for (int k = 0; k < sweeps; ++k) trws_.sweep(loop_.control());
        offer(trws_.decode(loop_.control()).x, "perturbed blocks of " + std::to_string(block));
      }
    trws_.restore(loop_.control());
  }

  // Moves from the best so far.
  void move() {
    if (moved_from_ == loop_.value()) return;
    descend(gswap, loop_.labels(), "gswap from the best");
    if (flat_) descend(gswapf, loop_.labels(), "gswapf from the best");
    descend(gswap, loop_.labels(), "gswap with random sets", Strategy::random);
    descend(expansion, loop_.labels(), "expansion of the best");
    moved_from_ = loop_.value();
  }
};

}  // namespace

void best(MoveLoop& loop) {
  // A cut proves that it is the best one, but leaves nothing that others could check.
  if (is_convex(loop.energy()) && !loop.settings().certificate) return ishikawa(loop);
  Search(loop).run();
}

}  // namespace rangemoves
