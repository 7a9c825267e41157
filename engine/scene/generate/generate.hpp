// Generates the built-in scenes: synthetic points from a seed. The points are the same on every platform.
#pragma once

#include "engine/base/hash_and_random.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spira {

struct GeneratorFacts {
  std::string_view id;     ///< One of "street", "room", "random".
  std::string_view label;  ///< Example: "Street: a simulated 64-beam sweep".
  double voxel_m;          ///< Suitable voxel size, in metres.
  std::int64_t points;     ///< Default number of points.
};
[[nodiscard]] std::span<const GeneratorFacts> generators() noexcept;

/// Generates a scene. "street" is a 64-beam sweep over ground, walls, cars, poles and trees, with intensities
/// and labels. "room" consists of surfaces with colours, like an RGB-D scan. "random" is uniform noise. The
/// scene has about `points` points ("random": exactly), or the default number if `points` is 0. Throws
/// `Error(usage)` for an unknown id.
[[nodiscard]] std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points,
                                                               std::uint64_t seed, Job& job);

/// Returns true if `scene` is the id of a generator, optionally followed by ":SEED", and no file has this
/// name.
[[nodiscard]] bool names_built_in_scene(const std::string& scene);
/// Generates the scene that `scene` names, with the default number of points. Throws `Error(usage)` if the
/// seed is not a whole number.
[[nodiscard]] std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job);

[[nodiscard]] PointCloud generate_street(std::int64_t points, Random& random, Job& job);
[[nodiscard]] PointCloud generate_room(std::int64_t points, Random& random, Job& job);

}  // namespace spira
