// Generates a furnished room like an RGB-D scan: points on surfaces, with colours and a little noise.
#include "engine/scene/generate/generate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spira {
namespace {

/// A rectangle with the points corner + u * a + v * b.
struct Patch {
  Point corner, u, v;
  Colour colour;
  [[nodiscard]] double area() const {
    const Point n{(u[1] * v[2]) - (u[2] * v[1]), (u[2] * v[0]) - (u[0] * v[2]),
                  (u[0] * v[1]) - (u[1] * v[0])};
    return std::sqrt((n[0] * n[0]) + (n[1] * n[1]) + (n[2] * n[2]));
  }
};

/// Adds five faces of a box. The bottom face is never visible.
void add_box(std::vector<Patch>& patches, const Point& low, const Point& size, const Colour& colour) {
  const auto [x, y, z] = low;
  const auto [a, b, c] = size;
  patches.push_back({{x, y, z + c}, {a, 0, 0}, {0, b, 0}, colour});
  patches.push_back({{x, y, z}, {a, 0, 0}, {0, 0, c}, colour});
  patches.push_back({{x, y + b, z}, {a, 0, 0}, {0, 0, c}, colour});
  patches.push_back({{x, y, z}, {0, b, 0}, {0, 0, c}, colour});
  patches.push_back({{x + a, y, z}, {0, b, 0}, {0, 0, c}, colour});
}

void add_table(std::vector<Patch>& patches, const Point& at, const Point& size, const Colour& colour) {
  constexpr double leg_m = 0.06, top_m = 0.04;
  add_box(patches, {at[0], at[1], at[2] + size[2] - top_m}, {size[0], size[1], top_m}, colour);
  for (const double x : {0.0, size[0] - leg_m}) {
    for (const double y : {0.0, size[1] - leg_m})
      add_box(patches, {at[0] + x, at[1] + y, at[2]}, {leg_m, leg_m, size[2] - top_m}, colour);
  }
}

std::vector<Patch> furnish(Random& random) {
  constexpr double width_m = 5.0, depth_m = 4.0, height_m = 2.6;
  constexpr Colour wood{150, 105, 65}, wall{222, 214, 200}, floor{120, 95, 75}, cloth{70, 95, 140},
      shelf{95, 70, 50};
  std::vector<Patch> patches;
  patches.push_back({{0, 0, 0}, {width_m, 0, 0}, {0, depth_m, 0}, floor});
  patches.push_back({{0, 0, 0}, {0, depth_m, 0}, {0, 0, height_m}, wall});
  patches.push_back({{0, depth_m, 0}, {width_m, 0, 0}, {0, 0, height_m}, wall});
  patches.push_back({{width_m, 0, 0}, {0, depth_m, 0}, {0, 0, height_m}, wall});
  add_table(patches, {1.7, 1.4, 0}, {1.6, 0.9, 0.74}, wood);
  for (const double x : {1.8, 2.6}) {
    for (const double y : {0.8, 2.5}) {
      add_table(patches, {x, y, 0}, {0.42, 0.42, 0.45}, cloth);
      add_box(patches, {x, y < 1.0 ? y : y + 0.38, 0.45}, {0.42, 0.04, 0.5}, cloth);
    }
  }
  add_box(patches, {3.9, 3.1, 0}, {1.0, 0.35, 0.4}, wood);
  add_box(patches, {0.05, 2.4, 0}, {0.4, 1.5, 0.85}, shelf);
  for (int board = 0; board < 5; ++board)
    add_box(patches, {0.05, 0.3, 0.1 + (0.42 * board)}, {0.3, 1.4, 0.03}, shelf);
  for (int thing = 0; thing < 14; ++thing) {
    const Point size{random.uniform(0.06, 0.3), random.uniform(0.06, 0.3), random.uniform(0.05, 0.35)};
    const Colour colour{static_cast<std::uint8_t>(random.below(200) + 40),
                        static_cast<std::uint8_t>(random.below(200) + 40),
                        static_cast<std::uint8_t>(random.below(200) + 40)};
    const bool on_table = thing < 6;
    add_box(patches,
            {on_table ? random.uniform(1.75, 3.0) : random.uniform(0.6, 4.4),
             on_table ? random.uniform(1.45, 2.0) : random.uniform(0.2, 3.4), on_table ? 0.74 : 0.0},
            size, colour);
  }
  return patches;
}

}  // namespace

PointCloud generate_room(std::int64_t points, Random& random, Job& job) {
  constexpr double noise_m = 0.002;
  const auto patches = furnish(random);
  // Running sums of the areas. The number of points on a patch is proportional to its area.
  std::vector<double> ends;
  double total = 0;
  for (const Patch& patch : patches)
    ends.push_back(total += patch.area());
  PointCloud cloud;
  for (std::int64_t at = 0; at < points; ++at) {
    if (at % 65'536 == 0) job.checkpoint({"sampling surfaces", at, points});
    const auto found = std::lower_bound(ends.begin(), ends.end(), random.uniform() * total);
    const Patch& patch =
        patches[static_cast<std::size_t>(std::min(found - ends.begin(), std::ssize(ends) - 1))];
    const double a = random.uniform(), b = random.uniform();
    Point p{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      p[axis] = patch.corner[axis] + (a * patch.u[axis]) + (b * patch.v[axis]) + (noise_m * random.normal());
    }
    cloud.positions.push_back(p);
    const double shade = 1.0 + (0.06 * random.normal());
    Colour colour{};
    for (std::size_t c = 0; c < 3; ++c)
      colour[c] = static_cast<std::uint8_t>(std::clamp(patch.colour[c] * shade, 0.0, 255.0));
    cloud.colour.push_back(colour);
  }
  return cloud;
}

}  // namespace spira
