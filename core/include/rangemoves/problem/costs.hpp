// N x L costs as integers, in as few bytes as hold them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rangemoves/run/control.hpp"

namespace rangemoves {

// The types that costs are kept in. Callers may give any of them; sums of costs take four bytes
// where all of them fit, else eight.
enum class CostType : std::uint8_t { uint8, int16, uint16, int32, int64 };

template <class Cost>
constexpr CostType cost_type_of();
template <>
constexpr CostType cost_type_of<std::uint8_t>() {
  return CostType::uint8;
}
template <>
constexpr CostType cost_type_of<std::int16_t>() {
  return CostType::int16;
}
template <>
constexpr CostType cost_type_of<std::uint16_t>() {
  return CostType::uint16;
}
template <>
constexpr CostType cost_type_of<std::int32_t>() {
  return CostType::int32;
}
template <>
constexpr CostType cost_type_of<std::int64_t>() {
  return CostType::int64;
}

// A pointer to costs of any of these types: the one place that knows what their types are called.
class CostPointer {
 public:
  template <class Cost>
  explicit CostPointer(const Cost* costs)
      : at_(costs), type_(cost_type_of<Cost>()), bytes_(sizeof(Cost)) {}

  CostType type() const { return type_; }

  // work(pointer to the first cost).
  template <class Work>
  auto visit(Work&& work) const {
    switch (type_) {
      case CostType::uint8:
        return work(as<std::uint8_t>());
      case CostType::int16:
        return work(as<std::int16_t>());
      case CostType::uint16:
        return work(as<std::uint16_t>());
      case CostType::int64:
        return work(as<std::int64_t>());
      default:
        return work(as<std::int32_t>());
    }
  }

  std::int64_t operator[](std::int64_t k) const {
    // The common one first: loops that ask cost by cost take it out of the loop.
    if (type_ == CostType::int32) return as<std::int32_t>()[k];
    return visit([k](auto* at) { return static_cast<std::int64_t>(at[k]); });
  }
  CostPointer operator+(std::int64_t costs) const {
    CostPointer later = *this;
    later.at_ = static_cast<const unsigned char*>(at_) + costs * bytes_;
    return later;
  }

 private:
  const void* at_;
  CostType type_;
  std::uint8_t bytes_;  // of one cost

  template <class Cost>
  const Cost* as() const {
    return static_cast<const Cost*>(at_);
  }
};

// The costs of one variable.
class CostRow {
 public:
  explicit CostRow(CostPointer costs) : costs_(costs) {}
  template <class Cost>
  explicit CostRow(const Cost* costs) : costs_(costs) {}

  bool is_wide() const { return costs_.type() == CostType::int64; }
  std::int64_t operator[](int l) const { return costs_[l]; }

  // work(pointer): for loops that should not ask for the type at every label.
  template <class Work>
  auto visit(Work&& work) const {
    return costs_.visit(std::forward<Work>(work));
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
  CostPointer costs_;
};

// A view of costs that others own.
class CostView {
 public:
  template <class Cost>
  CostView(const Cost* costs, int labels) : costs_(costs), labels_(labels) {}

  // The same costs from label `first` on: rows lie as far apart as before.
  CostView from_label(int first) const {
    CostView view = *this;
    view.costs_ = costs_ + first;
    return view;
  }

  // Whether some cost may need 64 bits.
  bool is_wide() const { return costs_.type() == CostType::int64; }
  CostRow row(std::int32_t i) const { return CostRow(costs_ + std::int64_t{i} * labels_); }
  std::int64_t operator()(std::int32_t i, int l) const {
    return costs_[std::int64_t{i} * labels_ + l];
  }

 private:
  CostPointer costs_;
  int labels_;
};

// Costs with their memory: of four bytes, or, where that does not hold them all, of eight.
class CostVolume {
 public:
  CostVolume() = default;
  // Of no variable yet.
  explicit CostVolume(int labels) : labels_(labels) {}
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

  // A copy of a row as the last one; costs of other types become of this one's.
  void append(const CostRow& row);
  // Makes room for so many rows in all: vectors that grow hold up to three times as much meanwhile.
  void reserve(std::int64_t rows, bool wide);

 private:
  int labels_ = 1;
  bool wide_ = false;
  std::vector<std::int32_t> narrow_costs_;
  std::vector<std::int64_t> wide_costs_;

  void widen();
};

// The unary terms of a problem that is a part of another one: costs that lie elsewhere, and rows of
// its own for the variables that cost something else here. No cost is copied but for those.
class UnaryTerms {
 public:
  UnaryTerms() = default;
  // Variable i costs what `variable_of[i]` costs there, or, where that is empty, what i costs.
  UnaryTerms(CostView costs, std::int32_t variables, int labels,
             std::vector<std::int32_t> variable_of = {})
      : base_(costs), variables_(variables), variable_of_(std::move(variable_of)), rows_(labels) {}
  // Costs that belong to this problem.
  UnaryTerms(CostVolume costs) : owned_(std::move(costs)), owns_(true) {}

  // Whether some cost needs 64 bits.
  bool is_wide() const { return rows_.is_wide() || base().is_wide(); }
  CostView base() const { return owns_ ? owned_.view() : base_; }

  // Valid until a cost is changed.
  CostRow row(std::int32_t i) const {
    if (!place_.empty() && place_[static_cast<std::size_t>(i)] >= 0)
      return rows_.row(place_[static_cast<std::size_t>(i)]);
    return base().row(variable_of_.empty() ? i : variable_of_[static_cast<std::size_t>(i)]);
  }
  std::int64_t operator()(std::int32_t i, int l) const { return row(i)[l]; }

  void set(std::int32_t i, int l, std::int64_t cost) {
    if (owns_) return owned_.set(i, l, cost);
    rows_.set(own_row(i), l, cost);
  }
  void add(std::int32_t i, int l, std::int64_t cost) { set(i, l, (*this)(i, l) + cost); }
  // So many variables will cost something else here.
  void expect_own_rows(std::int64_t count) {
    if (!owns_) rows_.reserve(count, base().is_wide());
  }

 private:
  CostVolume owned_;
  bool owns_ = false;
  CostView base_{static_cast<const std::int32_t*>(nullptr), 1};
  std::int32_t variables_ = 0;
  std::vector<std::int32_t> variable_of_;
  std::vector<std::int32_t> place_;  // of a variable's own row, or -1; empty: no own rows yet
  CostVolume rows_;
  std::int32_t own_rows_ = 0;

  // Its place among the rows that belong to this problem, where it is put if it has none.
  std::int32_t own_row(std::int32_t i);
};

}  // namespace rangemoves
