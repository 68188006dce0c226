// Views of a pair in bytes and 16-bit messages, for Python. The Python side has checked every
// argument, and calls for some rows at a time so that Ctrl-C is seen in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "rangemoves/messages/kernels.hpp"
#include "rangemoves/stereo/refine.hpp"
#include "rangemoves/stereo/view_blocks.hpp"
#include "rangemoves/stereo/view_sweeps.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Image = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Messages = nb::ndarray<std::int16_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Direction = nb::ndarray<std::int16_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const std::int16_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

rangemoves::ImageView view(const Image& image) {
  return {image.data(), static_cast<std::int64_t>(image.shape(0)),
          static_cast<std::int64_t>(image.shape(1)), static_cast<std::int64_t>(image.shape(2))};
}

rangemoves::ViewProblem problem_of(const Bytes& costs, const Weights& weights, std::int64_t labels,
                                   std::int32_t truncation) {
  const auto height = static_cast<std::int64_t>(costs.shape(0)),
             width = static_cast<std::int64_t>(costs.shape(1)),
             stride = static_cast<std::int64_t>(costs.shape(2));
  return {costs.data(), weights.data(), weights.data() + height * width, height, width, labels,
          stride,       truncation};
}

const rangemoves::ViewKernels& kernels() {
  return rangemoves::view_kernels(rangemoves::chosen_level().name);
}

void register_view_costs(nb::module_& m) {
  m.def(
      "view_costs",
      [](const Image& left, const Image& right, const Image& grey_left, const Image& grey_right,
         const Bytes& out, std::int64_t labels, std::int64_t min_disparity,
         std::int64_t first_row) {
        const auto rows = static_cast<std::int64_t>(out.shape(0)),
                   stride = static_cast<std::int64_t>(out.shape(2));
        const auto a = view(left), b = view(right), c = view(grey_left), d = view(grey_right);
        std::uint8_t* data = out.data();
        nb::gil_scoped_release release;
        kernels().costs(a, b, c, d, labels, stride, min_disparity, first_row, first_row + rows,
                        data);
      },
      nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("grey_left").noconvert(),
      nb::arg("grey_right").noconvert(), nb::arg("out").noconvert(), nb::kw_only(),
      nb::arg("labels"), nb::arg("min_disparity"), nb::arg("first_row"),
      "Fill out, rows first_row and on of the costs of the left view.");

  m.def(
      "turn_costs_right",
      [](const Bytes& costs, std::int64_t labels, std::int64_t min_disparity,
         std::int64_t first_row, std::int64_t last_row) {
        const auto width = static_cast<std::int64_t>(costs.shape(1)),
                   stride = static_cast<std::int64_t>(costs.shape(2));
        std::uint8_t* data = costs.data();
        nb::gil_scoped_release release;
        rangemoves::turn_costs_right(data, width, labels, stride, min_disparity, first_row,
                                     last_row);
      },
      nb::arg("costs").noconvert(), nb::kw_only(), nb::arg("labels"), nb::arg("min_disparity"),
      nb::arg("first_row"), nb::arg("last_row"), "Make costs of the left view those of the right.");

  m.def(
      "refine_view",
      [](const Bytes& costs, const Labels& labels, const Offsets& out, std::int64_t num_labels,
         std::int64_t radius, std::int64_t least_rise, std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(costs.shape(0)),
                   width = static_cast<std::int64_t>(costs.shape(1)),
                   stride = static_cast<std::int64_t>(costs.shape(2));
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const std::uint8_t* data = costs.data();
        const std::int32_t* label_data = labels.data();
        double* offsets = out.data();
        nb::gil_scoped_release release;
        rangemoves::refine_labels(data, label_data, height, width, num_labels, stride, radius,
                                  least_rise, first_row, first_row + rows, offsets);
      },
      nb::arg("costs").noconvert(), nb::arg("labels").noconvert(), nb::arg("out").noconvert(),
      nb::kw_only(), nb::arg("num_labels"), nb::arg("radius"), nb::arg("least_rise"),
      nb::arg("first_row"), "As refine_labels, for costs in bytes.");
}

void register_view_blocks(nb::module_& m) {
  m.def(
      "block_costs",
      [](const Bytes& costs, const Bytes& out, std::int64_t first_row) {
        const auto height = static_cast<std::int64_t>(costs.shape(0)),
                   width = static_cast<std::int64_t>(costs.shape(1)),
                   stride = static_cast<std::int64_t>(costs.shape(2)),
                   rows = static_cast<std::int64_t>(out.shape(0));
        const std::uint8_t* from = costs.data();
        std::uint8_t* to = out.data();
        nb::gil_scoped_release release;
        rangemoves::block_costs(from, height, width, stride, first_row, first_row + rows, to);
      },
      nb::arg("costs").noconvert(), nb::arg("out").noconvert(), nb::kw_only(), nb::arg("first_row"),
      "Fill out, rows first_row and on of the costs of blocks of two by two pixels.");

  m.def(
      "spread_messages",
      [](const Direction& blocks, const Direction& messages, std::int64_t first_row,
         std::int64_t last_row) {
        const auto height = static_cast<std::int64_t>(messages.shape(0)),
                   width = static_cast<std::int64_t>(messages.shape(1)),
                   stride = static_cast<std::int64_t>(messages.shape(2));
        const std::int16_t* from = blocks.data();
        std::int16_t* to = messages.data();
        nb::gil_scoped_release release;
        rangemoves::spread_messages(from, height, width, stride, first_row, last_row, to);
      },
      nb::arg("blocks").noconvert(), nb::arg("messages").noconvert(), nb::kw_only(),
      nb::arg("first_row"), nb::arg("last_row"),
      "Give the messages of some rows of blocks, in one direction, to their pixels.");
}

void register_view_sweeps(nb::module_& m) {
  m.def(
      "sweep_view",
      [](const Bytes& costs, const Weights& weights, const Messages& messages, std::int64_t labels,
         std::int32_t truncation, std::int64_t first_row, std::int64_t last_row, bool backward) {
        const auto problem = problem_of(costs, weights, labels, truncation);
        std::int16_t* data = messages.data();
        nb::gil_scoped_release release;
        kernels().sweep(problem, data, first_row, last_row, backward);
      },
      nb::arg("costs").noconvert(), nb::arg("weights").noconvert(), nb::arg("messages").noconvert(),
      nb::kw_only(), nb::arg("labels"), nb::arg("truncation"), nb::arg("first_row"),
      nb::arg("last_row"), nb::arg("backward"), "Send the messages of some rows.");

  m.def(
      "decode_view",
      [](const Bytes& costs, const Weights& weights, const Messages& messages, const Labels& out,
         std::int64_t labels, std::int32_t truncation, std::int64_t first_row,
         std::int64_t last_row) {
        const auto problem = problem_of(costs, weights, labels, truncation);
        const std::int16_t* data = messages.data();
        std::int32_t* found = out.data();
        nb::gil_scoped_release release;
        kernels().decode(problem, data, first_row, last_row, found);
      },
      nb::arg("costs").noconvert(), nb::arg("weights").noconvert(), nb::arg("messages").noconvert(),
      nb::arg("out").noconvert(), nb::kw_only(), nb::arg("labels"), nb::arg("truncation"),
      nb::arg("first_row"), nb::arg("last_row"),
      "Fill some rows of out with the labels that messages lead to.");

  m.def(
      "view_energy",
      [](const Bytes& costs, const Weights& weights, const Labels& found, std::int64_t labels,
         std::int32_t truncation) {
        const auto problem = problem_of(costs, weights, labels, truncation);
        const std::int32_t* data = found.data();
        nb::gil_scoped_release release;
        return rangemoves::view_energy(problem, data);
      },
      nb::arg("costs").noconvert(), nb::arg("weights").noconvert(), nb::arg("found").noconvert(),
      nb::kw_only(), nb::arg("labels"), nb::arg("truncation"),
      "The energy of labels, times VIEW_SCALE.");
}

}  // namespace

void register_views(nb::module_& m) {
  m.attr("VIEW_SCALE") = rangemoves::kViewScale;
  m.attr("VIEW_LARGEST_JUMP") = rangemoves::kLargestJump;
  m.attr("VIEW_LARGEST_TRUNCATION") = rangemoves::kLargestTruncation;
  m.attr("VIEW_LABEL_BLOCK") = rangemoves::kLabelBlock;
  m.def("view_level", [] { return rangemoves::chosen_level().name; });
  register_view_costs(m);
  register_view_blocks(m);
  register_view_sweeps(m);
}
