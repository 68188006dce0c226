// Planes of surfaces, alone and beside others.
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/planes.hpp"

namespace {

constexpr std::int64_t height = 41, width = 61;

struct Scene {
  std::vector<double> disparity = std::vector<double>(height * width);
  std::vector<std::uint8_t> known = std::vector<std::uint8_t>(height * width, 1);
  std::vector<std::uint8_t> grey = std::vector<std::uint8_t>(height * width, 90);

  rangemoves::Plane around(std::int64_t y, std::int64_t x, std::int64_t step) const {
    const rangemoves::DisparityMap map{disparity.data(), known.data(), height, width};
    return rangemoves::PlaneFit(map, {grey.data(), height, width, 1}, 25, step).around(y, x);
  }
};

void a_plane_is_found() {
  Scene scene;
  for (std::int64_t i = 0; i < height * width; ++i)
    scene.disparity[static_cast<std::size_t>(i)] =
        20 + 0.1 * static_cast<double>(i % width) - 0.05 * static_cast<double>(i / width);
  for (const std::int64_t step : {1, 3}) {
    const rangemoves::Plane plane = scene.around(20, 30, step);
    expect(std::fabs(plane.height - 22) < 0.02, "its height there");
    expect(std::fabs(plane.slope_x - 0.1) < 0.01 && std::fabs(plane.slope_y + 0.05) < 0.01,
           "its slopes");
    expect(std::fabs(plane.at(10, -10) - 23.5) < 0.2, "what it is elsewhere");
  }
}

void few_pixels_make_a_flat_plane() {
  Scene scene;
  scene.known.assign(scene.known.size(), 0);
  scene.disparity[0] = 7, scene.known[0] = 1;
  scene.disparity[1] = 8, scene.known[1] = 1;
  const rangemoves::Plane plane = scene.around(0, 0, 1);
  expect(std::fabs(plane.slope_x) < 0.01 && std::fabs(plane.height - 7.5) < 0.01,
         "two pixels say nothing of a slope");
}

void what_looks_alike_decides() {
  // A strip that faces the camera, and beside it something nearer of another colour.
  Scene scene;
  for (std::int64_t i = 0; i < height * width; ++i) {
    const bool is_near = i % width >= 8;
    scene.disparity[static_cast<std::size_t>(i)] = is_near ? 28 : 24;
    scene.grey[static_cast<std::size_t>(i)] = is_near ? 200 : 90;
  }
  const rangemoves::Plane plane = scene.around(20, 0, 1);
  expect(std::fabs(plane.height - 24) < 0.1 && std::fabs(plane.slope_x) < 0.02,
         "the strip alone, not a slope through both");
}

}  // namespace

int main() {
  a_plane_is_found();
  few_pixels_make_a_flat_plane();
  what_looks_alike_decides();
  return 0;
}
