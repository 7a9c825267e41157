#include "engine/scene/generate/generate.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace spira {
namespace {

constexpr std::array<GeneratorFacts, 3> all_generators{{
    {"street", "Street: a simulated 64-beam sweep", 0.1, 120'000, 134'401},
    {"room", "Room: surfaces as an RGB-D camera sees them", 0.02, 200'000, 200'000},
    {"random", "Random: uniform noise", 0.1, 100'000, 100'000},
}};

PointCloud generate_random(std::int64_t points, Random& random, Job& job) {
  // The box has 400 x 400 x 100 cells of 0.1 m. By default, less than 1 % of the cells contain a point.
  constexpr double width_m = 40.0, height_m = 10.0;
  PointCloud cloud;
  for (std::int64_t at = 0; at < points; ++at) {
    if (at % 65'536 == 0) job.checkpoint({"generating points", at, points});
    cloud.positions.push_back(
        {random.uniform(0, width_m), random.uniform(0, width_m), random.uniform(0, height_m)});
  }
  return cloud;
}

}  // namespace

std::span<const GeneratorFacts> generators() noexcept {
  return all_generators;
}

std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points, std::uint64_t seed,
                                                 Job& job) {
  constexpr std::int64_t max_points = 100'000'000;
  if (points < 0 || points > max_points) {
    throw Error(ErrorKind::usage,
                std::to_string(points) + " points: expected 1 to " + count_text(max_points));
  }
  std::string choices;
  for (const auto& facts : all_generators) {
    choices += (choices.empty() ? "" : ", ") + std::string(facts.id);
    if (facts.id != id) continue;
    Random random(seed);
    const std::int64_t wanted = points == 0 ? facts.points : points;
    PointCloud cloud = id == "street" ? generate_street(wanted, random, job)
                       : id == "room" ? generate_room(wanted, random, job)
                                      : generate_random(wanted, random, job);
    cloud.name = std::string(id);
    cloud.source = "generated:" + std::string(id) + " seed " + std::to_string(seed);
    cloud.format = "generated";
    cloud.reading = "generated " + std::string(id) + ", seed " + std::to_string(seed) + "; " +
                    counted_text(cloud.size(), "point", "points");
    return std::make_shared<const PointCloud>(std::move(cloud));
  }
  throw Error(ErrorKind::usage, "generator '" + std::string(id) + "': expected " + choices);
}

bool names_built_in_scene(const std::string& scene) {
  const std::string id = scene.substr(0, scene.find(':'));
  const auto all = generators();
  std::error_code fault;  // If the lookup fails, the name counts as a file name.
  const auto type = std::filesystem::status(scene, fault).type();
  return type == std::filesystem::file_type::not_found &&
         std::any_of(all.begin(), all.end(), [&](const GeneratorFacts& facts) { return facts.id == id; });
}

std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job) {
  const auto colon = scene.find(':');
  std::uint64_t seed = 1;
  if (colon != std::string::npos) {
    const auto value = parse_int(scene.substr(colon + 1));
    if (!value || *value < 0)
      throw Error(ErrorKind::usage, scene + ": the seed after the colon must be a whole number");
    seed = static_cast<std::uint64_t>(*value);
  }
  return generate_scene(scene.substr(0, colon), 0, seed, job);
}

namespace {

/// A rectangle. Its points are corner + a * u + b * v, with a and b from 0 to 1.
struct Patch {
  Point corner, u, v;
  Colour colour;
  [[nodiscard]] double area() const {
    const Point n{(u[1] * v[2]) - (u[2] * v[1]), (u[2] * v[0]) - (u[0] * v[2]),
                  (u[0] * v[1]) - (u[1] * v[0])};
    return std::sqrt((n[0] * n[0]) + (n[1] * n[1]) + (n[2] * n[2]));
  }
};

/// Adds the faces of a box to `patches`, except the bottom, which is never visible.
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
  // Running sums of the areas. They map a random number from 0 to the total area to a patch, so that large
  // patches are selected more often.
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

namespace {

constexpr double sensor_height_m = 1.73, range_m = 78.0;
constexpr int beams = 64;
constexpr double lowest_beam_deg = -24.8, highest_beam_deg = 2.0;
constexpr double never = std::numeric_limits<double>::infinity();

// Class numbers of SemanticKITTI.
enum Class : std::uint32_t { car = 10, road = 40, sidewalk = 48, building = 50, vegetation = 70, pole = 80 };

struct Ray {
  Point direction;  // A unit vector. All rays start at the sensor, at (0, 0, 0).
};

struct Box {
  double x, y, half_x, half_y, top, cosine, sine;
  Class kind;

  /// Returns the distance along the ray to the box, or `never` if the ray misses the box. The box is on the
  /// ground and can be rotated about z.
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

// The crown of a tree. A ray that enters the crown ends at a random point inside it.
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
    for (double x = -75.0; x < 75.0;) {  // The houses have gaps between them.
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
  // The share of the laser pulses that return. The other pulses go into the sky or beyond the range of the
  // sensor.
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
