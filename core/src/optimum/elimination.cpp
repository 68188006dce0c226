#include "rangemoves/optimum/elimination.hpp"

#include <algorithm>

namespace rangemoves {

namespace {

using Problem = LazyMessages<std::int64_t>;

class Pass {
 public:
  Pass(const Problem& problem, std::int64_t cut)
      : problem_(problem),
        cut_(cut),
        labels_(problem.labels()),
        stride_(problem.stride()),
        room_(problem.make_room()),
        to_later_(problem.graph().edges.size() * static_cast<std::size_t>(stride_)),
        beliefs_(static_cast<std::size_t>(problem.nodes()) * static_cast<std::size_t>(labels_)),
        share_(static_cast<std::size_t>(stride_)),
        made_(share_),
        implied_(share_) {}

  Elimination run() {
    begin();
    Elimination found{bound_, {}, {}};
    for (std::int32_t i = 0; i < problem_.nodes(); ++i) {
      const std::int64_t* belief = row(i);
      const std::int64_t others = bound_ - least(i);
      for (int l = 0; l < labels_; ++l)
        if (problem_.has(i, l) && others + belief[l] >= cut_) found.labels.emplace_back(i, l);
      send_on(i);
    }
    for (std::size_t e = 0; e < problem_.graph().edges.size(); ++e) {
      const std::int64_t* sent = to_later(static_cast<std::int64_t>(e));
      found.sent.insert(found.sent.end(), sent, sent + labels_);
    }
    return found;
  }

 private:
  const Problem& problem_;
  const std::int64_t cut_;
  const int labels_;
  const std::int32_t stride_;
  AlignedArray<std::int64_t> room_;
  std::vector<std::int64_t> to_later_, beliefs_;  // what each edge sends its later node now
  std::vector<std::int64_t> share_, made_, implied_;
  std::int64_t bound_ = 0;

  std::int64_t* row(std::int32_t i) { return beliefs_.data() + std::int64_t{i} * labels_; }
  std::int64_t* to_later(std::int64_t edge) { return to_later_.data() + edge * stride_; }

  std::int64_t least(std::int32_t i) {
    const std::int64_t* belief = row(i);
    std::int64_t least = unreachable<std::int64_t>;
    for (int l = 0; l < labels_; ++l)
      if (problem_.has(i, l)) least = std::min(least, belief[l]);
    return least;
  }

  void begin() {
    problem_.beliefs([&](std::int32_t i, const std::int64_t* belief, auto&& implied) {
      std::copy(belief, belief + labels_, row(i));
      for (std::int32_t k = 0; k < problem_.node(i).before; ++k)
        std::copy_n(implied(k), labels_, to_later(problem_.arcs(i)[k].edge));
      bound_ += least(i);
    });
  }

  void change(std::int32_t i, const std::int64_t* before, const std::int64_t* after) {
    const std::int64_t old = least(i);
    for (int l = 0; l < labels_; ++l) row(i)[l] += after[l] - before[l];
    bound_ += least(i) - old;
  }

  // Each edge to a later node gets an equal share of what is above the least belief.
  void send_on(std::int32_t i) {
    const MessageNode& node = problem_.node(i);
    const std::int64_t base = least(i), n = std::max({1, node.before, node.after});
    for (int l = 0; l < labels_; ++l)
      share_[static_cast<std::size_t>(l)] =
          problem_.has(i, l) ? (row(i)[l] - base) / n : unreachable<std::int64_t>;
    for (std::int32_t k = node.before; k < node.before + node.after; ++k) {
      const LazyArc& arc = problem_.arcs(i)[k];
      const std::int64_t* back = problem_.message(arc.edge, false);
      for (int l = 0; l < labels_; ++l)
        made_[static_cast<std::size_t>(l)] = problem_.has(i, l)
                                                 ? share_[static_cast<std::size_t>(l)] - back[l]
                                                 : unreachable<std::int64_t>;
      problem_.send(arc.edge, true, made_.data(), implied_.data(), room_.data());
      std::swap(made_, implied_);
      problem_.imply(arc.edge, true, made_.data(), implied_.data(), room_.data());
      change(arc.other, to_later(arc.edge), made_.data());
      std::copy_n(made_.data(), labels_, to_later(arc.edge));
      change(i, back, implied_.data());
    }
  }
};

}  // namespace

Elimination find_eliminated(const LazyMessages<std::int64_t>& problem, std::int64_t cut) {
  return Pass(problem, cut).run();
}

}  // namespace rangemoves
