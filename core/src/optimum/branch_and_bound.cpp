#include "rangemoves/optimum/branch_and_bound.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "rangemoves/optimum/better_labels.hpp"
#include "rangemoves/optimum/elimination.hpp"
#include "rangemoves/optimum/slack.hpp"
#include "rangemoves/optimum/table_search.hpp"
#include "rangemoves/run/random.hpp"

namespace rangemoves {

namespace {

using Problem = LazyMessages<std::int64_t>;

// Rounds of sweeps at the root of the tree, where all others start from, and further down; sweeps
// there and back in one round.
constexpr int kRootRounds = 60, kRounds = 20, kSweeps = 40;
// Messages that move by less than a unit / these wake nobody: in the first rounds, and later.
constexpr std::int64_t kCoarse = 64, kFine = 512;
constexpr int kCoarseRounds = 2;
// Rounds end when one closes less than this part of what is open: with no label eliminated, and in
// any case.
constexpr double kSlow = 0.02, kTooSlow = 0.005;
// Splits that are tried before one is chosen: by how little two labels differ, and by what the
// labellings found so far pay around a variable. Each is tried with a few sweeps nearby.
constexpr std::size_t kByMargin = 4, kBySlack = 12;
constexpr int kProbeSweeps = 12;
constexpr std::int64_t kProbeEps = 16;
// Random costs of up to a unit / these are added, one after the other, with so many sweeps each: at
// the root, and in one of kPartsPerNoise parts.
constexpr std::int64_t kNoise[] = {4, 32, 256};
constexpr int kNoisySweeps = 25;
constexpr std::size_t kPartsPerNoise = 8;
// Bounds are compared in steps of a unit / this.
constexpr std::int64_t kGrains = 20;
// The search gives up when the messages of the parts that wait take more.
constexpr std::int64_t kMostOpenBytes = std::int64_t{1} << 28;

struct Split {
  std::int32_t node;
  int label;  // up to this one, above it
};

// A set of labels for each variable, and messages that go with it.
struct Part {
  std::vector<std::int64_t> messages;
  std::vector<std::uint8_t> allowed;
  std::int64_t bound = 0;
  int depth = 0;
  std::size_t id = 0;  // of its node in the tree
};

// Written out root first at the end.
struct TreeNode {
  std::vector<ProofStep> eliminations;
  ProofStep last;                    // a leaf, or a split into these:
  std::size_t below = 0, above = 0;  // nodes of the tree
};

class Search {
 public:
  Search(Problem& problem, const Labelling& start, std::int64_t margin, std::int64_t unit,
         const BranchLimits& limits, bool keep_steps, const std::function<void()>& poll)
      : problem_(problem),
        start_(start),
        margin_(margin),
        unit_(std::max<std::int64_t>(1, unit)),
        limits_(limits),
        keep_steps_(keep_steps),
        poll_(poll),
        open_(Later{std::max<std::int64_t>(1, unit_ / kGrains)}) {
    for (std::int32_t i = 0; i < problem.nodes(); ++i)
      unary_.insert(unary_.end(), problem.unary(i), problem.unary(i) + problem.labels());
    result_.labels = start;
    result_.value = value_of(problem, start);
    cut_ = result_.value - margin_;
  }

  BranchResult run() {
    const std::size_t variables = static_cast<std::size_t>(problem_.nodes());
    Part root{{}, std::vector<std::uint8_t>(variables * labels(), 1), 0, 0, 0};
    for (std::size_t k = 0; k < root.allowed.size(); ++k)
      root.allowed[k] = unary_[k] < unreachable<std::int64_t>;
    allowed_ = root.allowed;
    tree_.emplace_back();
    problem_.mark_all();
    grow(std::move(root), kRootRounds);
    while (!open_.empty() && !is_spent()) {
      const std::shared_ptr<const Part> part = open_.top();
      open_.pop();
      poll_();
      branch(*part);
    }
    while (!open_.empty()) {
      lowest_ = std::min(lowest_, open_.top()->bound);
      open_.pop();
    }
    allow_all();
    result_.bound = lowest_;
    result_.is_closed = lowest_ >= cut_;
    if (keep_steps_) write_steps();
    return std::move(result_);
  }

 private:
  struct Later {
    std::int64_t grain;
    // Best first; of parts that are about as good the deeper one, which will end sooner.
    bool operator()(const std::shared_ptr<const Part>& a,
                    const std::shared_ptr<const Part>& b) const {
      const std::int64_t x = a->bound / grain, y = b->bound / grain;
      if (x != y) return x > y;
      return a->depth != b->depth ? a->depth < b->depth : a->id > b->id;
    }
  };

  Problem& problem_;
  const Labelling& start_;
  const std::int64_t margin_, unit_;
  const BranchLimits limits_;
  const bool keep_steps_;
  const std::function<void()>& poll_;
  std::vector<std::int64_t> unary_;    // before any label was left out
  std::vector<std::uint8_t> allowed_;  // of what is loaded now
  std::int64_t cut_ = 0;
  std::int64_t lowest_ = unreachable<std::int64_t>;  // bound of all parts that are done with
  std::vector<TreeNode> tree_;
  std::priority_queue<std::shared_ptr<const Part>, std::vector<std::shared_ptr<const Part>>, Later>
      open_;
  BranchResult result_;

  std::size_t labels() const { return static_cast<std::size_t>(problem_.labels()); }
  std::size_t place(std::int32_t i, int l) const {
    return static_cast<std::size_t>(i) * labels() + static_cast<std::size_t>(l);
  }

  bool is_spent() const {
    const Part& next = *open_.top();
    const auto bytes =
        static_cast<std::int64_t>(open_.size() * (8 * next.messages.size() + next.allowed.size()));
    return result_.nodes >= limits_.nodes || result_.visits >= limits_.visits ||
           bytes > std::min(kMostOpenBytes, limits_.bytes / 2);
  }

  void allow(std::int32_t i, int l, bool allowed) {
    allowed_[place(i, l)] = allowed;
    problem_.unary(i)[l] = allowed ? unary_[place(i, l)] : unreachable<std::int64_t>;
  }

  // Puts back the unary costs of all labels, as the problem was given. `allowed_` stays as it is.
  void allow_all() {
    for (std::int32_t i = 0; i < problem_.nodes(); ++i)
      std::copy_n(unary_.data() + place(i, 0), labels(), problem_.unary(i));
  }

  void load(const Part& part) {
    problem_.set_messages(part.messages);
    for (std::int32_t i = 0; i < problem_.nodes(); ++i)
      for (int l = 0; l < problem_.labels(); ++l)
        if (allowed_[place(i, l)] != part.allowed[place(i, l)])
          allow(i, l, part.allowed[place(i, l)]);
  }

  int count_allowed(std::int32_t i) const {
    int count = 0;
    for (int l = 0; l < problem_.labels(); ++l) count += allowed_[place(i, l)];
    return count;
  }

  // Leaves one side of a split. Both have labels.
  void keep_side(const Split& split, bool above) {
    for (int l = 0; l < problem_.labels(); ++l)
      if ((l > split.label) != above && allowed_[place(split.node, l)]) allow(split.node, l, false);
    problem_.mark(split.node);
  }

  void sweep(std::int64_t eps, int most) {
    for (int k = 0; k < most; ++k) {
      const std::int64_t visits = problem_.sweep(true, eps, nullptr, nullptr) +
                                  problem_.sweep(false, eps, nullptr, nullptr);
      result_.visits += visits;
      if (visits == 0) return;
    }
  }

  // False where a variable has no label left.
  bool eliminate(const Elimination& found, std::size_t id) {
    if (keep_steps_) {
      ProofStep& step = tree_[id].eliminations.emplace_back();
      step.kind = ProofStep::Kind::eliminate;
      step.messages = problem_.messages_to_earlier();
      step.eliminated = found.labels;
      step.sent = found.sent;
    }
    lowest_ = std::min(lowest_, cut_);
    for (const auto& [i, l] : found.labels) {
      allow(i, l, false);
      problem_.mark(i);
    }
    return std::all_of(found.labels.begin(), found.labels.end(),
                       [&](const auto& label) { return count_allowed(label.first) > 0; });
  }

  // Raises the bound of what is loaded and marked. Returns it, or nothing where no label is left of
  // some variable.
  std::optional<std::int64_t> raise(std::size_t id, int rounds) {
    Elimination found = find_eliminated(problem_, cut_);
    for (int round = 0;; ++round) {
      poll_();
      result_.visits += 4 * problem_.nodes();
      if (found.bound >= cut_) return found.bound;
      const bool eliminates = !found.labels.empty();
      if (eliminates && !eliminate(found, id)) return std::nullopt;
      if (round == rounds || result_.visits >= limits_.visits) return found.bound;
      const std::vector<std::int64_t> before = problem_.copy_messages();
      if (round > 0) problem_.mark_all();
      sweep(unit_ / (round < kCoarseRounds ? kCoarse : kFine), kSweeps);
      Elimination next = find_eliminated(problem_, cut_);
      if (next.bound < found.bound) {
        problem_.set_messages(before);
        return found.bound;
      }
      const double gain = static_cast<double>(next.bound - found.bound);
      const double open = static_cast<double>(cut_ - next.bound);
      found = std::move(next);
      if (gain < kTooSlow * open || (gain < kSlow * open && !eliminates && found.labels.empty()))
        rounds = std::min(rounds, round + 1);
    }
  }

  // A new part: what is loaded and marked. Kept open where its bound is too low.
  void grow(Part part, int rounds) {
    ++result_.nodes;
    const std::optional<std::int64_t> bound = raise(part.id, rounds);
    if (keep_steps_) tree_[part.id].last.messages = problem_.messages_to_earlier();
    if (!bound) return;
    part.bound = *bound;
    if (part.bound < cut_) look_for_labels(part.id);
    if (part.bound < cut_ && limits_.tables) search_tables(part);
    if (part.bound >= cut_) {
      lowest_ = std::min(lowest_, part.bound);
      return;
    }
    part.messages = problem_.copy_messages();
    part.allowed = allowed_;
    open_.push(std::make_shared<const Part>(std::move(part)));
  }

  // Solves what is loaded by tables if it is small enough, or raises its bound.
  void search_tables(Part& part) {
    TableResult found = search_by_tables(
        problem_, cut_, margin_, {limits_.visits - result_.visits, limits_.bytes / 2}, poll_);
    result_.visits += found.work;
    if (found.labels) consider(*found.labels);
    if (found.bound <= part.bound || found.tables.empty()) return;
    part.bound = found.bound;
    if (!keep_steps_) return;
    ProofStep& step = tree_[part.id].last;
    step.kind = ProofStep::Kind::tables;
    step.tables = std::move(found.tables);
    step.rounds = found.rounds;
    step.above = part.bound - problem_.bound();
  }

  // Labellings of what is loaded: a better one lowers the cut. Where many labellings are about as
  // good, messages do not say which labels go together; small random costs decide that.
  void look_for_labels(std::size_t id) {
    look();
    if (id % kPartsPerNoise != 0) return;
    const std::vector<std::int64_t> before = problem_.copy_messages();
    for (const std::int64_t noise : kNoise) {
      Random random(id * std::size(kNoise) + static_cast<std::uint64_t>(noise));
      add_noise(unit_ / noise, random);
      problem_.mark_all();
      sweep(unit_ / noise / kProbeEps, kNoisySweeps);
      look();
      problem_.set_messages(before);
    }
  }

  void add_noise(std::int64_t most, Random& random) {
    for (std::int32_t i = 0; i < problem_.nodes(); ++i)
      for (int l = 0; l < problem_.labels(); ++l) {
        const auto cost =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
        if (allowed_[place(i, l)]) problem_.unary(i)[l] += cost;
      }
  }

  // Looks at labellings read off the messages, and at what they and the best one so far make
  // together. All labels of the whole problem are allowed for that.
  void look() {
    const Labelling found[] = {problem_.decode(true), problem_.decode(false)};
    allow_all();
    for (const Labelling& y : found) {
      Labelling x = result_.labels;
      take_better(problem_, x, y);
      consider(x);
      x = y;
      take_better(problem_, x, result_.labels);
      consider(x);
    }
    for (std::int32_t i = 0; i < problem_.nodes(); ++i)
      for (int l = 0; l < problem_.labels(); ++l) allow(i, l, allowed_[place(i, l)]);
  }

  void consider(const Labelling& x) {
    const std::int64_t value = value_of(problem_, x);
    if (value >= result_.value) return;
    result_.labels = x;
    result_.value = value;
    cut_ = value - margin_;
  }

  void branch(const Part& part) {
    if (part.bound >= cut_) {
      lowest_ = std::min(lowest_, part.bound);
      return;
    }
    load(part);
    const std::optional<Split> split = choose(part);
    if (!split) {
      // One labelling is left. What its messages prove is its value; the part's bound may be from
      // before the last labels were taken out.
      lowest_ = std::min(lowest_, problem_.bound());
      return;
    }
    std::size_t sides[2];
    for (std::size_t& side : sides) {
      side = tree_.size();
      tree_.emplace_back();
    }
    ProofStep& step = tree_[part.id].last;
    step = {};
    step.kind = ProofStep::Kind::split;
    step.variable = split->node;
    step.label = split->label;
    tree_[part.id].below = sides[0];
    tree_[part.id].above = sides[1];
    for (const bool above : {false, true}) {
      load(part);
      keep_side(*split, above);
      grow({{}, {}, 0, part.depth + 1, sides[above]}, kRounds);
    }
  }

  struct Candidate {
    Split split;
    std::int64_t margin, slack;
  };

  // Every variable that has a choice, split between its two best labels, or between those of two
  // labellings that disagree.
  std::vector<Candidate> candidates() const {
    const Labelling y = problem_.decode(true);
    const SlackMap paid_y = slack_map(problem_, y), paid_x = slack_map(problem_, start_);
    std::vector<std::int64_t> belief(labels());
    std::vector<Candidate> found;
    for (std::int32_t i = 0; i < problem_.nodes(); ++i) {
      if (count_allowed(i) < 2) continue;
      problem_.collect(i, belief.data());
      int best = -1, second = -1;
      for (int l = 0; l < problem_.labels(); ++l) {
        if (!allowed_[place(i, l)]) continue;
        const std::int64_t b = belief[static_cast<std::size_t>(l)];
        if (best < 0 || b < belief[static_cast<std::size_t>(best)]) {
          second = best;
          best = l;
        } else if (second < 0 || b < belief[static_cast<std::size_t>(second)]) {
          second = l;
        }
      }
      const auto at = static_cast<std::size_t>(i);
      const bool differ = y[at] != start_[at] && allowed_[place(i, start_[at])];
      const std::int64_t slack = paid_y.slack[at] + paid_x.slack[at];
      found.push_back(
          {{i, (differ ? y[at] + start_[at] : best + second) / 2},
           belief[static_cast<std::size_t>(second)] - belief[static_cast<std::size_t>(best)],
           differ ? 2 * slack : slack});
    }
    return found;
  }

  std::vector<Split> worth_trying() const {
    std::vector<Candidate> found = candidates();
    std::vector<Split> splits;
    const auto take = [&](std::size_t count) {
      for (std::size_t k = 0; k < std::min(count, found.size()); ++k) {
        const Split& split = found[k].split;
        if (std::none_of(splits.begin(), splits.end(),
                         [&](const Split& s) { return s.node == split.node; }))
          splits.push_back(split);
      }
    };
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.slack > b.slack; });
    take(kBySlack);
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.margin < b.margin; });
    take(kByMargin);
    return splits;
  }

  // The split whose sides both gain most, each tried with a few sweeps.
  std::optional<Split> choose(const Part& part) {
    std::optional<Split> best;
    double most = -1;
    for (const Split& split : worth_trying()) {
      double gain = 1;
      for (const bool above : {false, true}) {
        load(part);
        keep_side(split, above);
        sweep(unit_ / kProbeEps, kProbeSweeps);
        result_.visits += problem_.nodes();
        const std::int64_t bound = std::min(cut_, problem_.bound());
        const auto gained = static_cast<double>(std::max<std::int64_t>(0, bound - part.bound));
        gain *= gained / static_cast<double>(unit_) + 1e-6;
      }
      if (gain <= most) continue;
      most = gain;
      best = split;
    }
    return best;
  }

  void write_steps() {
    std::vector<std::size_t> to_write{0};
    while (!to_write.empty()) {
      TreeNode& node = tree_[to_write.back()];
      to_write.pop_back();
      for (ProofStep& step : node.eliminations) result_.steps.push_back(std::move(step));
      result_.steps.push_back(std::move(node.last));
      if (result_.steps.back().kind != ProofStep::Kind::split) continue;
      to_write.push_back(node.above);
      to_write.push_back(node.below);
    }
  }
};

}  // namespace

std::int64_t value_of(const LazyMessages<std::int64_t>& problem, const Labelling& x) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < problem.nodes(); ++i)
    sum += problem.unary(i)[x[static_cast<std::size_t>(i)]];
  for (const OrderedEdge& e : problem.graph().edges)
    sum += problem.cost(e, x[static_cast<std::size_t>(e.earlier)],
                        x[static_cast<std::size_t>(e.later)]);
  return sum;
}

BranchResult branch_and_bound(LazyMessages<std::int64_t>& problem, const Labelling& start,
                              std::int64_t margin, std::int64_t unit, const BranchLimits& limits,
                              bool keep_steps, const std::function<void()>& poll) {
  return Search(problem, start, margin, unit, limits, keep_steps, poll).run();
}

}  // namespace rangemoves
