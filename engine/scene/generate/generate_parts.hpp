// Generators behind generate_scene(), one for each scene.
#pragma once

#include "engine/base/random.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

namespace spira {

[[nodiscard]] PointCloud generate_street(std::int64_t points, Random& random, Job& job);
[[nodiscard]] PointCloud generate_room(std::int64_t points, Random& random, Job& job);

}  // namespace spira
