// N x L costs as integers: four bytes each where all of them fit, else eight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

// The costs of one variable.
class CostRow {
 public:
  CostRow(const std::int32_t* narrow, const std::int64_t* wide) : narrow_(narrow), wide_(wide) {}

  std::int64_t operator[](int l) const { return wide_ ? wide_[l] : narrow_[l]; }

  // work(pointer): for loops that should not ask for the width at every label.
  template <class Work>
  auto visit(Work&& work) const {
    return wide_ ? work(wide_) : work(narrow_);
  }

  struct Extent {
    std::int64_t least, most;
  };
  // Of labels low .. high. Returns values, not positions, so that compilers can vectorise it.
  Extent extent(int low, int high) const {
    return visit([=](auto* at) {
      auto least = at[low], most = least;
      for (int l = low + 1; l <= high; ++l) {
        least = std::min(least, at[l]);
        most = std::max(most, at[l]);
      }
      return Extent{least, most};
    });
  }
  std::int64_t least(int labels) const { return extent(0, labels - 1).least; }
  std::int64_t most(int labels) const { return extent(0, labels - 1).most; }

 private:
  const std::int32_t* narrow_;
  const std::int64_t* wide_;
};

// A view of costs that others own.
class CostView {
 public:
  CostView(const std::int32_t* costs, int labels) : narrow_(costs), labels_(labels) {}
  CostView(const std::int64_t* costs, int labels) : wide_(costs), labels_(labels) {}

  // The same costs from label `first` on: rows lie as far apart as before.
  CostView from_label(int first) const {
    CostView view = *this;
    if (narrow_) view.narrow_ += first;
    if (wide_) view.wide_ += first;
    return view;
  }

  bool is_wide() const { return wide_ != nullptr; }
  CostRow row(std::int32_t i) const {
    const std::int64_t at = std::int64_t{i} * labels_;
    return {narrow_ ? narrow_ + at : nullptr, wide_ ? wide_ + at : nullptr};
  }
  std::int64_t operator()(std::int32_t i, int l) const {
    const std::int64_t at = std::int64_t{i} * labels_ + l;
    return wide_ ? wide_[at] : narrow_[at];
  }

  // work(pointer to the first cost).
  template <class Work>
  auto visit(Work&& work) const {
    return wide_ ? work(wide_) : work(narrow_);
  }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  int labels_;
};

// Costs with their memory.
class CostVolume {
 public:
  CostVolume() = default;
  // All zero.
  CostVolume(std::int64_t variables, int labels, bool wide, Control& control)
      : labels_(labels), wide_(wide) {
    const auto entries = static_cast<std::size_t>(variables) * static_cast<std::size_t>(labels);
    if (wide)
      assign_polling(wide_costs_, entries, std::int64_t{0}, control);
    else
      assign_polling(narrow_costs_, entries, std::int32_t{0}, control);
  }
  bool is_wide() const { return wide_; }
  CostView view() const {
    return wide_ ? CostView(wide_costs_.data(), labels_) : CostView(narrow_costs_.data(), labels_);
  }
  CostRow row(std::int32_t i) const { return view().row(i); }
  std::int64_t operator()(std::int32_t i, int l) const { return view()(i, l); }

  // Goes over to eight bytes where four do not hold a cost.
  void set(std::int32_t i, int l, std::int64_t cost);
  void add(std::int32_t i, int l, std::int64_t cost) { set(i, l, (*this)(i, l) + cost); }

  // Adds the costs of a variable of other costs, where the sums are known to fit.
  void add_row(std::int32_t i, const CostRow& row) {
    const std::int64_t here = std::int64_t{i} * labels_;
    row.visit([&](auto* from) {
      if (wide_)
        for (int l = 0; l < labels_; ++l)
          wide_costs_[static_cast<std::size_t>(here + l)] += from[l];
      else
        for (int l = 0; l < labels_; ++l)
          narrow_costs_[static_cast<std::size_t>(here + l)] += static_cast<std::int32_t>(from[l]);
    });
  }

 private:
  int labels_ = 1;
  bool wide_ = false;
  std::vector<std::int32_t> narrow_costs_;
  std::vector<std::int64_t> wide_costs_;
};

// The unary terms of a problem that is a part of another one: costs that lie elsewhere, and rows of
// its own for the variables that cost something else here. No cost is copied but for those.
class UnaryTerms {
 public:
  UnaryTerms() = default;
  // Variable i costs what `variable_of[i]` costs there, or, where that is empty, what i costs.
  UnaryTerms(CostView costs, std::int32_t variables, int labels,
             std::vector<std::int32_t> variable_of = {})
      : base_(costs),
        variables_(variables),
        labels_(labels),
        variable_of_(std::move(variable_of)) {}
  // Costs that belong to this problem.
  UnaryTerms(CostVolume costs) : owned_(std::move(costs)), owns_(true) {}

  // Whether some cost needs 64 bits.
  bool is_wide() const { return wide_rows_ || base().is_wide(); }
  CostView base() const { return owns_ ? owned_.view() : base_; }

  // Valid until a cost is changed.
  CostRow row(std::int32_t i) const {
    if (!place_.empty() && place_[static_cast<std::size_t>(i)] >= 0)
      return {nullptr, rows_.data() + std::int64_t{place_[static_cast<std::size_t>(i)]} * labels_};
    return base().row(variable_of_.empty() ? i : variable_of_[static_cast<std::size_t>(i)]);
  }
  std::int64_t operator()(std::int32_t i, int l) const { return row(i)[l]; }

  void set(std::int32_t i, int l, std::int64_t cost) {
    if (owns_) return owned_.set(i, l, cost);
    own_row(i)[l] = cost;
    wide_rows_ = wide_rows_ || cost != static_cast<std::int32_t>(cost);
  }
  void add(std::int32_t i, int l, std::int64_t cost) { set(i, l, (*this)(i, l) + cost); }

 private:
  CostVolume owned_;
  bool owns_ = false;
  CostView base_{static_cast<const std::int32_t*>(nullptr), 1};
  std::int32_t variables_ = 0;
  int labels_ = 1;
  std::vector<std::int32_t> variable_of_;
  std::vector<std::int32_t> place_;  // of a variable's own row, or -1; empty: no own rows yet
  std::vector<std::int64_t> rows_;
  bool wide_rows_ = false;

  std::int64_t* own_row(std::int32_t i);
};

}  // namespace rangemoves
