#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "convert.hpp"
#include "interruption.hpp"
#include "rangemoves/flow/explicit_graph.hpp"
#include "rangemoves/flow/incremental_bfs.hpp"
#include "rangemoves/flow/pseudoflow.hpp"
#include "rangemoves/surrogate/active_set.hpp"
#include "rangemoves/surrogate/chosen.hpp"
#include "register.hpp"

using namespace rangemoves;

namespace {

nb::object convexify(const Array1<std::int64_t>& values, const std::string& kind, int difference,
                     std::int64_t slope_left, std::int64_t slope_right) {
  const Table g = to_table(values);
  const ConvexRange range = convex_range(g);
  if (kind == "tight") return to_numpy(tight_surrogate(g, range));
  if (kind == "huber") return to_numpy(huber_surrogate(g, range, slope_left, slope_right));
  if (kind == "chord") return to_numpy(chord_surrogate(g, range, difference));
  throw std::invalid_argument("kind must be tight, huber or chord; found " + kind);
}

nb::object choose_active_set(const Array1<std::int32_t>& labels, const Array1<std::int32_t>& tail,
                             const Array1<std::int32_t>& head, const Array2<std::int32_t>& ranges,
                             const Array1<std::int32_t>& range_index, const std::string& strategy,
                             std::int64_t iteration, int range_low, int range_high,
                             const Array1<std::uint8_t>& favour, std::uint64_t seed) {
  const Neighbourhood graph(static_cast<std::int32_t>(labels.size()), to_vector(tail),
                            to_vector(head), 0);
  const Mask favoured = to_vector(favour);
  std::vector<ConvexRange> kinds;
  for (std::size_t k = 0; k < ranges.shape(0); ++k) {
    const std::int32_t* row = ranges.data() + 3 * k;
    kinds.push_back({row[0], row[1], row[2]});
  }
  PerEdge<ConvexRange>::Index index;
  if (range_index.size() > 0)
    index = std::make_shared<const std::vector<std::int32_t>>(to_vector(range_index));
  ActiveSetChoice choice;
  choice.strategy = strategy == "range"    ? Strategy::range
                    : strategy == "random" ? Strategy::random
                                           : Strategy::alternate;
  choice.iteration = iteration;
  choice.low = range_low;
  choice.high = range_high;
  choice.favour = &favoured;
  choice.seed = seed;
  return to_numpy(
      active_set(graph, to_vector(labels), {std::move(kinds), std::move(index)}, choice));
}

nb::dict topology(std::int32_t variables, const Array1<std::int32_t>& tail,
                  const Array1<std::int32_t>& head, std::int32_t row) {
  const char* const names[] = {"grid4", "grid8", "grid6", "grid26", "chain", "tree", "general"};
  std::vector<std::int32_t> order;
  Topology found;
  {
    nb::gil_scoped_release release;
    const Neighbourhood graph(variables, to_vector(tail), to_vector(head), row);
    found = graph.topology();
    if (!graph.keeps_order())
      for (std::int32_t r = 0; r < variables; ++r) order.push_back(graph.at_rank(r));
  }
  nb::dict d;
  d["kind"] = names[static_cast<int>(found.kind)];
  d["depth"] = found.depth;
  d["height"] = found.height;
  d["width"] = found.width;
  d["order"] = order.empty() ? nb::none() : to_numpy(std::move(order));
  return d;
}

nb::dict max_flow(std::int32_t nodes, const Array1<std::int32_t>& tail,
                  const Array1<std::int32_t>& head, const Array1<std::int64_t>& capacity,
                  const Array1<std::int64_t>& reverse_capacity,
                  const Array1<std::int64_t>& source_capacity,
                  const Array1<std::int64_t>& sink_capacity, const std::string& algorithm) {
  std::vector<std::int64_t> terminal(static_cast<std::size_t>(nodes));
  for (std::size_t v = 0; v < terminal.size(); ++v)
    terminal[v] = source_capacity.data()[v] - sink_capacity.data()[v];
  std::vector<ExplicitGraph::Arc> arcs;
  for (std::size_t k = 0; k < tail.size(); ++k)
    arcs.push_back(
        {tail.data()[k], head.data()[k], capacity.data()[k], reverse_capacity.data()[k]});
  ExplicitGraph graph(terminal, arcs);
  Interruption interruption;
  Control control(interruption.check());
  std::vector<std::uint8_t> side(static_cast<std::size_t>(nodes));
  const auto solve = [&](auto&& flow) {
    flow.run();
    for (std::int32_t v = 0; v < nodes; ++v) side[v] = flow.on_source_side(v);
  };
  try {
    nb::gil_scoped_release release;
    if (algorithm == "pseudoflow")
      solve(Pseudoflow<ExplicitGraph>(graph, control));
    else if (algorithm == "incremental-bfs")
      solve(IncrementalBfs<ExplicitGraph>(graph, control));
    else
      throw std::invalid_argument("algorithm must be pseudoflow or incremental-bfs; found " +
                                  algorithm);
  } catch (const Stopped&) {
    interruption.raise();
  }
  std::int64_t cut = 0;
  for (std::size_t v = 0; v < side.size(); ++v)
    cut += side[v] ? sink_capacity.data()[v] : source_capacity.data()[v];
  for (const ExplicitGraph::Arc& arc : arcs) {
    if (side[arc.tail] && !side[arc.head]) cut += arc.capacity;
    if (side[arc.head] && !side[arc.tail]) cut += arc.reverse_capacity;
  }
  nb::dict result;
  result["flow"] = cut;
  result["source_side"] = to_numpy(std::move(side));
  return result;
}

}  // namespace

void register_pieces(nb::module_& m) {
  m.def(
      "convex_range",
      [](const Array1<std::int64_t>& table, int centre,
         const std::optional<std::pair<int, int>>& prior) {
        Settings settings;
        if (prior) {
          settings.convex_range = RangeChoice::prior;
          settings.prior_ranges = {{prior->first, prior->second}};
        }
        const ConvexRange range = chosen_ranges(to_table(table, centre), settings)[0];
        return std::pair<int, int>(range.left, range.right);
      },
      nb::arg("table").noconvert(), nb::arg("centre") = 0, nb::arg("prior") = nb::none());
  m.def("convexify", convexify, nb::arg("table").noconvert(), nb::arg("kind"),
        nb::arg("difference") = 0, nb::arg("slope_left") = -1, nb::arg("slope_right") = -1);
  m.def("topology", topology, nb::arg("variables"), nb::arg("tail").noconvert(),
        nb::arg("head").noconvert(), nb::arg("row"));
  m.def("active_set", choose_active_set, nb::arg("labels").noconvert(), nb::arg("tail").noconvert(),
        nb::arg("head").noconvert(), nb::arg("ranges").noconvert(),
        nb::arg("range_index").noconvert(), nb::arg("strategy"), nb::arg("iteration"),
        nb::arg("range_low"), nb::arg("range_high"), nb::arg("favour").noconvert(),
        nb::arg("seed"));
  m.def("max_flow", max_flow, nb::arg("nodes"), nb::arg("tail").noconvert(),
        nb::arg("head").noconvert(), nb::arg("capacity").noconvert(),
        nb::arg("reverse_capacity").noconvert(), nb::arg("source_capacity").noconvert(),
        nb::arg("sink_capacity").noconvert(), nb::arg("algorithm") = "pseudoflow");
}
