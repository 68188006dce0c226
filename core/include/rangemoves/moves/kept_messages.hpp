// Messages of moves over ranges of labels, kept until the same range is tried again: what has
// changed since is little by then, and near it alone the move has to be solved anew.
#pragma once

#include <cstdint>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/problem/energy.hpp"
#include "rangemoves/run/control.hpp"

namespace rangemoves {

class KeptMessages {
 public:
  // largest_step: of a message, from a label to the next. Messages beyond so many bytes are not
  // kept.
  KeptMessages(const Neighbourhood& graph, int ranges, std::int64_t largest_step,
               std::int64_t most_bytes)
      : graph_(graph),
        step_bytes_(bytes_of_step(largest_step)),
        most_bytes_(most_bytes),
        ranges_(static_cast<std::size_t>(ranges)) {}

  std::int64_t most_bytes() const { return most_bytes_; }
  std::int64_t bytes() const { return bytes_; }

  bool has(int range) const { return !at(range).edges.empty(); }

  // Sets the messages that were kept, on edges for which is_on(variable) holds at both ends. None
  // where messages had another scale.
  template <class IsOn>
  void restore(int range, const Engine::Dual& to, IsOn&& is_on, Control& control) {
    const Range& from = at(range);
    if (from.scale != to.scale) return;
    for (std::size_t k = 0; k < from.edges.size(); ++k) {
      if ((k & 0xfff) == 0) control.poll();
      const std::int32_t e = from.edges[k];
      if (!is_on(graph_.tail(e)) || !is_on(graph_.head(e))) continue;
      write(*to.messages, from, k);
    }
  }

  // Keeps the messages, over so many labels, on edges between these variables, for which is_on
  // holds and for no others. What was kept on other edges stays where belongs(variable) holds at
  // both ends.
  template <class IsOn, class Belongs>
  void keep(int range, const Engine::Dual& from, int labels,
            const std::vector<std::int32_t>& variables, IsOn&& is_on, Belongs&& belongs,
            Control& control) {
    Range now;
    now.scale = from.scale;
    now.each = static_cast<std::size_t>(labels) - 1;
    const Range& old = at(range);
    const std::vector<std::size_t> stay = those(old, [&](std::int32_t i, std::int32_t j) {
      return old.scale == from.scale && !(is_on(i) && is_on(j)) && belongs(i) && belongs(j);
    });
    reserve(now, count_edges(variables, is_on) + stay.size());
    for (const std::size_t k : stay) take_over(old, k, now);
    for_each_edge(variables, is_on, [&](std::int64_t e) {
      if ((now.edges.size() & 0xfff) == 0) control.poll();
      add(*from.messages, e, now);
    });
    replace(range, std::move(now));
  }

  // Of a message over so many labels.
  static std::int64_t bytes_of(std::int64_t labels, std::int64_t largest_step) {
    return static_cast<std::int64_t>(sizeof(std::int32_t)) +
           (labels - 1) * static_cast<std::int64_t>(bytes_of_step(largest_step));
  }

 private:
  // A message without its constant, which changes no bound: the steps from label to label.
  struct Range {
    std::int64_t scale = 0;
    std::size_t each = 0;  // steps of a message
    std::vector<std::int32_t> edges;
    // All but one of them are empty: steps have two or four bytes where all of them fit. Where
    // costs are real numbers none do; a double holds what is read of a message.
    std::vector<std::int16_t> two;
    std::vector<std::int32_t> four;
    std::vector<double> eight;

    std::int64_t bytes() const {
      return static_cast<std::int64_t>(
          edges.capacity() * sizeof(std::int32_t) + two.capacity() * sizeof(std::int16_t) +
          four.capacity() * sizeof(std::int32_t) + eight.capacity() * sizeof(double));
    }
  };

  const Neighbourhood& graph_;
  const std::size_t step_bytes_;
  const std::int64_t most_bytes_;
  std::int64_t bytes_ = 0;
  std::vector<Range> ranges_;
  std::vector<double> message_;

  Range& at(int range) { return ranges_[static_cast<std::size_t>(range)]; }
  const Range& at(int range) const { return ranges_[static_cast<std::size_t>(range)]; }

  template <class IsOn, class Visit>
  void for_each_edge(const std::vector<std::int32_t>& variables, IsOn&& is_on, Visit&& visit) {
    for (const std::int32_t i : variables)
      for (const Incidence* n = graph_.begin(i); n != graph_.end(i); ++n)
        if (n->is_tail && is_on(n->other)) visit(n->edge);
  }
  template <class IsOn>
  std::size_t count_edges(const std::vector<std::int32_t>& variables, IsOn&& is_on) {
    std::size_t count = 0;
    for_each_edge(variables, is_on, [&](std::int64_t) { ++count; });
    return count;
  }
  // Places of the messages for whose edges holds(tail, head).
  template <class Holds>
  std::vector<std::size_t> those(const Range& range, Holds&& holds) const {
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < range.edges.size(); ++k)
      if (holds(graph_.tail(range.edges[k]), graph_.head(range.edges[k]))) places.push_back(k);
    return places;
  }
  void take_over(const Range& old, std::size_t k, Range& now) const {
    now.edges.push_back(old.edges[k]);
    for (std::size_t s = k * old.each; s < (k + 1) * old.each; ++s) add_step(now, step(old, s));
  }
  static std::size_t bytes_of_step(std::int64_t largest_step) {
    if (largest_step <= INT16_MAX) return sizeof(std::int16_t);
    return largest_step <= INT32_MAX ? sizeof(std::int32_t) : sizeof(double);
  }
  // Calls work with the list that holds the steps.
  template <class AnyRange, class Work>
  auto with_steps(AnyRange& range, Work&& work) const {
    if (step_bytes_ == sizeof(std::int16_t)) return work(range.two);
    return step_bytes_ == sizeof(std::int32_t) ? work(range.four) : work(range.eight);
  }
  double step(const Range& range, std::size_t k) const {
    return with_steps(range, [k](const auto& steps) { return static_cast<double>(steps[k]); });
  }
  void add_step(Range& range, double step) const;
  void reserve(Range& range, std::size_t messages) const;
  void write(Messages& to, const Range& from, std::size_t k);
  void add(Messages& messages, std::int64_t edge, Range& now);
  void replace(int range, Range now);
};

}  // namespace rangemoves
