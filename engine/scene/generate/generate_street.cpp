// Generates a street as one sweep of a simulated 64-beam sensor. Each beam ends at the nearest surface:
// ground, wall, car, pole or tree.
#include "engine/scene/generate/generate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace spira {
namespace {

constexpr double sensor_height_m = 1.73, range_m = 78.0;
constexpr int beams = 64;
constexpr double lowest_beam_deg = -24.8, highest_beam_deg = 2.0;
constexpr double never = std::numeric_limits<double>::infinity();

// Class numbers from SemanticKITTI.
enum Class : std::uint32_t { car = 10, road = 40, sidewalk = 48, building = 50, vegetation = 70, pole = 80 };

struct Ray {
  Point direction;  // a unit vector; rays start at the sensor, which is at 0
};

struct Box {
  double x, y, half_x, half_y, top, cosine, sine;
  Class kind;

  /// Returns the distance along the ray to the box, or `never` if the ray misses it. The box is on the ground
  /// and rotated about z.
  [[nodiscard]] double hit(const Ray& ray) const {
    const double dx = (ray.direction[0] * cosine) + (ray.direction[1] * sine);
    const double dy = (ray.direction[1] * cosine) - (ray.direction[0] * sine);
    const double ox = -((x * cosine) + (y * sine)), oy = -((y * cosine) - (x * sine));
    double near = 0.0, far = never;
    const auto slab = [&](double origin, double direction, double low, double high) {
      if (std::abs(direction) < 1e-12) {
        if (origin < low || origin > high) far = -1.0;
        return;
      }
      const double a = (low - origin) / direction, b = (high - origin) / direction;
      near = std::max(near, std::min(a, b));
      far = std::min(far, std::max(a, b));
    };
    slab(ox, dx, -half_x, half_x);
    slab(oy, dy, -half_y, half_y);
    slab(0.0, ray.direction[2], -sensor_height_m, top - sensor_height_m);
    return near <= far && near > 0.0 ? near : never;
  }
};

// The crown of a tree. A ray ends at a random point inside the crown.
struct Ball {
  Point centre;
  double radius;
  [[nodiscard]] double hit(const Ray& ray, Random& random) const {
    double along = 0, square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      along += centre[axis] * ray.direction[axis];
      square += centre[axis] * centre[axis];
    }
    const double inside = (along * along) - square + (radius * radius);
    if (inside < 0.0 || along < 0.0) return never;
    return along - (std::sqrt(inside) * random.uniform(-0.3, 1.0));
  }
};

// A pole or the trunk of a tree.
struct Pillar {
  double x, y, radius, top;
  Class kind;
  [[nodiscard]] double hit(const Ray& ray) const {
    const double a = (ray.direction[0] * ray.direction[0]) + (ray.direction[1] * ray.direction[1]);
    const double b = (x * ray.direction[0]) + (y * ray.direction[1]);
    const double root = (b * b) - (a * ((x * x) + (y * y) - (radius * radius)));
    if (root < 0.0 || b < 0.0 || a < 1e-12) return never;
    const double distance = (b - std::sqrt(root)) / a;
    return distance * ray.direction[2] + sensor_height_m <= top ? distance : never;
  }
};

struct Street {
  std::vector<Box> boxes;
  std::vector<Ball> crowns;
  std::vector<Pillar> pillars;
};

constexpr double kerb_m = 6.0, house_m = 13.0;

Street build_street(Random& random) {
  Street street;
  for (const double side : {-1.0, 1.0}) {
    for (double x = -75.0; x < 75.0;) {  // houses with gaps between them
      const double length = random.uniform(8.0, 22.0);
      const double depth = random.uniform(0.0, 3.0);
      street.boxes.push_back({x + (length / 2.0), side * (house_m + depth + 4.0), length / 2.0, 4.0,
                              random.uniform(5.0, 11.0), 1.0, 0.0, building});
      x += length + random.uniform(0.5, 6.0);
    }
    for (double x = -60.0; x < 60.0; x += random.uniform(6.0, 14.0)) {
      if (std::abs(x) < 4.0) continue;
      const double turn = random.uniform(-0.06, 0.06);
      street.boxes.push_back({x, side * (kerb_m - 1.6), random.uniform(1.9, 2.4), 0.9,
                              random.uniform(1.4, 1.8), std::cos(turn), std::sin(turn), car});
    }
    for (double x = -66.0; x < 66.0; x += random.uniform(12.0, 20.0)) {
      street.pillars.push_back({x, side * (kerb_m + 0.8), 0.12, random.uniform(5.0, 8.0), pole});
    }
    for (double x = -58.0; x < 62.0; x += random.uniform(9.0, 18.0)) {
      const double y = side * (kerb_m + random.uniform(2.0, 3.5)), height = random.uniform(3.0, 4.5);
      street.pillars.push_back({x, y, 0.2, height, vegetation});
      for (int leaves = 0; leaves < 4; ++leaves) {
        street.crowns.push_back({{x + random.uniform(-0.9, 0.9), y + random.uniform(-0.9, 0.9),
                                  height - sensor_height_m + random.uniform(0.0, 1.2)},
                                 random.uniform(0.9, 1.6)});
      }
    }
  }
  return street;
}

struct Hit {
  double distance = never;
  Class kind = road;
  double reflectance = 0.3;
};

Hit trace(const Street& street, const Ray& ray, Random& random) {
  Hit best;
  const auto offer = [&](double distance, Class kind, double reflectance) {
    if (distance < best.distance) best = {distance, kind, reflectance};
  };
  if (ray.direction[2] < 0.0) {
    const double distance = -sensor_height_m / ray.direction[2];
    const double y = std::abs(distance * ray.direction[1]);
    const double raised = y > kerb_m ? 0.12 : 0.0;
    offer(distance * (1.0 - (raised / sensor_height_m)), y > kerb_m ? sidewalk : road,
          y > kerb_m ? 0.35 : 0.22);
  }
  for (const Box& box : street.boxes)
    offer(box.hit(ray), box.kind, box.kind == car ? 0.6 : 0.45);
  for (const Pillar& pillar : street.pillars)
    offer(pillar.hit(ray), pillar.kind, 0.5);
  for (const Ball& crown : street.crowns)
    offer(crown.hit(ray, random), vegetation, 0.3);
  return best;
}

}  // namespace

PointCloud generate_street(std::int64_t points, Random& random, Job& job) {
  const Street street = build_street(random);
  // Share of the beams that return. The other beams point into the sky or exceed the range of the sensor.
  constexpr double share_that_returns = 0.88;
  const auto turns =
      std::max<std::int64_t>(8, std::llround(static_cast<double>(points) / (beams * share_that_returns)));
  PointCloud cloud;
  for (int beam = 0; beam < beams; ++beam) {
    const double share = static_cast<double>(beam) / (beams - 1);
    const double elevation =
        (highest_beam_deg + (share * (lowest_beam_deg - highest_beam_deg))) * std::numbers::pi / 180.0;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      if (turn % 4096 == 0) job.checkpoint({"simulating beams", beam, beams});
      const double azimuth = 2.0 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(turns);
      const Ray ray{{std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                     std::sin(elevation)}};
      const Hit hit = trace(street, ray, random);
      if (hit.distance > range_m) continue;
      const double distance = hit.distance + (0.012 * random.normal());
      Point p{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        p[axis] = ray.direction[axis] * distance;
      cloud.positions.push_back(p);
      const double fading = std::exp(-hit.distance / 60.0);
      cloud.intensity.push_back(
          static_cast<float>(std::clamp((hit.reflectance * fading) + (0.03 * random.normal()), 0.0, 1.0)));
      cloud.label.push_back(hit.kind);
    }
  }
  return cloud;
}

}  // namespace spira
