// Weights of pixels by colour and distance.
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "rangemoves/stereo/affinity.hpp"

int main() {
  const std::vector<std::uint8_t> colours{10, 20, 30, 10, 20, 30, 13, 16, 30, 255, 255, 255};
  const rangemoves::ImageView image{colours.data(), 1, 4, 3};
  expect(rangemoves::colour_step(image, 0, 0, 0, 1) == 0, "one colour");
  expect(rangemoves::colour_step(image, 0, 0, 0, 2) == 7, "differences of all channels");
  const rangemoves::Affinity affinity(image, 3);
  expect(affinity(0, 1, 0, 1) == 255 * 255, "a pixel to itself");
  expect(affinity(0, 1, 0, 0) < affinity(0, 1, 0, 1), "less with distance");
  expect(affinity(0, 1, 0, 2) < affinity(0, 1, 0, 0), "less for another colour as far away");
  expect(affinity(0, 1, 0, 2) == affinity(0, 2, 0, 1), "the same both ways");
  expect(affinity(0, 2, 0, 3) == 0, "nothing for a colour that is quite another");
  return 0;
}
