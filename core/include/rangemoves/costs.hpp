// N x L costs as integers: four bytes each where all of them fit, else eight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/control.hpp"

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
  // Of labels low .. high. Values, not places: compilers make vectors of that.
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

// Somebody else's costs.
class CostView {
 public:
  CostView(const std::int32_t* costs, int labels) : narrow_(costs), labels_(labels) {}
  CostView(const std::int64_t* costs, int labels) : wide_(costs), labels_(labels) {}

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

// Costs of our own.
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
  // A copy.
  CostVolume(const CostView& costs, std::int64_t variables, int labels, Control& control)
      : labels_(labels), wide_(costs.is_wide()) {
    const auto entries = static_cast<std::size_t>(variables) * static_cast<std::size_t>(labels);
    costs.visit([&](auto* from) { take(copy_polling(from, entries, control)); });
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

  // Adds the costs of a variable of another volume of the same width, where the sums are known to
  // fit.
  void add_row(std::int32_t i, const CostVolume& other, std::int32_t j) {
    const auto add_all = [this](auto* to, const auto* from) {
      for (int l = 0; l < labels_; ++l) to[l] += from[l];
    };
    const std::int64_t here = std::int64_t{i} * labels_, there = std::int64_t{j} * labels_;
    if (wide_)
      add_all(wide_costs_.data() + here, other.wide_costs_.data() + there);
    else
      add_all(narrow_costs_.data() + here, other.narrow_costs_.data() + there);
  }

 private:
  int labels_ = 1;
  bool wide_ = false;
  std::vector<std::int32_t> narrow_costs_;
  std::vector<std::int64_t> wide_costs_;

  void take(std::vector<std::int32_t> costs) { narrow_costs_ = std::move(costs); }
  void take(std::vector<std::int64_t> costs) { wide_costs_ = std::move(costs); }
};

}  // namespace rangemoves
