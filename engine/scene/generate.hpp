// Seeded synthetic scenes: the same points on every platform.
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
  double voxel_m;          ///< a grid size that suits it
  std::int64_t points;     ///< default size
};
[[nodiscard]] std::span<const GeneratorFacts> generators() noexcept;

/// street: a 64-beam sweep over ground, walls, cars, poles and trees, with intensity and label; room:
/// RGB-D-like surfaces with colour; random: uniform noise. `points` 0: the default; otherwise about that many
/// (random: exactly). Throws Error(usage) for an unknown id.
[[nodiscard]] std::shared_ptr<const PointCloud> generate_scene(std::string_view id, std::int64_t points,
                                                               std::uint64_t seed, Job& job);

}  // namespace spira
