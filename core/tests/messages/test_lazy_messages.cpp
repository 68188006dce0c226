// Lazy sweeps against the same sweeps written label by label, for every instruction set this
// machine has and both types of messages; bounds against enumeration, whatever the messages are.
#include "rangemoves/messages/lazy_messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "check.hpp"
#include "rangemoves/messages/backend.hpp"
#include "small_problems.hpp"

using namespace rangemoves;

namespace {

using oracles::kNothing;
using oracles::SmallEdge;
using oracles::SmallProblem;
using Message = std::vector<std::int64_t>;

// Every node in order: those that are marked gather all that is sent to them, divide it among the
// chains that run through them, and send on what their share less the message back makes of an
// edge.
class PlainSweeps {
 public:
  explicit PlainSweeps(const SmallProblem& problem)
      : problem_(problem),
        before_(static_cast<std::size_t>(problem.nodes)),
        after_(before_),
        messages_{std::vector<Message>(problem.edges.size(),
                                       Message(static_cast<std::size_t>(problem.labels), 0)),
                  {}},
        marks_{std::vector<bool>(static_cast<std::size_t>(problem.nodes), false), {}} {
    messages_[1] = messages_[0];
    marks_[1] = marks_[0];
    for (std::size_t e = 0; e < problem.edges.size(); ++e) {
      after_[problem.edges[e].earlier()].push_back(e);
      before_[problem.edges[e].later()].push_back(e);
    }
    for (std::int32_t i = 0; i < problem.nodes; ++i)
      for (auto* side : {&before_[i], &after_[i]})
        std::stable_sort(side->begin(), side->end(), [&](std::size_t a, std::size_t b) {
          return other_end(a, i) < other_end(b, i);
        });
  }

  Message& message(std::size_t edge, bool to_later) { return messages_[to_later][edge]; }
  void mark(std::int32_t i) { marks_[0][i] = marks_[1][i] = true; }

  std::int64_t sweep(bool forward, std::int64_t eps) {
    std::int64_t visits = 0;
    for (std::int32_t step = 0; step < problem_.nodes; ++step) {
      const std::int32_t i = forward ? step : problem_.nodes - 1 - step;
      if (!marks_[forward][i]) continue;
      marks_[forward][i] = false;
      ++visits;
      visit(i, forward, eps);
    }
    return visits;
  }

  // kNothing where the label is left out.
  Message belief(std::int32_t i) const {
    Message theta;
    for (int l = 0; l < problem_.labels; ++l) {
      theta.push_back(problem_.has(i, l) ? problem_.unary[problem_.place(i, l)] : kNothing);
      if (!problem_.has(i, l)) continue;
      for (const std::size_t e : before_[i]) theta.back() += messages_[1][e][l];
      for (const std::size_t e : after_[i]) theta.back() += messages_[0][e][l];
    }
    return theta;
  }

  Labelling decode(bool forward) const {
    Labelling x(static_cast<std::size_t>(problem_.nodes), 0);
    for (std::int32_t step = 0; step < problem_.nodes; ++step) {
      const std::int32_t i = forward ? step : problem_.nodes - 1 - step;
      std::int64_t least = kNothing;
      for (int l = problem_.labels - 1; l >= 0; --l) {
        if (!problem_.has(i, l)) continue;
        std::int64_t cost = problem_.unary[problem_.place(i, l)];
        for (const std::size_t e : before_[i])
          cost += forward ? problem_.ordered_cost(problem_.edges[e], x[other_end(e, i)], l)
                          : messages_[1][e][l];
        for (const std::size_t e : after_[i])
          cost += forward ? messages_[0][e][l]
                          : problem_.ordered_cost(problem_.edges[e], l, x[other_end(e, i)]);
        if (cost > least) continue;
        least = cost;
        x[i] = l;
      }
    }
    return x;
  }

 private:
  const SmallProblem& problem_;
  std::vector<std::vector<std::size_t>> before_, after_;  // edges of a node, by the other end
  std::vector<Message> messages_[2];                      // to earlier nodes, to later ones
  std::vector<bool> marks_[2];                            // for backward sweeps, for forward ones

  std::int32_t other_end(std::size_t e, std::int32_t i) const {
    const SmallEdge& edge = problem_.edges[e];
    return edge.tail == i ? edge.head : edge.tail;
  }

  void visit(std::int32_t i, bool forward, std::int64_t eps) {
    const Message theta = belief(i);
    const std::vector<std::size_t>& outgoing = forward ? after_[i] : before_[i];
    const auto chains =
        static_cast<std::int64_t>(std::max({std::size_t{1}, before_[i].size(), after_[i].size()}));
    const std::int64_t from = chains > 2 ? *std::min_element(theta.begin(), theta.end()) : 0;
    Message rest = theta;
    for (std::size_t k = 0; k < outgoing.size(); ++k) {
      Message given(theta.size(), kNothing);
      for (int l = 0; l < problem_.labels; ++l) {
        if (!problem_.has(i, l)) continue;
        // Rounded down: a belief can be negative where it is not counted from the least.
        const std::int64_t above = theta[l] - from;
        std::int64_t mine = above / chains - (above % chains < 0);
        if (static_cast<std::int64_t>(k) == chains - 1) mine = rest[l];
        rest[l] -= mine;
        given[l] = mine - messages_[!forward][outgoing[k]][l];
      }
      if (replace(outgoing[k], forward, given) > eps) mark(other_end(outgoing[k], i));
    }
  }

  // Returns by how much the message moved.
  std::int64_t replace(std::size_t e, bool to_later, const Message& given) {
    const std::int64_t least = *std::min_element(given.begin(), given.end());
    std::int64_t moved = 0;
    for (int b = 0; b < problem_.labels; ++b) {
      std::int64_t fresh = kNothing;
      for (int a = 0; a < problem_.labels; ++a) {
        if (given[a] == kNothing) continue;
        const std::int64_t cost = to_later ? problem_.ordered_cost(problem_.edges[e], a, b)
                                           : problem_.ordered_cost(problem_.edges[e], b, a);
        fresh = std::min(fresh, given[a] + cost - least);
      }
      moved = std::max(moved, std::abs(fresh - messages_[to_later][e][b]));
      messages_[to_later][e][b] = fresh;
    }
    return moved;
  }
};

template <class Value>
bool same_messages(PlainSweeps& plain, const LazyMessages<Value>& lazy) {
  const std::vector<std::int64_t> places = oracles::places_of(lazy);
  for (std::size_t e = 0; e < places.size(); ++e)
    for (const bool to_later : {false, true}) {
      const Value* message = lazy.message(places[e], to_later);
      if (!std::equal(message, message + lazy.labels(), plain.message(e, to_later).begin()))
        return false;
      for (int l = lazy.labels(); l < lazy.stride(); ++l)
        if (message[l] != 0) return false;
    }
  return true;
}

template <class Value>
void same_as_label_by_label(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem =
      oracles::any_small_problem(random, {20, seed % 5 == 0 ? 40 : 9, seed % 3 == 0});
  const auto lazy = problem.messages<Value>();
  PlainSweeps plain(problem);
  if (seed % 2 == 0) {
    oracles::scatter_messages(random, *lazy, 300);
    const std::vector<std::int64_t> places = oracles::places_of(*lazy);
    for (std::size_t e = 0; e < places.size(); ++e)
      for (const bool to_later : {false, true})
        std::copy_n(lazy->message(places[e], to_later), lazy->labels(),
                    plain.message(e, to_later).begin());
  }
  for (int k = 0; k < 12; ++k) {
    const std::int32_t marked = oracles::between(random, 0, problem.nodes);
    if (k % 4 == 0) lazy->mark_all();
    if (k % 4 == 0)
      for (std::int32_t i = 0; i < problem.nodes; ++i) plain.mark(i);
    if (marked < problem.nodes) lazy->mark(marked), plain.mark(marked);
    const std::int64_t eps = oracles::between(random, -1, 30);
    const bool forward = random.below(2) == 0;
    expect(lazy->sweep(forward, eps, nullptr, nullptr) == plain.sweep(forward, eps),
           "visits those whose messages have moved, and no others", seed);
    expect(same_messages(plain, *lazy), "messages label by label", seed);
  }
  for (const bool forward : {true, false})
    expect(lazy->decode(forward) == plain.decode(forward), "a labelling label by label", seed);
  std::vector<std::int64_t> belief(static_cast<std::size_t>(problem.labels));
  for (std::int32_t i = 0; i < problem.nodes; ++i) {
    lazy->collect(i, belief.data());
    for (int l = 0; l < problem.labels; ++l)
      expect(!problem.has(i, l) || belief[l] == plain.belief(i)[l], "a belief", seed);
  }
}

template <class Value>
void bounds_by_definition(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {7, 4, seed % 2 == 0});
  const auto lazy = problem.messages<Value>();
  const std::int64_t optimum = problem.optimum();
  std::int64_t before = -kNothing;
  for (int k = 0; k < 6; ++k) {
    if (k < 2) oracles::scatter_messages(random, *lazy, 400);
    if (k >= 2) oracles::sweep_fully(*lazy, 1);
    const std::int64_t bound = lazy->bound();
    expect(bound == oracles::plain_beliefs(problem, *lazy).bound(), "a bound by definition", seed);
    expect(bound <= optimum, "no labelling costs less than the bound", seed);
    if (k >= 3) expect(bound >= before, "full sweeps never lower a bound", seed);
    before = bound;
  }
}

// A message of one edge and what is feasible beside it.
template <class Value>
void largest_feasible(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {4, 20, seed % 2 == 0});
  const auto lazy = problem.messages<Value>();
  oracles::scatter_messages(random, *lazy, 400);
  AlignedArray<Value> room = lazy->make_room(), out(static_cast<std::size_t>(lazy->stride()));
  for (std::size_t e = 0; e < lazy->graph().edges.size(); ++e) {
    const auto place = static_cast<std::int64_t>(e);
    const OrderedEdge& ordered = lazy->graph().edges[e];
    const SmallEdge& edge = problem.edges[static_cast<std::size_t>(ordered.origin)];
    for (const bool to_later : {false, true}) {
      const Value* given = lazy->message(place, to_later);
      lazy->imply(place, to_later, given, out.data(), room.data());
      for (int b = 0; b < problem.labels; ++b) {
        std::int64_t least = kNothing;
        for (int a = 0; a < problem.labels; ++a) {
          const std::int64_t cost =
              to_later ? problem.ordered_cost(edge, b, a) : problem.ordered_cost(edge, a, b);
          expect(lazy->cost(ordered, to_later ? b : a, to_later ? a : b) == cost,
                 "what an edge costs", seed);
          if (problem.has(to_later ? edge.later() : edge.earlier(), a))
            least = std::min(least, cost - given[a]);
        }
        expect(out[b] == least, "the largest message that is feasible beside another", seed);
      }
    }
  }
}

// On a chain sweeps there and back are dynamic programming: the bound is the optimum.
template <class Value>
void exact_on_chains(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::small_problem(
      random, oracles::kChain, {oracles::between(random, 1, 7), 4, seed % 2 == 0});
  const auto lazy = problem.messages<Value>();
  oracles::sweep_fully(*lazy, 1);
  expect(lazy->bound() == problem.optimum(), "exact on chains", seed);
  expect(problem.value(lazy->decode(true)) == problem.optimum(), "and so is its labelling", seed);
}

void copies(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::any_small_problem(random, {6, 5});
  const auto lazy = problem.messages<std::int64_t>();
  oracles::scatter_messages(random, *lazy, 100);
  const std::vector<std::int64_t> all = lazy->copy_messages(), some = lazy->messages_to_earlier();
  expect(some.size() == problem.edges.size() * static_cast<std::size_t>(problem.labels),
         "a message per edge, without padding", seed);
  for (std::size_t e = 0; e < problem.edges.size(); ++e)
    expect(std::equal(some.begin() + static_cast<std::ptrdiff_t>(e) * problem.labels,
                      some.begin() + static_cast<std::ptrdiff_t>(e + 1) * problem.labels,
                      lazy->message(static_cast<std::int64_t>(e), false)),
           "those to earlier nodes, edge by edge", seed);
  const std::int64_t bound = lazy->bound();
  oracles::scatter_messages(random, *lazy, 100);
  lazy->set_messages(all);
  expect(lazy->copy_messages() == all && lazy->bound() == bound, "back to a copy", seed);
}

// The edges of a problem whose nodes are not in the order of sweeps, some of them switched off; and
// on it the messages of other code.
template <class Value>
void same_as_full_sweeps(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Control control;
  constexpr std::int64_t scale = 16;
  const bool is_grid = seed % 2 == 0;
  const int nodes = oracles::between(random, 5, 30);
  const Neighbourhood graph = is_grid ? oracles::grid(oracles::between(random, 2, 6), 5)
                                      : oracles::random_graph(random, nodes, 3 * nodes);
  const ConvexProblem problem =
      oracles::random_problem(random, graph, oracles::between(random, 2, 12), {seed % 3 == 0});
  LazyMessages<Value> lazy(ordered_graph(problem, scale, control), problem.tables, problem.labels,
                           1, &control);
  for (std::int32_t i = 0; i < graph.nodes(); ++i)
    for (int l = 0; l < problem.labels; ++l)
      lazy.unary(graph.rank(i))[l] = static_cast<Value>(problem.unary(i, l) * scale);
  if (graph.topology().is_forest()) return;  // full sweeps share beliefs otherwise there
  const auto full = find_backend("cpu").make<Value>(problem, scale, 1, control);
  full->load(problem, control);
  std::vector<double> message(static_cast<std::size_t>(problem.labels));
  for (int k = 0; k < 4; ++k)
    for (const bool forward : {true, false}) {
      const std::int64_t bound = full->sweep(forward, nullptr, control);
      lazy.mark_all();
      lazy.sweep(forward, 0, nullptr, nullptr);
      std::int64_t costly = 0;
      for (const std::int32_t w : problem.weight) costly += w > 0;
      expect(static_cast<std::int64_t>(lazy.graph().edges.size()) == costly,
             "edges that cost something", seed);
      for (std::size_t e = 0; e < lazy.graph().edges.size(); ++e) {
        full->read(lazy.graph().edges[e].origin, message.data());
        const Value* mine = lazy.message(static_cast<std::int64_t>(e), forward);
        expect(std::equal(message.begin(), message.end(), mine), "messages of full sweeps", seed);
      }
      if (!forward) expect(lazy.bound() >= bound, "their bound, or a better one", seed);
    }
}

// Sleeping nodes are passed over eight at a time: each alone among them must be found.
template <class Value>
void one_awake(std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const SmallProblem problem = oracles::small_problem(random, oracles::kChain, {37, 3});
  const auto lazy = problem.messages<Value>();
  oracles::sweep_fully(*lazy, 2);
  for (const bool forward : {true, false}) lazy->sweep(forward, 1 << 20, nullptr, nullptr);
  for (const bool forward : {true, false})
    for (std::int32_t i = 0; i < problem.nodes; ++i) {
      lazy->mark(i);
      expect(lazy->sweep(forward, 1 << 20, nullptr, nullptr) == 1, "finds the one awake", seed);
      expect(lazy->sweep(!forward, 1 << 20, nullptr, nullptr) == 1, "in both directions", seed);
      expect(lazy->sweep(forward, 1 << 20, nullptr, nullptr) == 0, "and lets it sleep", seed);
    }
}

// What several threads leave behind, with few and with all nodes awake.
template <class Value>
std::vector<std::int64_t> trail(const ConvexProblem& problem, int threads) {
  Control control;
  const NodeRows rows(problem.graph, threads, control);
  expect(threads == 1 || rows.threads() > 1, "enough to do for several threads");
  LazyMessages<Value> lazy(ordered_graph(problem, 64, control), problem.tables, problem.labels,
                           rows.threads(), &control);
  for (std::int32_t i = 0; i < problem.graph.nodes(); ++i)
    for (int l = 0; l < problem.labels; ++l)
      lazy.unary(problem.graph.rank(i))[l] = static_cast<Value>(problem.unary(i, l) * 64);
  lazy.mark_all();
  std::vector<std::int64_t> all;
  for (int k = 0; k < 6; ++k)
    for (const bool forward : {true, false})
      all.push_back(lazy.sweep(forward, 200 >> k, &rows, &control));
  for (std::size_t e = 0; e < lazy.graph().edges.size(); ++e)
    for (const bool to_later : {false, true}) {
      const Value* message = lazy.message(static_cast<std::int64_t>(e), to_later);
      all.insert(all.end(), message, message + problem.labels);
    }
  return all;
}

// A grid, or one in disorder, some of whose edges are there twice.
Neighbourhood large_graph(Random& random, bool is_grid) {
  if (is_grid) return oracles::grid(60, 250);
  const Neighbourhood graph = oracles::grid(150, 90);
  std::vector<std::int32_t> number, tail, head;
  for (std::int32_t i = 0; i < graph.nodes(); ++i) number.push_back(i);
  random.shuffle(number);
  for (std::int64_t e = 0; e < graph.edges(); ++e)
    for (int times = e % 50 == 0 ? 2 : 1; times > 0; --times) {
      tail.push_back(number[graph.tail(e)]);
      head.push_back(number[graph.head(e)]);
    }
  return Neighbourhood(graph.nodes(), tail, head, 0);
}

template <class Value>
void threads_do_not_matter(bool is_grid) {
  Random random(5);
  const Neighbourhood graph = large_graph(random, is_grid);
  const ConvexProblem problem = oracles::random_problem(random, graph, 6, {true});
  const std::vector<std::int64_t> alone = trail<Value>(problem, 1);
  for (const int threads : {2, 3})
    expect(trail<Value>(problem, threads) == alone, "any number of threads");
}

template <class Value>
void all_of_type(std::int64_t first) {
  for (std::int64_t seed = first; seed < first + 500; ++seed) {
    same_as_label_by_label<Value>(seed);
    bounds_by_definition<Value>(seed);
    largest_feasible<Value>(seed);
  }
  for (std::int64_t seed = first; seed < first + 100; ++seed) {
    exact_on_chains<Value>(seed);
    same_as_full_sweeps<Value>(seed);
  }
  one_awake<Value>(first);
}

}  // namespace

int main() {
  std::int64_t first = 0;
  for (const Level* const* level = available_levels(); *level; ++level, first += 1000) {
    choose_level(**level);
    all_of_type<std::int32_t>(first);
    all_of_type<std::int64_t>(first + 500);
  }
  choose_best_level();
  for (std::int64_t seed = 0; seed < 100; ++seed) copies(seed);
  for (const bool is_grid : {true, false}) {
    threads_do_not_matter<std::int32_t>(is_grid);
    threads_do_not_matter<std::int64_t>(is_grid);
  }
}
