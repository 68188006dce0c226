// The plane that a surface makes around one of its pixels.
#pragma once

#include <cstdint>

#include "rangemoves/stereo/affinity.hpp"

namespace rangemoves {

// Row after row; `known` is 1 where a disparity is trusted.
struct DisparityMap {
  const double* disparity;
  const std::uint8_t* known;
  std::int64_t height, width;
};

struct Plane {
  double height, slope_x, slope_y;  // at the pixel it was fitted around

  double at(std::int64_t dx, std::int64_t dy) const {
    return height + slope_x * static_cast<double>(dx) + slope_y * static_cast<double>(dy);
  }
};

// Fits planes to what is known within `radius` of a pixel, at each `step`th row and column.
//
// The first guess decides: one that takes much of what lies around finds slanted surfaces, but may
// lean on what stands before them; one that takes little finds those that face the camera. Both are
// fitted, and the one wins that more pixels lie on, the near ones of like colour above all.
class PlaneFit {
 public:
  PlaneFit(const DisparityMap& map, const ImageView& image, std::int64_t radius, std::int64_t step);

  Plane around(std::int64_t y, std::int64_t x) const;

 private:
  struct FirstGuess;

  template <class Visit>
  void for_each_known(std::int64_t y, std::int64_t x, const Plane& plane, Visit visit) const;
  Plane fit(std::int64_t y, std::int64_t x, const FirstGuess& guess) const;
  double support(std::int64_t y, std::int64_t x, const Plane& plane) const;

  DisparityMap map_;
  Affinity affinity_;
  std::int64_t radius_, step_;
};

}  // namespace rangemoves
