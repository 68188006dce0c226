#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "convert.hpp"
#include "interruption.hpp"
#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/moves/memory_estimate.hpp"
#include "rangemoves/moves/methods.hpp"
#include "rangemoves/problem/limits.hpp"
#include "register.hpp"

using namespace rangemoves;

namespace {

nb::dict to_dict(const Record& record) {
  nb::dict d;
  d["iteration"] = record.iteration;
  d["seconds"] = record.seconds;
  d["energy"] = record.energy;
  d["huber_energy"] = record.huber_energy;
  d["surrogate_energy"] = record.surrogate_energy;
  d["changed"] = record.changed;
  d["active"] = record.active;
  d["lower_bound"] = record.lower_bound ? nb::cast(*record.lower_bound) : nb::none();
  d["proven"] = record.proven;
  d["step"] = record.step;
  return d;
}

// Calls the caller's callback; true: it asks to stop. Its second argument is a function that
// returns a copy of the labels. Called after the callback has ended it returns None, since the run
// changes the labels from then on.
bool ask(const nb::object& on_iteration, const Record& record) {
  const auto labels = std::make_shared<const Labelling*>(record.labels);
  struct AtTheEnd {
    const Labelling*& pointer;
    ~AtTheEnd() { pointer = nullptr; }  // whether the callback returns or raises
  } at_the_end{*labels};
  const nb::object look = nb::cpp_function(
      [labels]() -> nb::object { return *labels ? view_of(**labels) : nb::none(); });
  return nb::cast<bool>(on_iteration(to_dict(record), look));
}

void read_options(const nb::dict& options, Settings& settings) {
  for (auto [key, value] : options) {
    const std::string name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::bool_>(value))
      settings.set(name, std::int64_t{nb::cast<bool>(value)});
    else if (nb::isinstance<nb::str>(value))
      settings.set(name, nb::cast<std::string>(value));
    else
      settings.set(name, nb::cast<std::int64_t>(value));
  }
}

// Edges of weight zero cost nothing, whatever they join: no method needs to see them.
struct Edges {
  // Often enough for limits of time: so many edges are copied in a few milliseconds.
  static constexpr std::size_t kEdgesPerPoll = 1 << 20;
  std::vector<std::int32_t> tail, head, weight;
  Edges(const Array1<std::int32_t>& tails, const Array1<std::int32_t>& heads,
        const Array1<std::int32_t>& weights, Control& control) {
    for (std::vector<std::int32_t>* list : {&tail, &head, &weight}) list->reserve(weights.size());
    const std::size_t edges = weights.size();
    for (std::size_t first = 0; first < edges; first += kEdgesPerPoll) {
      if (first > 0) control.poll();
      add(tails.data(), heads.data(), weights.data(), first,
          std::min(edges, first + kEdgesPerPoll));
    }
  }

 private:
  void add(const std::int32_t* tails, const std::int32_t* heads, const std::int32_t* weights,
           std::size_t first, std::size_t last) {
    // Mostly none is left out.
    if (std::find(weights + first, weights + last, 0) == weights + last) {
      tail.insert(tail.end(), tails + first, tails + last);
      head.insert(head.end(), heads + first, heads + last);
      weight.insert(weight.end(), weights + first, weights + last);
      return;
    }
    for (std::size_t e = first; e < last; ++e) {
      if (weights[e] == 0) continue;
      tail.push_back(tails[e]);
      head.push_back(heads[e]);
      weight.push_back(weights[e]);
    }
  }
};

// Drops the values of edges whose weight is zero, as Edges drops the edges.
template <class Value>
void leave_out_free_edges(std::vector<Value>& values, const Array1<std::int32_t>& weights) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < weights.size(); ++e)
    if (weights.data()[e] != 0) values[kept++] = values[e];
  values.resize(kept);
}

// Which table each edge has that is not left out; null where `index` is empty, which says that all
// edges have the first table.
PerEdge<Table>::Index to_index(const Array1<std::int32_t>& index,
                               const Array1<std::int32_t>& weights) {
  if (index.size() == 0) return nullptr;
  std::vector<std::int32_t> kept = to_vector(index);
  leave_out_free_edges(kept, weights);
  return std::make_shared<const std::vector<std::int32_t>>(std::move(kept));
}

// Read from a tuple (tables, index, centres, slopes, ranges): a row of values for every table;
// which table each edge has; the difference in the middle of each table; the slopes with which its
// Huber function continues to the left and to the right; and how far its prior is convex on either
// side.
struct GivenPriors {
  PerEdge<Table> g;
  std::vector<HuberSlopes> slopes;
  std::vector<PriorRange> ranges;

  // The tables alone, where no edges are given.
  explicit GivenPriors(const nb::tuple& priors) : GivenPriors(priors, PerEdge<Table>::Index{}) {}
  GivenPriors(const nb::tuple& priors, const Array1<std::int32_t>& weights)
      : GivenPriors(priors, to_index(nb::cast<Array1<std::int32_t>>(priors[1]), weights)) {}

 private:
  GivenPriors(const nb::tuple& priors, PerEdge<Table>::Index index) {
    const auto values = nb::cast<Array2<std::int64_t>>(priors[0]);
    const auto centres = nb::cast<Array1<std::int32_t>>(priors[2]);
    const auto both = nb::cast<Array2<std::int64_t>>(priors[3]);
    const auto convex = nb::cast<Array2<std::int32_t>>(priors[4]);
    std::vector<Table> tables;
    for (std::size_t k = 0; k < values.shape(0); ++k) {
      const std::int64_t* row = values.data() + k * values.shape(1);
      tables.emplace_back(std::vector<std::int64_t>(row, row + values.shape(1)), centres.data()[k]);
      slopes.push_back({both.data()[2 * k], both.data()[2 * k + 1]});
      ranges.push_back({convex.data()[2 * k], convex.data()[2 * k + 1]});
    }
    g = {std::move(tables), std::move(index)};
  }
};

// The costs before rounding. given: None where nothing was rounded, or a tuple of
// unary(first, last), which returns those rows as float64, and weights, tables, index of tables.
std::shared_ptr<TrueCosts> read_true_costs(const nb::object& given, std::size_t labels,
                                           const Array1<std::int32_t>& weights,
                                           Interruption& interruption) {
  if (given.is_none()) return nullptr;
  auto costs = std::make_shared<TrueCosts>();
  const nb::object unary = given[0];
  costs->unary = [unary, labels, &interruption](std::int32_t first, std::int32_t last, double* to) {
    interruption.call([&] {
      const auto rows = nb::cast<Array2<double>>(unary(first, last));
      if (rows.shape(0) != static_cast<std::size_t>(last - first) || rows.shape(1) != labels)
        throw std::logic_error("true costs must come in as many rows as were asked for");
      std::copy(rows.data(), rows.data() + rows.size(), to);
    });
  };
  costs->weights = to_vector(nb::cast<Array1<double>>(given[1]));
  leave_out_free_edges(costs->weights, weights);
  const auto tables = nb::cast<Array2<double>>(given[2]);
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < tables.shape(0); ++k)
    rows.emplace_back(tables.data() + k * tables.shape(1),
                      tables.data() + (k + 1) * tables.shape(1));
  costs->g = {std::move(rows), to_index(nb::cast<Array1<std::int32_t>>(given[3]), weights)};
  return costs;
}

// What one run leaves for the next: the graph and the workspace of the methods. Both are made anew
// when the edges or the settings of the engine differ from those of the last run.
struct KeptRun {
  std::unique_ptr<Neighbourhood> graph;
  Workspace workspace;
  EngineOptions options;

  const Neighbourhood& graph_of(std::int32_t nodes, Edges& edges, std::int32_t row,
                                const EngineOptions& asked, Control& control) {
    if (graph && graph->nodes() == nodes && has(edges) && asked == options) return *graph;
    workspace = {};
    graph.reset();
    options = asked;
    graph = std::make_unique<Neighbourhood>(nodes, std::move(edges.tail), std::move(edges.head),
                                            row, &control);
    return *graph;
  }

 private:
  bool has(const Edges& edges) const {
    if (graph->edges() != static_cast<std::int64_t>(edges.tail.size())) return false;
    for (std::int64_t e = 0; e < graph->edges(); ++e)
      if (graph->tail(e) != edges.tail[static_cast<std::size_t>(e)] ||
          graph->head(e) != edges.head[static_cast<std::size_t>(e)])
        return false;
    return true;
  }
};

// The arrays of a problem, as Python gave them.
struct GivenProblem {
  std::int32_t nodes;
  int num_labels;
  CostView unary;
  const Array1<std::int32_t>&tail, &head, &weights;
  const Array1<std::int32_t>& labels;  // to start from
  const bool* mask;                    // the variables that take part; null: all
  std::int32_t row;  // pixels in a row of the grid; 0: the core finds out what the edges make
};

CallersNumbers read_numbers(double scale, double offset, std::int64_t tolerance,
                            std::shared_ptr<const TrueCosts> true_costs, const nb::object& evaluate,
                            Interruption& interruption) {
  CallersNumbers numbers;
  numbers.scale = scale;
  numbers.offset = offset;
  numbers.tolerance = tolerance;
  numbers.true_costs = std::move(true_costs);
  if (!evaluate.is_none())
    numbers.evaluate = [&evaluate, &interruption](const Labelling& x) {
      return interruption.call([&] { return nb::cast<double>(evaluate(view_of(x))); });
    };
  return numbers;
}

OnIteration read_callback(const nb::object& on_iteration, Interruption& interruption) {
  if (on_iteration.is_none()) return nullptr;
  return [&on_iteration, &interruption](const Record& record) {
    return interruption.call([&] { return ask(on_iteration, record); });
  };
}

// The run itself, without the GIL. Ended before its first iteration it returns the start.
RunResult run_method(const Method& method, const GivenProblem& problem, const PerEdge<Table>& g,
                     Settings settings, CallersNumbers numbers, OnIteration on_iteration,
                     KeptRun& kept, Control& control) {
  try {
    nb::gil_scoped_release release;
    Edges edges(problem.tail, problem.head, problem.weights, control);
    const Neighbourhood& graph =
        kept.graph_of(problem.nodes, edges, problem.row, settings.engine, control);
    Energy energy{graph, problem.num_labels, problem.unary, edges.weight.data(), g};
    energy.mask = problem.mask;
    MoveLoop loop(energy, to_vector(problem.labels), std::move(settings), std::move(numbers),
                  std::move(on_iteration), kept.workspace, control);
    return loop.run(method.run);
  } catch (const Stopped& stopped) {
    RunResult run;
    run.labels = to_vector(problem.labels);
    run.status = status_of(stopped.reason);
    return run;
  }
}

// Rows of `labels` numbers each.
nb::object to_rows(const std::vector<std::int64_t>& values, std::size_t labels) {
  return to_numpy(std::vector<std::int64_t>(values)).attr("reshape")(-1, labels);
}

nb::dict to_dict(const ProofStep& step, std::size_t labels) {
  nb::dict d;
  if (step.kind == ProofStep::Kind::split) {
    d["kind"] = "split";
    d["split"] = nb::make_tuple(step.variable, step.label);
    return d;
  }
  d["messages"] = to_rows(step.messages, labels);
  if (step.kind == ProofStep::Kind::tables) {
    d["kind"] = "tables";
    d["tables"] = to_numpy(std::vector<std::int32_t>(step.tables));
    d["rounds"] = step.rounds;
    d["above"] = step.above;
    return d;
  }
  d["kind"] = step.kind == ProofStep::Kind::leaf ? "leaf" : "eliminate";
  std::vector<std::int32_t> eliminated;
  for (const auto& [variable, label] : step.eliminated)
    eliminated.insert(eliminated.end(), {variable, label});
  d["eliminated"] = to_numpy(std::move(eliminated)).attr("reshape")(-1, 2);
  d["sent"] = to_rows(step.sent, labels);
  return d;
}

nb::dict to_dict(const Certificate& certificate, std::size_t labels) {
  nb::list islands;
  for (const IslandProof& island : certificate.islands) {
    nb::dict d;
    d["variables"] = to_numpy(std::vector<std::int32_t>(island.variables));
    d["edges"] = to_numpy(std::vector<std::int64_t>(island.edges));
    d["scale"] = island.scale;
    nb::list steps;
    for (const ProofStep& step : island.steps) steps.append(to_dict(step, labels));
    d["steps"] = steps;
    islands.append(d);
  }
  nb::dict d;
  d["rank"] = to_numpy(std::vector<std::int32_t>(certificate.rank));
  d["edges"] = to_numpy(std::vector<std::int64_t>(certificate.edges));
  d["messages"] = to_rows(certificate.messages, labels);
  d["scale"] = certificate.scale;
  d["islands"] = islands;
  return d;
}

// A column per field: a run of a minute can make millions of records, and objects for each of them
// would take seconds beyond its time limit.
nb::dict to_columns(const std::vector<Record>& trace) {
  nb::dict d;
  const auto put = [&](const char* name, auto&& value_of) {
    std::vector<std::decay_t<decltype(value_of(Record{}))>> column;
    column.reserve(trace.size());
    for (const Record& record : trace) column.push_back(value_of(record));
    d[name] = to_numpy(std::move(column));
  };
  std::map<std::string, std::int32_t> steps;
  put("iteration", [](const Record& r) { return r.iteration; });
  put("seconds", [](const Record& r) { return r.seconds; });
  put("energy", [](const Record& r) { return r.energy; });
  put("huber_energy", [](const Record& r) { return r.huber_energy; });
  put("surrogate_energy", [](const Record& r) { return r.surrogate_energy; });
  put("changed", [](const Record& r) { return r.changed; });
  put("active", [](const Record& r) { return r.active; });
  put("lower_bound", [](const Record& r) {
    return r.lower_bound.value_or(std::numeric_limits<double>::quiet_NaN());
  });
  put("proven", [](const Record& r) { return static_cast<std::uint8_t>(r.proven); });
  put("step", [&](const Record& r) {
    return steps.try_emplace(r.step, static_cast<std::int32_t>(steps.size())).first->second;
  });
  std::vector<std::string> names(steps.size());
  for (const auto& [name, number] : steps) names[static_cast<std::size_t>(number)] = name;
  d["steps"] = nb::cast(names);
  return d;
}

nb::dict to_dict(RunResult run, std::size_t labels) {
  nb::dict d;
  d["labels"] = to_numpy(std::move(run.labels));
  d["status"] = run.status;
  d["iterations"] = run.iterations;
  d["lower_bound"] = run.lower_bound ? nb::cast(*run.lower_bound) : nb::none();
  d["certified_bound"] = run.certified_bound ? nb::cast(*run.certified_bound) : nb::none();
  d["proven"] = run.proven ? nb::cast(*run.proven) : nb::none();
  d["beliefs"] = run.beliefs.empty() ? nb::none() : to_numpy(std::move(run.beliefs));
  d["certificate"] = nb::none();
  if (run.certificate) d["certificate"] = to_dict(*run.certificate, labels);
  d["start"] = nb::none();
  if (run.start) d["start"] = to_dict(*run.start);
  d["trace"] = to_columns(run.trace);
  d["stats"] = nb::cast(run.statistics);
  return d;
}

nb::dict minimize(const std::string& name, const AnyCosts& unary, const Array1<std::int32_t>& tail,
                  const Array1<std::int32_t>& head, const Array1<std::int32_t>& weights,
                  const nb::tuple& priors, const Array1<std::int32_t>& labels,
                  const nb::dict& options, std::int32_t row, double scale, double offset,
                  std::int64_t tolerance, int threads, std::uint64_t seed, std::int64_t max_iter,
                  double time_limit, std::int64_t max_memory, const nb::object& evaluate,
                  const nb::object& on_iteration, const nb::object& true_costs,
                  const nb::object& interrupted, KeptRun* kept,
                  const std::optional<Array1<bool>>& mask) {
  Interruption interruption(interrupted);
  Control control(interruption.check(), time_limit);
  const Method* method = find_method(name);
  if (!method) throw std::invalid_argument("no such method: " + name);
  const CostView costs = to_costs(unary);
  const char* simd = chosen_level().name;  // refuses a level this machine lacks before any work
  const GivenPriors given(priors, weights);
  Settings settings;
  read_options(options, settings);
  settings.huber_slopes = given.slopes;
  settings.prior_ranges = given.ranges;
  settings.engine.threads = threads;
  settings.engine.max_memory = max_memory;
  settings.max_iterations = max_iter;
  settings.seed = seed;
  settings.verify();
  // Holds Python objects, so it must be destroyed here, where the GIL is held.
  const std::shared_ptr<const TrueCosts> before_rounding =
      read_true_costs(true_costs, unary.shape(1), weights, interruption);

  KeptRun nothing_kept;
  RunResult run =
      run_method(*method,
                 {static_cast<std::int32_t>(unary.shape(0)), static_cast<int>(unary.shape(1)),
                  costs, tail, head, weights, labels, mask ? mask->data() : nullptr, row},
                 given.g, std::move(settings),
                 read_numbers(scale, offset, tolerance, before_rounding, evaluate, interruption),
                 read_callback(on_iteration, interruption), kept ? *kept : nothing_kept, control);
  if (interruption.must_raise()) interruption.raise();
  nb::dict result = to_dict(std::move(run), unary.shape(1));
  result["simd"] = simd;
  result["threads"] = threads;
  return result;
}

std::int64_t estimate(const std::string& method, const nb::tuple& priors, const nb::dict& options,
                      std::int64_t variables, std::int64_t edges, std::int32_t row,
                      std::int64_t largest_unary, std::int64_t largest_weight,
                      std::int64_t largest_degree, bool wide_costs, int threads,
                      double nodes_per_variable, double cells_per_edge, double joined,
                      bool cuts_whole) {
  Settings settings;
  read_options(options, settings);
  settings.engine.threads = threads;
  return estimate_memory({variables, edges, row, largest_unary, largest_weight, largest_degree,
                          wide_costs, nodes_per_variable, cells_per_edge, joined, cuts_whole},
                         GivenPriors(priors).g, method, settings);
}

// The sum of the weights of each variable's edges. Tails and heads are summed separately and then
// added: the order of additions decides the last bits, and with them how costs are rounded.
template <class Weight>
nb::object degrees(std::size_t variables, const Array1<std::int32_t>& tail,
                   const Array1<std::int32_t>& head, const Array1<Weight>& weights) {
  std::vector<double> sum(variables, 0.0), of_heads(variables, 0.0);
  const std::int32_t *tails = tail.data(), *heads = head.data();
  const Weight* weight = weights.data();
  double *at_tail = sum.data(), *at_head = of_heads.data();
  for (std::size_t e = 0, edges = weights.size(); e < edges; ++e) {
    const auto i = static_cast<std::size_t>(tails[e]), j = static_cast<std::size_t>(heads[e]);
    if (i >= variables || j >= variables)
      throw std::out_of_range("an edge must join two variables of the problem");
    at_tail[i] += static_cast<double>(weight[e]);
    at_head[j] += static_cast<double>(weight[e]);
  }
  for (std::size_t i = 0; i < variables; ++i) sum[i] += of_heads[i];
  return to_numpy(std::move(sum));
}

}  // namespace

void register_minimize(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const MemoryShortage& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    }
  });
  nb::class_<KeptRun>(m, "KeptRun").def(nb::init<>());
  m.def("minimize", minimize, nb::arg("method"), nb::arg("unary").noconvert(),
        nb::arg("tail").noconvert(), nb::arg("head").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("priors"), nb::arg("labels").noconvert(), nb::kw_only(), nb::arg("options"),
        nb::arg("row"), nb::arg("scale"), nb::arg("offset"), nb::arg("tolerance"),
        nb::arg("threads"), nb::arg("seed"), nb::arg("max_iter"), nb::arg("time_limit"),
        nb::arg("max_memory"), nb::arg("evaluate").none(), nb::arg("on_iteration").none(),
        nb::arg("true_costs").none(), nb::arg("interrupted").none(),
        nb::arg("kept").none() = nb::none(), nb::arg("mask").noconvert().none() = nb::none());
  m.def("estimate_memory", estimate, nb::arg("method"), nb::arg("priors"), nb::kw_only(),
        nb::arg("options"), nb::arg("variables"), nb::arg("edges"), nb::arg("row"),
        nb::arg("largest_unary"), nb::arg("largest_weight"), nb::arg("largest_degree"),
        nb::arg("wide_costs"), nb::arg("threads"), nb::arg("nodes_per_variable"),
        nb::arg("cells_per_edge"), nb::arg("joined"), nb::arg("cuts_whole"));
  const auto define_degrees = [&](auto* function) {
    m.def("degrees", function, nb::arg("variables"), nb::arg("tail").noconvert(),
          nb::arg("head").noconvert(), nb::arg("weights").noconvert());
  };
  define_degrees(degrees<double>);
  define_degrees(degrees<std::int32_t>);
  m.def("backends", backend_names);
  m.def("simd_levels", [] {
    std::vector<std::string> names;
    for (const Level* const* level = available_levels(); *level; ++level)
      names.push_back((*level)->name);
    return names;
  });
  m.def("limits", [] {
    nb::dict d;
    d["nodes"] = limits::kNodes;
    d["edges"] = limits::kEdges;
    d["weight"] = limits::kWeight;
    d["cut_nodes"] = limits::kCutNodes;
    d["narrow_cost"] = limits::kNarrowCost;
    d["wide_cost"] = limits::kWideCost;
    d["total_cost"] = limits::kTotalCost;
    return d;
  });
}
