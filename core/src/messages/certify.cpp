#include "rangemoves/messages/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rangemoves {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Entries of unary costs asked for at a time.
constexpr std::int64_t kEntries = 1 << 13;
// The relative error of one operation.
constexpr double kRounding = std::numeric_limits<double>::epsilon() / 2;

// A sum that loses nothing but its last bit (Neumaier), and how large its terms were.
class Sum {
 public:
  void add(double value) {
    const double sum = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
    size_ += std::abs(value);
  }
  // No larger than the true sum.
  double lower() const { return sum_ + lost_ - 4 * kRounding * size_; }

 private:
  double sum_ = 0, lost_ = 0, size_ = 0;
};

// g in one orientation, seen from the end that the message goes to: g is constant from `right`
// upward and from -left downward.
struct Shape {
  std::vector<double> g;
  int left, right;

  Shape(std::vector<double> values, int labels) : g(std::move(values)), left(1), right(1) {
    const int end = labels - 1;
    for (int d = 1; d < end; ++d) {
      if (at(d) != at(end)) right = d + 1;
      if (at(-d) != at(-end)) left = d + 1;
    }
  }
  double at(int d) const { return g[static_cast<std::size_t>(d) + g.size() / 2]; }
};

struct Shapes {
  Shape to_tail, to_head;
  double largest = 0;  // of the finite values

  Shapes(const std::vector<double>& g, int labels)
      : to_tail(g, labels), to_head({g.rbegin(), g.rend()}, labels) {
    for (const double value : g)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
};

class Certifier {
 public:
  Certifier(const Neighbourhood& graph, int labels, const ReadMessage& read, bool to_later,
            double unit, const TrueCosts& costs, const SolvedParts& solved)
      : graph_(graph),
        labels_(labels),
        read_(read),
        to_later_(to_later),
        unit_(unit),
        weights_(costs.weights),
        shapes_(costs.g.map([&](const std::vector<double>& g) { return Shapes(g, labels); })),
        belief_(static_cast<std::size_t>(labels)),
        message_(belief_),
        implied_(belief_),
        highest_before_(belief_),
        highest_after_(belief_),
        size_(belief_),
        solved_(solved) {
    if (solved.parts.empty()) return;
    part_of_.assign(static_cast<std::size_t>(graph.nodes()), -1);
    row_of_.assign(part_of_.size(), nullptr);
    for (std::size_t k = 0; k < solved.parts.size(); ++k) {
      const SolvedPart& part = solved.parts[k];
      for (std::size_t v = 0; v < part.variables.size(); ++v) {
        part_of_[at(part.variables[v])] = static_cast<std::int32_t>(k);
        row_of_[at(part.variables[v])] = part.unary.data() + v * at(labels);
      }
    }
  }

  // What the variable adds to the bound: no labelling makes it and its messages cost less. In a
  // part that was solved: less than what was solved there.
  double adds(std::int32_t i, const double* theta) {
    const double error = gather(i, theta);
    const double* solved = part_of_.empty() ? nullptr : row_of_[at(i)];
    double least = kInfinity;
    for (int l = 0; l < labels_; ++l) {
      if (theta[l] == kInfinity) continue;
      const double lost = error * (std::abs(theta[l]) + size_[at(l)]);
      if (!solved) {
        least = std::min(least, belief_[at(l)] - lost);
      } else {
        const double less = belief_[at(l)] - solved[l];
        least = std::min(least, less - lost - 2 * kRounding * std::abs(solved[l]));
      }
    }
    return least;
  }

  // The same for an edge inside a part; 0 for all others.
  double adds(std::int64_t e) const {
    const std::int32_t tail = graph_.tail(e);
    if (part_of_.empty() || part_of_[at(tail)] < 0 || !is_inside(tail, graph_.head(e))) return 0;
    const double w = weights_[static_cast<std::size_t>(e)];
    double least = kInfinity;
    for (int d = 1 - labels_; d < labels_; ++d) {
      const double g = shapes_[e].to_tail.at(d);
      if (!std::isfinite(g)) continue;
      const double cost = w * g, solved = solved_.edge_cost(e, d);
      least = std::min(least, cost - solved - 4 * kRounding * (std::abs(cost) + std::abs(solved)));
    }
    return least;
  }

 private:
  // Its belief, without edges inside its part, and how large the terms of each label are. Returns
  // the error relative to that.
  //
  // An implied message is a least difference w g - m. The rounding of one difference is relative to
  // w g, to m, which is no larger than both, and to the difference itself: so the least one is off
  // by no more than that of its own size and of the largest w g.
  double gather(std::int32_t i, const double* theta) {
    std::copy(theta, theta + labels_, belief_.begin());
    std::fill(size_.begin(), size_.end(), 0.0);
    double terms = 0;
    for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n) {
      if (is_inside(i, n->other)) continue;
      read_(n->edge, message_.data());
      const double w = weights_[static_cast<std::size_t>(n->edge)];
      for (double& m : message_) m *= unit_;
      const Shapes& shapes = shapes_[n->edge];
      terms += 3;
      const bool is_later = graph_.rank(i) > graph_.rank(n->other);
      if (is_later != to_later_) imply(n->is_tail ? shapes.to_tail : shapes.to_head, w);
      const std::vector<double>& mine = is_later == to_later_ ? message_ : implied_;
      for (int l = 0; l < labels_; ++l) {
        belief_[at(l)] += mine[at(l)];
        size_[at(l)] += 2 * (std::abs(mine[at(l)]) + w * shapes.largest);
      }
    }
    return (terms + 4) * kRounding;
  }

  const Neighbourhood& graph_;
  const int labels_;
  const ReadMessage& read_;
  const bool to_later_;
  const double unit_;
  const std::vector<double>& weights_;
  const PerEdge<Shapes> shapes_;
  std::vector<double> belief_, message_, implied_, highest_before_, highest_after_, size_;
  const SolvedParts& solved_;
  std::vector<std::int32_t> part_of_;  // per variable; none where nothing was solved
  std::vector<const double*> row_of_;  // its unary costs there

  static std::size_t at(int l) { return static_cast<std::size_t>(l); }
  bool is_inside(std::int32_t i, std::int32_t j) const {
    return !part_of_.empty() && part_of_[at(i)] >= 0 && part_of_[at(i)] == part_of_[at(j)];
  }

  // implied(a) = min_b (w g(a - b) - message(b)).
  void imply(const Shape& shape, double w) {
    const int last = labels_ - 1;
    highest_before_[0] = message_[0];
    highest_after_[at(last)] = message_[at(last)];
    for (int l = 1; l <= last; ++l) {
      highest_before_[at(l)] = std::max(highest_before_[at(l - 1)], message_[at(l)]);
      highest_after_[at(last - l)] =
          std::max(highest_after_[at(last - l + 1)], message_[at(last - l)]);
    }
    const double far_right = w * shape.at(last), far_left = w * shape.at(-last);
    for (int a = 0; a <= last; ++a) {
      double least = kInfinity;
      if (a >= shape.right) least = far_right - highest_before_[at(a - shape.right)];
      if (a + shape.left <= last)
        least = std::min(least, far_left - highest_after_[at(a + shape.left)]);
      implied_[at(a)] = least;
    }
    for (int d = 1 - shape.left; d < shape.right; ++d) {
      const double cost = w * shape.at(d);
      double* to = implied_.data();
      const double* from = message_.data() - d;
      const int begin = std::max(0, d), end = std::min(labels_, labels_ + d);
      for (int a = begin; a < end; ++a) {
        const double value = cost - from[a];
        to[a] = value < to[a] ? value : to[a];
      }
    }
  }
};

}  // namespace

double certified_bound(const Neighbourhood& graph, int labels, const ReadMessage& read,
                       bool to_later, double unit, const TrueCosts& costs,
                       const SolvedParts& solved, Control& control) {
  Certifier certifier(graph, labels, read, to_later, unit, costs, solved);
  const auto step = static_cast<std::int32_t>(std::max<std::int64_t>(1, kEntries / labels));
  std::vector<double> rows(static_cast<std::size_t>(step) * static_cast<std::size_t>(labels));
  Sum sum;
  for (std::int64_t first = 0; first < graph.nodes(); first += step) {
    const auto begin = static_cast<std::int32_t>(first);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(first + step, graph.nodes()));
    costs.unary(begin, end, rows.data());
    for (std::int32_t i = begin; i < end; ++i) {
      sum.add(certifier.adds(i, rows.data() + std::int64_t{i - begin} * labels));
      if ((i & 0xff) == 0) control.poll();
    }
  }
  for (const SolvedPart& part : solved.parts) sum.add(part.bound);
  for (std::int64_t e = 0; !solved.parts.empty() && e < graph.edges(); ++e) {
    if ((e & 0xffff) == 0) control.poll();
    sum.add(certifier.adds(e));
  }
  return sum.lower();
}

double certified_bound(const Neighbourhood& graph, int labels, Messages& messages, bool to_later,
                       double unit, const TrueCosts& costs, Control& control) {
  const ReadMessage read = [&](std::int64_t e, double* message) { messages.read(e, message); };
  return certified_bound(graph, labels, read, to_later, unit, costs, {}, control);
}

}  // namespace rangemoves
