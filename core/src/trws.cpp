#include "rangemoves/trws.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace rangemoves {

namespace {

// Shares of a cost keep so many fractions where 32 bits allow it: the finer they are, the closer
// the bound comes.
constexpr std::int64_t kFinestScale = 1024;

struct Extent {
  std::int64_t least, range, steepest;
  explicit Extent(const Table& g) : least(g(0)), steepest(0) {
    std::int64_t most = least;
    const int end = g.labels() - 1;
    for (int d = -end; d <= end; ++d) {
      least = std::min(least, g(d));
      most = std::max(most, g(d));
      if (d < end) steepest = std::max(steepest, std::abs(g(d + 1) - g(d)));
    }
    range = most - least;
  }
};

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return value / unit + (value % unit > 0);
}

}  // namespace

Trws::Trws(const Energy& energy, const EngineOptions& options)
    : problem_{energy.graph, energy.labels, {}, {}, {}, {}, {}, {}} {
  const Neighbourhood& graph = energy.graph;
  const std::int32_t n = graph.nodes(), labels = energy.labels;
  const Extent extent(energy.g);
  require_memory(2 * message_bytes(graph, labels), options, "message passing");

  // Both g and every variable's costs start from zero: what is taken off is a constant.
  Table g = energy.g;
  for (int d = -(labels - 1); d < labels; ++d) g.at(d) -= extent.least;
  problem_.tables.push_back(ConvexTable::of_any(std::move(g)));
  problem_.weight.assign(energy.w, energy.w + graph.edges());
  problem_.low.assign(static_cast<std::size_t>(n), 0);
  problem_.high.assign(static_cast<std::size_t>(n), labels - 1);
  problem_.unary.resize(static_cast<std::size_t>(n) * labels);
  for (std::int64_t e = 0; e < graph.edges(); ++e) constant_ += energy.w[e] * extent.least;

  std::int64_t largest = 1;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t* theta = energy.theta + static_cast<std::int64_t>(i) * labels;
    const std::int64_t least = *std::min_element(theta, theta + labels);
    std::int64_t edges = 0, steep = 0;
    for (const Incidence* at = graph.begin(i); at != graph.end(i); ++at) {
      edges += energy.w[at->edge] * extent.range;
      steep = std::max(steep, energy.w[at->edge] * extent.steepest * (labels + 16));
    }
    // A label that costs more than the cheapest with all its edges at their worst is never taken,
    // whatever it costs: it need not fit.
    std::int64_t most = 0;
    for (int l = 0; l < labels; ++l) {
      const std::int64_t cost = std::min<std::int64_t>(std::int64_t{theta[l]} - least, edges + 1);
      problem_.unary[static_cast<std::size_t>(i) * labels + l] = static_cast<std::int32_t>(
          std::min<std::int64_t>(cost, std::numeric_limits<std::int32_t>::max()));
      most = std::max(most, cost);
    }
    constant_ += least;
    largest = std::max({largest, most + edges, steep});
  }
  lower_bound_ = constant_;
  if (labels == 1) return;

  scale_ = kFinestScale;
  while (scale_ > 0 && largest > kUnreachable / 4 / scale_) scale_ /= 2;
  if (scale_ == 0)
    throw std::overflow_error(
        "costs must be small enough for message passing: one variable's edges may cost at most "
        "2^26 together; divide all costs by a common factor");
  messages_ = make_messages(problem_, scale_, options.threads);
  messages_->load(problem_);
  problem_.unary = {};  // the messages have their own
}

void Trws::raise(std::int64_t scaled_bound) {
  scaled_bound_ = std::max(scaled_bound_, scaled_bound);
  lower_bound_ = constant_ + round_up(scaled_bound_, scale_);
}

double Trws::exact_bound() const {
  return static_cast<double>(constant_) +
         (scale_ > 0 ? static_cast<double>(scaled_bound_) / static_cast<double>(scale_) : 0.0);
}

void Trws::sweep(Control& control) {
  if (!messages_) return;
  for (const bool forward : {true, false}) raise(messages_->sweep(forward, nullptr, control));
}

Labelling Trws::decode(Control& control) {
  Labelling x(static_cast<std::size_t>(problem_.graph.nodes()), 0);
  if (messages_) messages_->decode(problem_, true, x, control);
  return x;
}

}  // namespace rangemoves
