// Between NumPy arrays and the core's own types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rangemoves/engine/engine.hpp"
#include "rangemoves/problem/energy.hpp"

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Unary costs of any type that the core reads.
using AnyCosts = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A view of them, which must not outlive the array.
inline rangemoves::CostView to_costs(const AnyCosts& given) {
  const int labels = static_cast<int>(given.shape(1));
  std::optional<rangemoves::CostView> view;
  const auto try_as = [&](auto cost) {
    using Cost = decltype(cost);
    if (given.dtype() == nb::dtype<Cost>())
      view.emplace(static_cast<const Cost*>(given.data()), labels);
  };
  try_as(std::uint8_t{});
  try_as(std::int16_t{});
  try_as(std::uint16_t{});
  try_as(std::int32_t{});
  try_as(std::int64_t{});
  if (!view) throw nb::type_error("unary must be uint8, int16, uint16, int32 or int64");
  return *view;
}

template <class T>
std::vector<T> to_vector(const Array1<T>& array) {
  return {array.data(), array.data() + array.size()};
}

inline rangemoves::Table to_table(const Array1<std::int64_t>& values, int centre = 0) {
  return rangemoves::Table(to_vector(values), centre);
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

inline nb::object to_numpy(const rangemoves::Table& table) {
  std::vector<std::int64_t> values;
  for (int d = -(table.labels() - 1); d <= table.labels() - 1; ++d) values.push_back(table(d));
  return to_numpy(std::move(values));
}

// A copy of a labelling for the caller's evaluate(): the core's own may change later.
inline nb::object view_of(const rangemoves::Labelling& labels) {
  return nb::cast(nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>>(
                      labels.data(), {labels.size()}, nb::handle()),
                  nb::rv_policy::copy);
}
