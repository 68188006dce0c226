#include "rangemoves/messages/tree_reweighted.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "rangemoves/messages/message_part.hpp"
#include "rangemoves/messages/min_convolution.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/random.hpp"

namespace rangemoves {

namespace {

// New costs change messages within so many edges of them; less where that would be too many
// variables, and at least so many. Sweeps over these end after so many at the latest.
constexpr int kReachOfNewCosts = 20, kLeastReach = 5;
constexpr int kMostPartSweeps = 40;

std::int64_t no_noise(std::int32_t, int) { return 0; }

struct Extent {
  std::int64_t least, range, steepest;
  explicit Extent(const Table& g) : least(g.least()), range(g.spread()), steepest(g.steepest()) {}
};

PerEdge<Extent> extents(const Energy& energy) {
  return energy.g.map([](const Table& g) { return Extent(g); });
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return value / unit + (value % unit > 0);
}

// The most that the edges of a variable can cost more with one label than with another.
std::int64_t reach(const Energy& energy, const PerEdge<Extent>& extent, std::int32_t i) {
  std::int64_t sum = 0;
  for (const Incidence* at = energy.graph.begin(i); at != energy.graph.end(i); ++at)
    sum += energy.w[at->edge] * extent[at->edge].range;
  return sum;
}

}  // namespace

Trws::Trws(const Energy& energy, const EngineOptions& options, Control& control)
    : energy_(&energy), problem_{energy.graph, energy.labels, {}, {}, {}, {}, {}, {}} {
  describe(control);
  if (energy.labels == 1) return;
  const MessagePlan plan = plan_messages(load_, kFinestScale);
  scale_ = plan.scale;
  wide_ = plan.wide;
  require_memory(2 * find_backend(options.backend).bytes(energy.graph, energy.labels, plan.wide),
                 options, "message passing");
  messages_ = make_messages(problem_, plan, options, control);
  restore(control);
}

bool Trws::take(const Energy& energy, Control& control) {
  if (&energy.graph != &problem_.graph || energy.labels != problem_.labels) return false;
  if (perturbed_) messages_->restore();
  perturbed_ = false;
  energy_ = &energy;
  describe(control);
  if (!messages_) return true;
  const MessagePlan plan = plan_messages(load_, kFinestScale);
  if (plan.scale < scale_ || plan.wide != wide_ || !messages_->accepts(problem_)) return false;
  restore(control);
  return true;
}

void Trws::describe(Control& control) {
  const Energy& energy = *energy_;
  const Neighbourhood& graph = energy.graph;
  const std::int32_t n = graph.nodes(), labels = energy.labels;
  const PerEdge<Extent> extent = extents(energy);
  // g and the costs of every variable are shifted to start from zero, which leaves more bits to
  // the scale. What is taken off is added to the bound as a constant.
  problem_.tables.clear();
  for (Table g : energy.g.kinds()) {
    const std::int64_t least = g.least();
    for (int d = -(labels - 1); d < labels; ++d) g.at(d) -= least;
    problem_.tables.push_back(ConvexTable::of_any(std::move(g)));
  }
  if (energy.g.index()) problem_.table_of_edge = *energy.g.index();
  problem_.weight.assign(energy.w, energy.w + graph.edges());
  problem_.low.assign(static_cast<std::size_t>(n), 0);
  problem_.high.assign(static_cast<std::size_t>(n), labels - 1);
  KernelLoad load{1, 0, 0, 0, labels, 1, 0};
  constant_ = scaled_bound_ = 0;
  for (std::int64_t e = 0; e < graph.edges(); ++e) {
    constant_ += energy.w[e] * extent[e].least;
    load.message = load.cost = std::max(load.cost, energy.w[e] * extent[e].range);
    load.step = std::max(load.step, energy.w[e] * extent[e].steepest);
  }
  for (std::int32_t i = 0; i < n; ++i) {
    if ((i & 0xff) == 0) control.poll();
    const CostRow theta = energy.theta.row(i);
    const std::int64_t least = theta.least(labels), edges = reach(energy, extent, i);
    constant_ += least;
    const std::int64_t belief = edges + std::min(edges + 1, theta.most(labels) - least);
    load.belief = std::max(load.belief, belief);
    load.total += belief;
    load.chains = std::max<std::int64_t>(load.chains, graph.end(i) - graph.begin(i));
  }
  lower_bound_ = constant_;
  largest_belief_ = load.belief;
  load_ = load;
}

// Costs are capped where a label can no longer be the best, whatever its edges cost: so that one
// huge cost does not take the bits of all others.
template <class Noise>
UnaryRows Trws::normal_costs(std::vector<std::int64_t>& row, Noise&& noise) const {
  row.resize(static_cast<std::size_t>(energy_->labels));
  return [this, &row, noise, extent = extents(*energy_)](std::int32_t i) {
    const CostRow theta = energy_->theta.row(i);
    const std::int64_t least = theta.least(energy_->labels);
    const std::int64_t edges = reach(*energy_, extent, i);
    const std::int64_t most = std::min(edges + 1, largest_belief_ - edges);
    theta.visit([&](auto* cost) {
      for (int l = 0; l < energy_->labels; ++l)
        row[static_cast<std::size_t>(l)] =
            std::min(std::int64_t{cost[l]} - least + noise(i, l), most);
    });
    return CostRow(row.data());
  };
}

template <class Noise>
void Trws::load(Control& control, Noise&& noise) {
  if (!messages_) return;
  std::vector<std::int64_t> row;
  messages_->load(problem_, normal_costs(row, noise), control);
}

void Trws::visit_costs(const std::function<void(std::int32_t, const std::int64_t*)>& visit,
                       Control& control) const {
  std::vector<std::int64_t> row;
  const UnaryRows costs = normal_costs(row, no_noise);
  for (std::int32_t i = 0; i < energy_->graph.nodes(); ++i) {
    if ((i & 0xff) == 0) control.poll();
    costs(i);
    visit(i, row.data());
  }
}

void Trws::raise_bound(std::int64_t scaled, std::int64_t energy) {
  scaled_bound_ = std::max(scaled_bound_, scaled);
  lower_bound_ = std::max(lower_bound_, energy);
}

void Trws::restore(Control& control) {
  load(control, no_noise);
  if (perturbed_) messages_->restore();
  perturbed_ = false;
  end_sweep(control);
}

void Trws::perturb(std::uint64_t seed, std::int64_t amplitude, int block, Control& control) {
  if (!messages_) return;
  if (!perturbed_) messages_->snapshot();
  // Every seed shifts the blocks, so that their borders lie elsewhere.
  Random random(seed);
  const auto size = static_cast<std::uint64_t>(block);
  const std::uint64_t down = random.below(size), right = random.below(size);
  const std::uint64_t row = static_cast<std::uint64_t>(energy_->graph.topology().width);
  // Without rows a block is block^2 variables that follow each other.
  const bool has_rows = energy_->graph.has_rows();
  const std::uint64_t columns = (row + size - 1) / size + 1;
  const std::uint64_t first = random.next();
  load(control, [&](std::int32_t i, int l) {
    const auto rank = static_cast<std::uint64_t>(energy_->graph.rank(i));
    const std::uint64_t y = rank / row, x = rank % row;
    const std::uint64_t place =
        has_rows ? (y + down) / size * columns + (x + right) / size : (rank + right) / size / size;
    Random noise(first + place * static_cast<std::uint64_t>(energy_->labels) +
                 static_cast<std::uint64_t>(l));
    return static_cast<std::int64_t>(noise.below(static_cast<std::uint64_t>(amplitude) + 1));
  });
  perturbed_ = true;
}

double Trws::exact_bound() const {
  return static_cast<double>(constant_) +
         (scale_ > 0 ? static_cast<double>(scaled_bound_) / static_cast<double>(scale_) : 0.0);
}

void Trws::sweep(bool forward, Control& control) {
  if (!messages_) return;
  const std::int64_t bound = messages_->sweep(forward, nullptr, control);
  if (!perturbed_) raise_bound(bound, constant_ + round_up(bound, scale_));
}

void Trws::sweep(Control& control) {
  if (!has_begun_) sweep(true, control);
  has_begun_ = false;
  sweep(false, control);
}

void Trws::end_sweep(Control& control) {
  if (has_begun_) sweep(control);
}

void Trws::sweep_near_new_costs(double enough, Control& control) {
  sweep(true, control);
  std::vector<std::int32_t> nodes = near_new_costs();
  if (!nodes.empty() && wide_)
    sweep_part<std::int64_t>(std::move(nodes), enough, control);
  else if (!nodes.empty())
    sweep_part<std::int32_t>(std::move(nodes), enough, control);
  sweep(false, control);
}

std::vector<std::int32_t> Trws::near_new_costs() const {
  std::vector<std::int32_t> changed;
  for (std::int32_t i = 0; messages_ && i < problem_.graph.nodes(); ++i)
    if (messages_->was_changed(i)) changed.push_back(i);
  const auto count = static_cast<std::int64_t>(changed.size());
  for (int reach = kReachOfNewCosts; count > 0 && reach >= kLeastReach; reach /= 2) {
    std::vector<std::int32_t> near = reach_from(problem_, changed, reach);
    if (is_worth_it(static_cast<std::int64_t>(near.size()), count, problem_.graph.nodes()))
      return near;
  }
  return {};
}

template <class Value>
void Trws::sweep_part(std::vector<std::int32_t> nodes, double enough, Control& control) {
  const Neighbourhood& graph = problem_.graph;
  std::vector<std::uint8_t> in_part(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<std::int32_t> place(in_part.size());
  std::sort(nodes.begin(), nodes.end(),
            [&](std::int32_t i, std::int32_t j) { return graph.rank(i) < graph.rank(j); });
  for (const std::int32_t i : nodes) in_part[i] = 1;
  PartNodes of{std::move(nodes)};
  if (fits_wavefront(problem_)) of.lay_out_by_rows<Value>(problem_);
  for (std::size_t k = 0; k < of.nodes.size(); ++k)
    if (of.nodes[k] >= 0) place[of.nodes[k]] = static_cast<std::int32_t>(k);
  std::vector<std::int64_t> row;
  const UnaryRows unary = normal_costs(row, no_noise);
  MessagePart<Value> part({problem_, unary, scale_, static_cast<MessagesOf<Value>&>(*messages_),
                           in_part.data(), place.data()},
                          of, control);
  if (!part.messages()) return;
  std::int64_t bound = 0;
  for (int k = 0; k < kMostPartSweeps; ++k) {
    const std::int64_t last = bound;
    part.messages()->sweep(false, nullptr, control);
    bound = part.messages()->sweep(true, nullptr, control);
    if (k > 0 && static_cast<double>(bound - last) <= enough * static_cast<double>(scale_)) break;
  }
  part.write_back();
}

double Trws::certified_bound(const TrueCosts& costs, double scale, Control& control) {
  if (!messages_) return -std::numeric_limits<double>::infinity();
  if (perturbed_) restore(control);
  const double unit = 1 / (static_cast<double>(scale_) * scale);
  return rangemoves::certified_bound(energy_->graph, energy_->labels, *messages_, has_begun_, unit,
                                     costs, control);
}

// A forward sweep in doubles that changes no messages. In the order of the sweep every variable
// adds up its costs, the messages from later neighbours, and what its earlier ones send it: the
// message that their share of a belief, less the message back, makes of the edge.
std::vector<double> Trws::beliefs(Control& control) {
  if (perturbed_) restore(control);
  end_sweep(control);
  const Neighbourhood& graph = problem_.graph;
  const int labels = problem_.labels;
  std::vector<double> all(static_cast<std::size_t>(graph.nodes()) *
                          static_cast<std::size_t>(labels));
  std::vector<double> share(static_cast<std::size_t>(graph.nodes()));
  std::vector<double> message(static_cast<std::size_t>(labels)), sent(message);
  const auto row = [&](std::int32_t i) { return all.data() + std::int64_t{i} * labels; };
  for (std::int32_t r = 0; r < graph.nodes(); ++r) {
    if ((r & 0xf) == 0) control.poll();
    const std::int32_t i = graph.at_rank(r);
    double* mine = row(i);
    for (int l = 0; l < labels; ++l) mine[l] = static_cast<double>(energy_->theta(i, l));
    std::int64_t before = 0;
    for (const Incidence* at = graph.begin(i); at != graph.end(i) && messages_; ++at) {
      messages_->read(at->edge, message.data());
      for (double& m : message) m /= static_cast<double>(scale_);
      if (graph.rank(at->other) < r) {
        ++before;
        const double* theirs = row(at->other);
        const double part = share[static_cast<std::size_t>(at->other)];
        for (std::size_t k = 0; k < message.size(); ++k) message[k] = part * theirs[k] - message[k];
        min_convolution(problem_.table(at->edge), energy_->w[at->edge], at->is_tail, message.data(),
                        sent.data());
        message.swap(sent);
      }
      for (int l = 0; l < labels; ++l) mine[l] += message[static_cast<std::size_t>(l)];
    }
    const double least = *std::min_element(mine, mine + labels);
    for (int l = 0; l < labels; ++l) mine[l] -= least;
    // As in a sweep: a belief is shared among the chains through a variable. In a forest there is
    // one.
    const std::int64_t after = graph.end(i) - graph.begin(i) - before;
    const bool whole = graph.topology().is_forest();
    share[static_cast<std::size_t>(i)] =
        whole ? 1.0 : 1 / static_cast<double>(std::max({std::int64_t{1}, before, after}));
  }
  return all;
}

// A label whose cost was capped costs more than the edges of its variable ever can, and is never
// the best one while messages are what a sweep makes them: at least 0 and at most what their edge
// can cost. So the sum of capped costs is that of the true ones.
Trws::Decoded Trws::decode(Control& control) {
  Labelling x(static_cast<std::size_t>(problem_.graph.nodes()), 0);
  if (!messages_ || perturbed_) {
    if (messages_) messages_->decode(problem_, x, control);
    const std::int64_t energy = (*energy_)(x);
    return {std::move(x), energy};
  }
  const std::int64_t cost = messages_->decode(problem_, x, control);
  return {std::move(x), constant_ + cost / scale_};
}

Trws::Decoded Trws::decode_and_begin_sweep(Control& control) {
  if (!messages_ || perturbed_) return decode(control);
  Labelling x(static_cast<std::size_t>(problem_.graph.nodes()), 0);
  std::optional<std::int64_t> bound;
  const std::int64_t cost = messages_->decode_and_sweep(problem_, x, bound, control);
  has_begun_ = bound.has_value();
  if (bound) raise_bound(*bound, constant_ + round_up(*bound, scale_));
  return {std::move(x), constant_ + cost / scale_};
}

}  // namespace rangemoves
