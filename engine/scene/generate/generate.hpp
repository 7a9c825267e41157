// Generates the built-in scenes from a seed. A seed gives the same points on every platform.
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
  std::string_view id;     ///< "street", "room" or "random".
  std::string_view label;  ///< For example "Street: a simulated 64-beam sweep".
  double voxel_m;          ///< A suitable voxel size in metres.
  std::int64_t points;     ///< The number of points that is requested if the user does not choose a number.
  std::int64_t made;       ///< The number of points that the generator creates for this request with seed 1.
};
[[nodiscard]] std::span<const GeneratorFacts> generators() noexcept;

/// Generates a scene. "street" is a sweep of a 64-beam lidar over ground, walls, cars, poles and trees, with
/// intensities and labels. "room" consists of surfaces with colours, like a scan of an RGB-D camera. "random"
/// is uniform noise. `points` is the number of points, or 0 for the default; "street" and "room" contain only
/// about this number. Throws `Error(usage)` if the id is unknown.
[[nodiscard]] std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points,
                                                               std::uint64_t seed, Job& job);

/// Returns true if `scene` has the form ID or ID:SEED with the id of a generator, and no file with this name
/// exists.
[[nodiscard]] bool names_built_in_scene(const std::string& scene);
/// Generates the scene that `scene` names (see names_built_in_scene()), with the default number of points.
/// Throws `Error(usage)` if the seed is not a whole number.
[[nodiscard]] std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job);

[[nodiscard]] PointCloud generate_street(std::int64_t points, Random& random, Job& job);
[[nodiscard]] PointCloud generate_room(std::int64_t points, Random& random, Job& job);

}  // namespace spira
