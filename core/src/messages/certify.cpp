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
  Certifier(const Neighbourhood& graph, int labels, Messages& messages, bool to_later, double unit,
            const TrueCosts& costs)
      : graph_(graph),
        labels_(labels),
        messages_(messages),
        to_later_(to_later),
        unit_(unit),
        weights_(costs.weights),
        shapes_(costs.g.map([&](const std::vector<double>& g) { return Shapes(g, labels); })),
        belief_(static_cast<std::size_t>(labels)),
        message_(belief_),
        implied_(belief_),
        highest_before_(belief_),
        highest_after_(belief_) {}

  // No labelling makes this variable and its messages cost less.
  double least(std::int32_t i, const double* theta) {
    std::copy(theta, theta + labels_, belief_.begin());
    double size = 0, terms = 0;
    for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n) {
      messages_.read(n->edge, message_.data());
      const double w = weights_[static_cast<std::size_t>(n->edge)];
      double largest = 0;
      for (double& m : message_) largest = std::max(largest, std::abs(m *= unit_));
      const Shapes& shapes = shapes_[n->edge];
      size += largest + w * shapes.largest;
      terms += 3;
      const bool is_later = graph_.rank(i) > graph_.rank(n->other);
      if (is_later != to_later_) imply(n->is_tail ? shapes.to_tail : shapes.to_head, w);
      const std::vector<double>& mine = is_later == to_later_ ? message_ : implied_;
      for (int l = 0; l < labels_; ++l) belief_[at(l)] += mine[at(l)];
    }
    const double error = (terms + 4) * kRounding;
    double least = kInfinity;
    for (int l = 0; l < labels_; ++l)
      if (theta[l] < kInfinity)
        least = std::min(least, belief_[at(l)] - error * (std::abs(theta[l]) + size));
    return least;
  }

 private:
  const Neighbourhood& graph_;
  const int labels_;
  Messages& messages_;
  const bool to_later_;
  const double unit_;
  const std::vector<double>& weights_;
  const PerEdge<Shapes> shapes_;
  std::vector<double> belief_, message_, implied_, highest_before_, highest_after_;

  static std::size_t at(int l) { return static_cast<std::size_t>(l); }

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

double certified_bound(const Neighbourhood& graph, int labels, Messages& messages, bool to_later,
                       double unit, const TrueCosts& costs, Control& control) {
  Certifier certifier(graph, labels, messages, to_later, unit, costs);
  const auto step = static_cast<std::int32_t>(std::max<std::int64_t>(1, kEntries / labels));
  std::vector<double> rows(static_cast<std::size_t>(step) * static_cast<std::size_t>(labels));
  Sum sum;
  for (std::int64_t first = 0; first < graph.nodes(); first += step) {
    const auto begin = static_cast<std::int32_t>(first);
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(first + step, graph.nodes()));
    costs.unary(begin, end, rows.data());
    for (std::int32_t i = begin; i < end; ++i) {
      sum.add(certifier.least(i, rows.data() + std::int64_t{i - begin} * labels));
      if ((i & 0xff) == 0) control.poll();
    }
  }
  return sum.lower();
}

}  // namespace rangemoves
