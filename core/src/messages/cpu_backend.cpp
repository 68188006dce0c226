// Messages in ordinary memory: on grids by rows, where every direction has one table; elsewhere
// label by label.
#include <algorithm>

#include "rangemoves/messages/backend.hpp"
#include "rangemoves/messages/storage.hpp"

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
  const std::int64_t per_lane = value * (3 * labels + 2) + 2 * std::int64_t{sizeof(std::int32_t)};
  const std::int64_t per_cell = value * labels + 2 * std::int64_t{sizeof(LaneBits)};
  return cells * (lanes * per_lane + per_cell) + nodes +
         value * wavefront_scratch_size(labels, lanes);
}

std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4, stride = stride_for(labels, lanes);
  return nodes * (value * stride + std::int64_t{sizeof(MessageNode)}) +
         edges * (value * (stride + 1) + 2 * std::int64_t{sizeof(MessageArc)});
}

}  // namespace rangemoves
