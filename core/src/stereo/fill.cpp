#include "rangemoves/stereo/fill.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace rangemoves {

namespace {

// Of the weighted median.
constexpr std::int64_t known_factor = 3;
// Of every window the median looks at each second row and column: a fourth of the work.
constexpr std::int64_t sample_step = 2;

// There are many hidden stretches in a row: their planes are fitted to every third row and column,
// and one of fewer pixels is too short for a slope to matter.
constexpr std::int64_t background_step = 3, shortest_stretch = 4;

struct Window {
  std::int64_t top, bottom, left, right;  // all inside
};

Window window_around(std::int64_t y, std::int64_t x, std::int64_t radius, std::int64_t height,
                     std::int64_t width) {
  return {std::max<std::int64_t>(y - radius, 0), std::min(y + radius, height - 1),
          std::max<std::int64_t>(x - radius, 0), std::min(x + radius, width - 1)};
}

// The first of the samples around a centre, which is one of them.
std::int64_t first_sample(std::int64_t begin, std::int64_t centre) {
  return begin + (centre - begin) % sample_step;
}

struct Weighted {
  double value;
  std::int64_t weight;
};

// The least value such that it and the smaller ones have half of the total weight. Around a value
// the others are parted into smaller and larger ones, and only the side is kept that the median is
// on: several times faster than sorting all.
double median_of(std::vector<Weighted>& values, std::int64_t total) {
  auto begin = values.begin(), end = values.end();
  for (std::int64_t below = 0;;) {
    const auto half = begin + (end - begin) / 2;
    const double pivot = std::max(std::min(begin->value, half->value),
                                  std::min(std::max(begin->value, half->value), (end - 1)->value));
    const auto less =
        std::partition(begin, end, [&](const Weighted& w) { return w.value < pivot; });
    std::int64_t sum = below;
    for (auto w = begin; w != less; ++w) sum += w->weight;
    if (2 * sum >= total) {
      end = less;
      continue;
    }
    const auto more =
        std::partition(less, end, [&](const Weighted& w) { return w.value == pivot; });
    for (auto w = less; w != more; ++w) sum += w->weight;
    if (2 * sum >= total) return pivot;
    begin = more;
    below = sum;
  }
}

// By how much colours change on the way between two pixels of some rows, along a row and a column.
class ColourPaths {
 public:
  ColourPaths(const ImageView& image, std::int64_t first_row, std::int64_t last_row)
      : first_row_(first_row), width_(image.width) {
    const auto size = static_cast<std::size_t>((last_row - first_row) * width_);
    along_row_.resize(size);
    along_column_.resize(size);
    for (std::int64_t y = first_row; y < last_row; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) {
        const std::size_t i = index(y, x);
        if (x > 0) along_row_[i] = along_row_[i - 1] + colour_step(image, y, x, y, x - 1);
        if (y > first_row)
          along_column_[i] = along_column_[index(y - 1, x)] + colour_step(image, y, x, y - 1, x);
      }
    }
  }

  // The better of the two ways with one turn.
  std::int64_t between(std::int64_t y, std::int64_t x, std::int64_t v, std::int64_t u) const {
    return std::min(down(y, v, x) + across(v, x, u), across(y, x, u) + down(y, v, u));
  }

 private:
  std::size_t index(std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((y - first_row_) * width_ + x);
  }
  std::int64_t across(std::int64_t y, std::int64_t x, std::int64_t u) const {
    return std::abs(along_row_[index(y, x)] - along_row_[index(y, u)]);
  }
  std::int64_t down(std::int64_t y, std::int64_t v, std::int64_t x) const {
    return std::abs(along_column_[index(y, x)] - along_column_[index(v, x)]);
  }

  std::int64_t first_row_, width_;
  std::vector<std::int64_t> along_row_, along_column_;  // sums from the first pixel on
};

// The first and the last known pixel of a row; where there is none the first comes after the last.
std::pair<std::int64_t, std::int64_t> known_part(const DisparityMap& map, std::int64_t y) {
  const std::uint8_t* known = map.known + y * map.width;
  const std::int64_t first = std::find(known, known + map.width, 1) - known;
  std::int64_t last = map.width - 1;
  while (last > first && !known[last]) --last;
  return {first, last};
}

// Planes where rows begin and end to be known, but for ends at the border of the image: nothing is
// missing there.
class RowEnds {
 public:
  RowEnds(const DisparityMap& map, const ImageView& image, std::int64_t radius,
          std::int64_t first_row, std::int64_t last_row)
      : first_row_(first_row),
        last_row_(last_row),
        channels_(image.channels),
        paths_(image, first_row, last_row) {
    const PlaneFit planes(map, image, radius, 1);
    for (std::int64_t y = first_row; y < last_row; ++y) {
      const auto [first, last] = known_part(map, y);
      begins_.push_back(first > 0 && first <= last ? End{first, planes.around(y, first)} : End{});
      ends_.push_back(last < map.width - 1 ? End{last, planes.around(y, last)} : End{});
    }
  }

  // The plane of the end to which the way is shortest, at a pixel.
  double nearest(std::int64_t y, std::int64_t x, std::int64_t reach, bool begin) const {
    const std::vector<End>& all = begin ? begins_ : ends_;
    std::int64_t shortest = -1;
    double value = 0;
    const std::int64_t top = std::max(y - reach, first_row_),
                       bottom = std::min(y + reach, last_row_ - 1);
    for (std::int64_t v = top; v <= bottom; ++v) {
      const End& end = all[static_cast<std::size_t>(v - first_row_)];
      if (end.column < 0) continue;
      const std::int64_t pixels = std::abs(x - end.column) + std::abs(y - v);
      const std::int64_t way = channels_ * pixels + paths_.between(y, x, v, end.column);
      if (shortest >= 0 && way >= shortest) continue;
      shortest = way;
      value = end.plane.at(x - end.column, y - v);
    }
    return value;
  }

 private:
  struct End {
    std::int64_t column = -1;
    Plane plane{};
  };

  std::int64_t first_row_, last_row_, channels_;
  ColourPaths paths_;
  std::vector<End> begins_, ends_;
};

}  // namespace

void count_support(const std::int32_t* labels, const std::uint8_t* known, std::int64_t height,
                   std::int64_t width, std::int64_t radius, std::int64_t first_row,
                   std::int64_t last_row, std::int32_t* count) {
  std::fill(count, count + (last_row - first_row) * width, 0);
  for (std::int64_t y = first_row; y < last_row; ++y, count += width) {
    for (std::int64_t v = std::max<std::int64_t>(y - radius, 0);
         v <= std::min(y + radius, height - 1); ++v) {
      for (std::int64_t dx = -radius; dx <= radius; ++dx) {
        const std::int64_t begin = std::max<std::int64_t>(0, -dx),
                           end = std::min(width, width - dx);
        const std::int32_t *mine = labels + y * width, *other = labels + v * width + dx;
        const std::uint8_t* there = known + v * width + dx;
        for (std::int64_t x = begin; x < end; ++x) {
          const std::int32_t step = mine[x] - other[x];
          count[x] += static_cast<std::int32_t>(step <= 1 && step >= -1) & there[x];
        }
      }
    }
  }
}

void extend_planes(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                   std::int64_t reach, std::int64_t first_row, std::int64_t last_row, double* out) {
  const RowEnds ends(map, image, radius, std::max<std::int64_t>(first_row - reach, 0),
                     std::min(last_row + reach, map.height));
  for (std::int64_t y = first_row; y < last_row; ++y, out += map.width) {
    const double* row = map.disparity + y * map.width;
    std::copy(row, row + map.width, out);
    const auto [first, last] = known_part(map, y);
    if (first > last) continue;
    for (std::int64_t x = 0; x < first; ++x) out[x] = ends.nearest(y, x, reach, true);
    for (std::int64_t x = last + 1; x < map.width; ++x) out[x] = ends.nearest(y, x, reach, false);
  }
}

void continue_background(const DisparityMap& map, const ImageView& image, std::int64_t radius,
                         std::int64_t first_row, std::int64_t last_row, double* out) {
  const PlaneFit planes_of(map, image, radius, background_step);
  for (std::int64_t y = first_row; y < last_row; ++y, out += map.width) {
    const double* row = map.disparity + y * map.width;
    const std::uint8_t* known = map.known + y * map.width;
    std::copy(row, row + map.width, out);
    std::int64_t before = -1;
    for (std::int64_t x = 0; x < map.width; ++x) {
      if (!known[x]) continue;
      const std::int64_t hidden = x - before - 1;
      if (before >= 0 && hidden > 0) {
        const std::int64_t further = row[before] <= row[x] ? before : x;
        const double nearer = std::max(row[before], row[x]);
        const Plane plane =
            hidden < shortest_stretch ? Plane{row[further], 0, 0} : planes_of.around(y, further);
        for (std::int64_t u = before + 1; u < x; ++u)
          out[u] = std::min(plane.at(u - further, 0), nearer);
      }
      before = x;
    }
  }
}

void weighted_median(const DisparityMap& map, const ImageView& image, const std::uint8_t* wanted,
                     std::int64_t radius, std::int64_t first_row, std::int64_t last_row,
                     double* out) {
  const Affinity affinity(image, radius);
  std::vector<Weighted> around;
  for (std::int64_t y = first_row; y < last_row; ++y) {
    for (std::int64_t x = 0; x < map.width; ++x, ++out) {
      *out = map.disparity[y * map.width + x];
      if (!wanted[y * map.width + x]) continue;
      const Window window = window_around(y, x, radius, map.height, map.width);
      around.clear();
      std::int64_t total = 0;
      for (std::int64_t v = first_sample(window.top, y); v <= window.bottom; v += sample_step) {
        for (std::int64_t u = first_sample(window.left, x); u <= window.right; u += sample_step) {
          const std::int64_t pixel = v * map.width + u;
          const std::int64_t weight = affinity(y, x, v, u) * (map.known[pixel] ? known_factor : 1);
          if (weight == 0) continue;
          around.push_back({map.disparity[pixel], weight});
          total += weight;
        }
      }
      *out = median_of(around, total);
    }
  }
}

}  // namespace rangemoves
