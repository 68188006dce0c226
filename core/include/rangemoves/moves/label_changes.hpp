// What changed since a move was last tried. A move of the variables with certain labels can gain
// only where one of them changed its label or has a neighbour that did. The variables of a move
// fall into connected components that do not influence each other: a component without a change has
// been solved already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/problem/energy.hpp"

namespace rangemoves {

class LabelChanges {
 public:
  LabelChanges(const Energy& energy, Labelling start)
      : graph_(energy.graph),
        labels_(std::move(start)),
        label_touched_(static_cast<std::size_t>(energy.labels), 0),
        touched_(labels_.size(), 0),
        block_touched_(labels_.size() / block + 1, 0),
        taken_(labels_.size(), 0) {
    reached_.reserve(labels_.size());
    // Those that a mask left out are never reached: nothing would come of moving them.
    for (std::int32_t i = 0; i < graph_.nodes(); ++i)
      if (!energy.takes_part(i)) touched_[i] = -1;
  }

  // Bytes per variable, for estimates of memory.
  static constexpr std::size_t bytes_per_variable() {
    return sizeof(std::int64_t) + 3 * sizeof(std::int32_t) + sizeof(std::uint8_t);
  }

  void note(const std::vector<LabelChange>& changes) {
    ++now_;
    for (const LabelChange& change : changes) labels_[change.node] = change.label;
    for (const LabelChange& change : changes) {
      touch(change.node);
      for (const Incidence* at = graph_.begin(change.node); at != graph_.end(change.node); ++at)
        touch(at->other);
    }
  }

  // The same, of a whole labelling.
  void note(const Labelling& x) {
    std::vector<LabelChange> changes;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != labels_[i]) changes.push_back({static_cast<std::int32_t>(i), x[i]});
    note(changes);
  }

  std::int64_t now() const { return now_; }

  // Variables, in increasing order, whose label takes part and that lie within `reach` edges of a
  // change after `time`, along variables that take part. INT32_MAX: whole components.
  template <class TakesPart>
  const std::vector<std::int32_t>& since(std::int64_t time, std::int32_t reach,
                                         TakesPart&& takes_part) {
    const auto n = static_cast<std::int32_t>(labels_.size());
    reached_.clear();
    changed_.clear();
    bool any = false;
    for (std::size_t l = 0; l < label_touched_.size() && !any; ++l)
      any = label_touched_[l] > time && takes_part(static_cast<std::int32_t>(l));
    if (!any) return reached_;
    const auto take = [&](std::int32_t i) {
      if (taken_[i] || !takes_part(labels_[i])) return;
      taken_[i] = 1;
      reached_.push_back(i);
    };
    for (std::int32_t b = 0; b * block < n; ++b)
      if (block_touched_[b] > time)
        for (std::int32_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
          if (touched_[i] > time) take(i);
    changed_ = reached_;
    if (time < 0) reach = 0;  // all have been taken already
    const std::size_t in_order = reached_.size();
    std::size_t next = 0;
    for (std::int32_t step = 0; step < reach && next < reached_.size(); ++step)
      for (const std::size_t end = reached_.size(); next < end; ++next) {
        const std::int32_t i = reached_[next];
        for (const Incidence* at = graph_.begin(i); at != graph_.end(i); ++at) take(at->other);
      }
    if (reached_.size() > in_order) put_in_order();
    for (const std::int32_t i : reached_) taken_[i] = 0;
    return reached_;
  }

  // Of what since() returned last, those that changed or are next to a change.
  const std::vector<std::int32_t>& changed() const { return changed_; }

 private:
  static constexpr std::int32_t block = 64;  // variables skipped at once: a few cache lines

  const Neighbourhood& graph_;
  Labelling labels_;
  // Last-change stamps per label, variable and block; a variable is touched when it or a neighbour
  // changes. Labels and blocks let since() skip most variables.
  std::vector<std::int64_t> label_touched_, touched_, block_touched_;
  std::vector<std::uint8_t> taken_;
  std::vector<std::int32_t> reached_, changed_;
  std::int64_t now_ = 0;

  void touch(std::int32_t i) {
    touched_[i] = block_touched_[i / block] = now_;
    label_touched_[labels_[i]] = now_;
  }

  void put_in_order() {
    if (reached_.size() < taken_.size() / 64) {
      std::sort(reached_.begin(), reached_.end());
    } else {
      std::size_t k = 0;
      for (std::size_t i = 0; i < taken_.size(); ++i)
        if (taken_[i]) reached_[k++] = static_cast<std::int32_t>(i);
    }
  }
};

}  // namespace rangemoves
