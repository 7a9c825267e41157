// Synthetic scenes from a seed. The points are the same on every platform.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace spira {

struct GeneratorFacts {
  std::string_view id;     ///< "street", "room", "random"
  std::string_view label;  ///< "Street: a simulated 64-beam sweep"
  double voxel_m;          ///< suitable voxel size, in metres
  std::int64_t points;     ///< default number of points
};
[[nodiscard]] std::span<const GeneratorFacts> generators() noexcept;

/// Generates a scene. "street" is a 64-beam sweep over ground, walls, cars, poles and trees, with intensity
/// and label. "room" has surfaces with colour, like an RGB-D scan. "random" is uniform noise. If `points` is
/// 0, uses the default number, otherwise about `points` ("random": exactly). Throws `Error(usage)` for an
/// unknown id.
[[nodiscard]] std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points,
                                                               std::uint64_t seed, Job& job);

}  // namespace spira
