#include "rangemoves/messages.hpp"

#include <algorithm>

#include "rangemoves/message_storage.hpp"

namespace rangemoves {

template <class Value>
std::unique_ptr<MessagesOf<Value>> make_messages_of(const ConvexProblem& problem,
                                                    std::int64_t scale, int threads,
                                                    Control& control) {
  problem.graph.find_topology(&control);
  if (fits_wavefront(problem))
    return make_wavefront_messages<Value>(problem, scale, threads, control);
  if (fits_stencil(problem) &&
      fills_stencil(problem.graph.topology(), chosen_level().of<Value>().lanes, threads))
    return make_stencil_messages<Value>(problem, scale, threads, control);
  return make_label_messages<Value>(problem, scale, threads, control);
}

template std::unique_ptr<MessagesOf<std::int32_t>> make_messages_of(const ConvexProblem&,
                                                                    std::int64_t, int, Control&);
template std::unique_ptr<MessagesOf<std::int64_t>> make_messages_of(const ConvexProblem&,
                                                                    std::int64_t, int, Control&);

std::unique_ptr<Messages> make_messages(const ConvexProblem& problem, const MessagePlan& plan,
                                        int threads, Control& control) {
  if (plan.wide) return make_messages_of<std::int64_t>(problem, plan.scale, threads, control);
  return make_messages_of<std::int32_t>(problem, plan.scale, threads, control);
}

std::int64_t message_bytes(const Neighbourhood& graph, int labels, bool wide) {
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

std::int64_t grid_message_bytes(std::int64_t nodes, std::int64_t row, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4;
  const std::int64_t cells = ((nodes / row + lanes - 1) / lanes) * (row + lanes - 1);
  const std::int64_t per_lane = value * (3 * labels + 2) + 2 * std::int64_t{sizeof(std::int32_t)};
  return cells * (lanes * per_lane + 2 * std::int64_t{sizeof(LaneBits)}) + nodes +
         value * wavefront_scratch_size(labels, lanes);
}

std::int64_t graph_message_bytes(std::int64_t nodes, std::int64_t edges, int labels, bool wide) {
  const std::int32_t lanes = wide ? chosen_level().wide.lanes : chosen_level().narrow.lanes;
  const std::int64_t value = wide ? 8 : 4, stride = stride_for(labels, lanes);
  return nodes * (value * stride + std::int64_t{sizeof(MessageNode)}) +
         edges * (value * (stride + 1) + 2 * std::int64_t{sizeof(MessageArc)});
}

template <class Value>
ShapePair<Value>::ShapePair(const ConvexTable& table) {
  const Table& h = table.h;
  const int left = table.left, right = table.right, end = h.labels() - 1;
  const auto value = [&](int d) { return static_cast<Value>(h(std::max(-end, std::min(end, d)))); };
  // One value in front: the kernels count from the centre, which without taps lies before the
  // first.
  tail_taps_.push_back(0);
  head_taps_.push_back(0);
  for (int d = 1 - left; d < right; ++d) tail_taps_.push_back(value(d));
  for (int d = 1 - right; d < left; ++d) head_taps_.push_back(value(-d));
  int pairs = left == right && left > 0 ? left - 1 : -1;
  bool is_capped = value(-left) == value(right) && value(-left - 1) == value(-left) &&
                   value(right + 1) == value(right);
  for (int d = 1 - left; d < right; ++d) {
    if (value(d) != value(-d)) pairs = -1;
    is_capped = is_capped && value(d) <= value(right);
  }
  from_tail_ = {tail_taps_.data() + 1,
                left,
                right,
                value(-left),
                value(right),
                value(-left - 1) - value(-left),
                value(right + 1) - value(right),
                pairs,
                is_capped};
  from_head_ = {head_taps_.data() + 1,
                right,
                left,
                from_tail_.at_right,
                from_tail_.at_left,
                from_tail_.slope_right,
                from_tail_.slope_left,
                pairs,
                is_capped};
}

template class ShapePair<std::int32_t>;
template class ShapePair<std::int64_t>;

}  // namespace rangemoves
