// Messages in ordinary memory: on grids by rows, where every direction has one table; elsewhere
// label by label.
#include <algorithm>

#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/storage.hpp"
#include "rangemoves/run/large_memory.hpp"

namespace rangemoves {

namespace {

template <class Value>
std::unique_ptr<MessagesOf<Value>> make(const ConvexProblem& problem, std::int64_t scale,
                                        int threads, Control& control) {
  problem.graph.find_topology(&control);
  if (fits_wavefront(problem))
    return make_wavefront_messages<Value>(problem, scale, threads, control);
  if (fits_stencil(problem) &&
      fills_stencil(problem.graph.topology(), chosen_level().of<Value>().lanes, threads))
    return make_stencil_messages<Value>(problem, scale, threads, control);
  return make_label_messages<Value>(problem, scale, threads, control);
}

std::int64_t bytes(const Neighbourhood& graph, int labels, bool wide) {
  const Level& level = chosen_level();
  const std::int32_t lanes = wide ? level.wide.lanes : level.narrow.lanes;
  const std::int64_t stride = stride_for(labels, lanes);
  const std::int64_t any = (wide ? 8 : 4) * stride * (graph.nodes() + graph.edges());
  const Topology& grid = graph.topology();
  if (!is_grid(grid) || grid.kind == Topology::Kind::grid4 || !fills_stencil(grid, lanes, 1))
    return any;
  // Which of the two it is depends on the tables.
  return std::max(any, stencil_message_bytes(grid, labels, wide, 1));
}

bool is_there() { return true; }

}  // namespace

extern const Backend cpu_backend;
const Backend cpu_backend{"cpu", is_there, make<std::int32_t>, make<std::int64_t>, bytes};

std::int64_t grid_message_bytes(std::int64_t nodes, std::int64_t row, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4;
  const std::int64_t cells = ((nodes / row + lanes - 1) / lanes) * (row + lanes - 1);
  // Unary terms by themselves; messages, weights and edges either way, and what goes on between
  // rows of cells, in the same memory.
  const std::int64_t unary = taken_bytes(cells * lanes * labels * value);
  const std::int64_t others = taken_bytes(
      cells * (lanes * (2 * (labels * value + value) + 2 * std::int64_t{sizeof(std::int32_t)}) +
               labels * value));
  return unary + others + cells * 2 * std::int64_t{sizeof(LaneBits)} + nodes +
         value * wavefront_scratch_size(labels, lanes);
}

std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4, stride = stride_for(labels, lanes);
  return taken_bytes(nodes * value * stride) +
         taken_bytes(nodes * std::int64_t{sizeof(MessageNode)}) +
         taken_bytes(edges * value * stride) + taken_bytes(edges * value) +
         taken_bytes(2 * edges * std::int64_t{sizeof(MessageArc)});
}

}  // namespace rangemoves
