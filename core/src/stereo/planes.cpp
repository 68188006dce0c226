#include "rangemoves/stereo/planes.hpp"

#include <algorithm>
#include <cmath>

namespace rangemoves {

// Takes pixels up to `near` off the disparity in the middle, and `per_pixel` more for every pixel
// of distance.
struct PlaneFit::FirstGuess {
  double near, per_pixel;
};

namespace {

// After the first fit a pixel is on the plane if it is no further from it than this.
constexpr double plane_tolerance = 1;
constexpr int fits = 3;
// Keeps planes through few pixels flat: as much as so many pixels at a distance of one.
constexpr double slope_penalty = 300;
// A pixel speaks for a plane up to this far off, the less the further.
constexpr double support_tolerance = 0.5;

struct Moments {
  double n = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;

  void add(double dx, double dy, double value) {
    n += 1, x += dx, y += dy, z += value;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
    xz += dx * value, yz += dy * value;
  }

  Plane fit(double penalty) const {
    const double a = xx - x * x / n + penalty, b = xy - x * y / n, c = yy - y * y / n + penalty;
    const double p = xz - x * z / n, q = yz - y * z / n, determinant = a * c - b * b;
    const double slope_x = (p * c - q * b) / determinant, slope_y = (q * a - p * b) / determinant;
    return {(z - slope_x * x - slope_y * y) / n, slope_x, slope_y};
  }
};

}  // namespace

PlaneFit::PlaneFit(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                   std::int64_t step)
    : map_(map), affinity_(image, radius), radius_(radius), step_(step) {}

// Calls visit(dx, dy, disparity, how far that is off the plane) for all that is known around.
template <class Visit>
void PlaneFit::for_each_known(std::int64_t y, std::int64_t x, const Plane& plane,
                              Visit visit) const {
  const std::int64_t reach = radius_ / step_ * step_;
  const std::int64_t up = std::min(reach, y / step_ * step_),
                     left = std::min(reach, x / step_ * step_);
  const std::int64_t bottom = std::min(y + reach, map_.height - 1),
                     right = std::min(x + reach, map_.width - 1);
  for (std::int64_t v = y - up; v <= bottom; v += step_) {
    const double* disparity = map_.disparity + v * map_.width;
    const std::uint8_t* known = map_.known + v * map_.width;
    for (std::int64_t u = x - left; u <= right; u += step_) {
      if (!known[u]) continue;
      const std::int64_t dx = u - x, dy = v - y;
      visit(dx, dy, disparity[u], std::fabs(disparity[u] - plane.at(dx, dy)));
    }
  }
}

// Least squares over the pixels near the last plane, a few times.
Plane PlaneFit::fit(std::int64_t y, std::int64_t x, const FirstGuess& guess) const {
  Plane plane{map_.disparity[y * map_.width + x], 0, 0};
  for (int round = 0; round < fits; ++round) {
    Moments moments;
    for_each_known(y, x, plane, [&](std::int64_t dx, std::int64_t dy, double value, double off) {
      const auto far = static_cast<double>(std::max(std::abs(dx), std::abs(dy)));
      const double most = round == 0 ? guess.near + guess.per_pixel * far : plane_tolerance;
      if (off <= most) moments.add(static_cast<double>(dx), static_cast<double>(dy), value);
    });
    if (moments.n == 0) break;
    plane = moments.fit(slope_penalty / static_cast<double>(step_ * step_));
  }
  return plane;
}

double PlaneFit::support(std::int64_t y, std::int64_t x, const Plane& plane) const {
  double sum = 0;
  for_each_known(y, x, plane, [&](std::int64_t dx, std::int64_t dy, double, double off) {
    if (off < support_tolerance)
      sum += static_cast<double>(affinity_(y, x, y + dy, x + dx)) * (support_tolerance - off);
  });
  return sum;
}

Plane PlaneFit::around(std::int64_t y, std::int64_t x) const {
  const Plane slanted = fit(y, x, {2, 0.25}), facing = fit(y, x, {1, 0.05});
  return support(y, x, facing) > support(y, x, slanted) ? facing : slanted;
}

}  // namespace rangemoves
