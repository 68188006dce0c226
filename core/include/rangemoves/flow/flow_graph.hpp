// The interface between max-flow algorithms and graphs. Every graph stores its arcs in a way of its
// own (most store no heads); the algorithms are templates over this interface.
//
//   Cursor                                   which of a node's arcs to look at next; Cursor{}: the
//                                            first
//   std::int32_t nodes()
//   std::int64_t excess(v)                   source capacity of v less its sink capacity
//   bool scan(v, cursor, visit)              calls visit(head, arc, room) from the cursor on, until
//                                            it returns true: the cursor then stays on that arc,
//                                            and so does the result. room.out() and room.in() are
//                                            the residual capacities to the head and back
//   std::int64_t out(v, head, arc)           the same, for an arc already known
//   std::int64_t in(v, head, arc)
//   void push(v, head, arc, amount)          changes both
//   std::int32_t reverse(v, arc)             the arc back, as the head numbers its arcs
//
// An arc is a number that means something to the graph together with the node it leaves. excess()
// is read at the start of a flow; the algorithm reports what is left at the end.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rangemoves {

// The nodes first .. last - 1 of a graph. No arc leads from one region to another; a large one may
// be given in pieces, one after the other.
struct FlowRegion {
  std::int32_t first, last;
  bool goes_on = false;  // the region of the piece before, so that arcs may lead there
};

namespace flow_graph_details {

struct AnyVisit {
  template <class Room>
  bool operator()(std::int32_t, std::int32_t, const Room& room) const {
    return room.out() + room.in() > 0;
  }
};

template <class Graph, class = void>
struct Check : std::false_type {};

template <class Graph>
struct Check<Graph, std::void_t<decltype(std::int32_t{std::declval<const Graph&>().nodes()}),
                                decltype(std::int64_t{std::declval<const Graph&>().excess(0)}),
                                decltype(bool{std::declval<const Graph&>().scan(
                                    0, std::declval<typename Graph::Cursor&>(), AnyVisit{})}),
                                decltype(std::int64_t{std::declval<const Graph&>().out(0, 0, 0)}),
                                decltype(std::int64_t{std::declval<const Graph&>().in(0, 0, 0)}),
                                decltype(std::declval<Graph&>().push(0, 0, 0, std::int64_t{0})),
                                decltype(std::int32_t{std::declval<const Graph&>().reverse(0, 0)})>>
    : std::is_default_constructible<typename Graph::Cursor> {};

}  // namespace flow_graph_details

template <class Graph>
constexpr bool is_flow_graph = flow_graph_details::Check<Graph>::value;

}  // namespace rangemoves
