// Matching costs and sub-label refinement for Python. The Python side has checked every argument.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>

#include "rangemoves/stereo/fill.hpp"
#include "rangemoves/stereo/matching_costs.hpp"
#include "rangemoves/stereo/refine.hpp"
#include "rangemoves/stereo/smooth.hpp"

namespace nb = nanobind;

namespace {

using Image = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using ConstVolume = nb::ndarray<const std::int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Known = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Map = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Volume = nb::ndarray<std::int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

rangemoves::ImageView view(const Image& image) {
  return {image.data(), static_cast<std::int64_t>(image.shape(0)),
          static_cast<std::int64_t>(image.shape(1)), static_cast<std::int64_t>(image.shape(2))};
}

// A bool is a byte that holds 0 or 1.
const std::uint8_t* bytes(const Known& known) {
  return reinterpret_cast<const std::uint8_t*>(known.data());
}

rangemoves::DisparityMap map_of(const Map& disparity, const Known& known) {
  return {disparity.data(), bytes(known), static_cast<std::int64_t>(disparity.shape(0)),
          static_cast<std::int64_t>(disparity.shape(1))};
}

rangemoves::MatchingCost cost_by_name(const std::string& name) {
  if (name == "birchfield-tomasi") return rangemoves::MatchingCost::birchfield_tomasi;
  if (name == "absolute") return rangemoves::MatchingCost::absolute;
  if (name == "gradient") return rangemoves::MatchingCost::gradient;
  if (name == "census") return rangemoves::MatchingCost::census;
  throw nb::value_error(("cost must be a known matching cost; found '" + name + "'").c_str());
}

void register_costs(nb::module_& m) {
  m.def(
      "cost_volume",
      [](const Image& left, const Image& right, const Volume& out, const std::string& cost,
         bool squared, std::int32_t cap, std::int64_t min_disparity, std::int64_t census_height,
         std::int64_t census_width, std::int64_t first_row) {
        const rangemoves::CostOptions options{cost_by_name(cost), squared,       cap,
                                              min_disparity,      census_height, census_width};
        const auto rows = static_cast<std::int64_t>(out.shape(0)),
                   labels = static_cast<std::int64_t>(out.shape(2));
        const auto left_view = view(left), right_view = view(right);
        std::int32_t* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::cost_volume(left_view, right_view, labels, options, first_row, first_row + rows,
                                data);
      },
      nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("out").noconvert(),
      nb::kw_only(), nb::arg("cost"), nb::arg("squared"), nb::arg("cap"), nb::arg("min_disparity"),
      nb::arg("census_height"), nb::arg("census_width"), nb::arg("first_row"),
      "Fill out, rows first_row and on of the matching cost volume.");

  m.def(
      "refine_labels",
      [](const ConstVolume& unary, const Labels& labels, const Offsets& out, std::int64_t radius,
         std::int64_t least_rise, std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(unary.shape(0));
        const auto width = static_cast<std::int64_t>(unary.shape(1));
        const auto num_labels = static_cast<std::int64_t>(unary.shape(2));
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const std::int32_t *costs = unary.data(), *label_data = labels.data();
        double* offsets = out.data();
        nb::gil_scoped_release release;
        rangemoves::refine_labels(costs, label_data, height, width, num_labels, num_labels, radius,
                                  least_rise, first_row, first_row + rows, offsets);
      },
      nb::arg("unary").noconvert(), nb::arg("labels").noconvert(), nb::arg("out").noconvert(),
      nb::kw_only(), nb::arg("radius"), nb::arg("least_rise"), nb::arg("first_row"),
      "Fill out, rows first_row and on, with how far the minimum of the cost lies from each "
      "label.");
}

void register_planes(nb::module_& m) {
  m.def(
      "extend_planes",
      [](const Map& disparity, const Known& known, const Image& image, const Offsets& out,
         std::int64_t radius, std::int64_t reach, std::int64_t first_row) {
        const auto map = map_of(disparity, known);
        const auto image_view = view(image);
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        double* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::extend_planes(map, image_view, radius, reach, first_row, first_row + rows,
                                  data);
      },
      nb::arg("disparity").noconvert(), nb::arg("known").noconvert(), nb::arg("image").noconvert(),
      nb::arg("out").noconvert(), nb::kw_only(), nb::arg("radius"), nb::arg("reach"),
      nb::arg("first_row"),
      "Fill out, rows first_row and on, with planes beyond the known part of each row.");

  m.def(
      "continue_background",
      [](const Map& disparity, const Known& known, const Image& image, const Offsets& out,
         std::int64_t radius, std::int64_t first_row) {
        const auto map = map_of(disparity, known);
        const auto image_view = view(image);
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        double* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::continue_background(map, image_view, radius, first_row, first_row + rows, data);
      },
      nb::arg("disparity").noconvert(), nb::arg("known").noconvert(), nb::arg("image").noconvert(),
      nb::arg("out").noconvert(), nb::kw_only(), nb::arg("radius"), nb::arg("first_row"),
      "Fill out, rows first_row and on, with planes of the background between known pixels.");
}

void register_filling(nb::module_& m) {
  m.def(
      "count_support",
      [](const Labels& labels, const Known& known, const Counts& out, std::int64_t radius,
         std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(labels.shape(0));
        const auto width = static_cast<std::int64_t>(labels.shape(1));
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const std::int32_t* label_data = labels.data();
        const std::uint8_t* known_data = bytes(known);
        std::int32_t* counts = out.data();
        nb::gil_scoped_release release;
        rangemoves::count_support(label_data, known_data, height, width, radius, first_row,
                                  first_row + rows, counts);
      },
      nb::arg("labels").noconvert(), nb::arg("known").noconvert(), nb::arg("out").noconvert(),
      nb::kw_only(), nb::arg("radius"), nb::arg("first_row"),
      "Fill out, rows first_row and on, with how many known pixels around lie on the same "
      "surface.");

  m.def(
      "weighted_median",
      [](const Map& disparity, const Known& known, const Image& image, const Known& wanted,
         const Offsets& out, std::int64_t radius, std::int64_t first_row) {
        const auto map = map_of(disparity, known);
        const auto image_view = view(image);
        const std::uint8_t* where = bytes(wanted);
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        double* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::weighted_median(map, image_view, where, radius, first_row, first_row + rows,
                                    data);
      },
      nb::arg("disparity").noconvert(), nb::arg("known").noconvert(), nb::arg("image").noconvert(),
      nb::arg("wanted").noconvert(), nb::arg("out").noconvert(), nb::kw_only(), nb::arg("radius"),
      nb::arg("first_row"),
      "Fill out, rows first_row and on, with medians of like pixels where they are wanted.");
}

void register_smoothing(nb::module_& m) {
  m.def(
      "median_of_nine",
      [](const Map& map, const Offsets& out, std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(map.shape(0));
        const auto width = static_cast<std::int64_t>(map.shape(1));
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const double* values = map.data();
        double* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::median_of_nine(values, height, width, first_row, first_row + rows, data);
      },
      nb::arg("values").noconvert(), nb::arg("out").noconvert(), nb::kw_only(),
      nb::arg("first_row"),
      "Fill out, rows first_row and on, with the median of each 3 x 3 pixels.");

  m.def(
      "mean_of_surface",
      [](const Map& map, const Offsets& out, std::int64_t radius, double tolerance,
         std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(map.shape(0));
        const auto width = static_cast<std::int64_t>(map.shape(1));
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const double* values = map.data();
        double* data = out.data();
        nb::gil_scoped_release release;
        rangemoves::mean_of_surface(values, height, width, radius, tolerance, first_row,
                                    first_row + rows, data);
      },
      nb::arg("values").noconvert(), nb::arg("out").noconvert(), nb::kw_only(), nb::arg("radius"),
      nb::arg("tolerance"), nb::arg("first_row"),
      "Fill out, rows first_row and on, with the mean of like pixels around each.");
}

}  // namespace

void register_stereo(nb::module_& m) {
  register_costs(m);
  register_planes(m);
  register_filling(m);
  register_smoothing(m);
}
