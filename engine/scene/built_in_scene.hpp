// Built-in scenes by name, as accepted by command lines, sessions and the window: "street", "street:7".
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <memory>
#include <string>

namespace spira {

/// Returns true for the id of a generator, alone or with ":SEED", if no file of that name exists.
[[nodiscard]] bool names_built_in_scene(const std::string& scene);
/// Generates the scene with the default number of points of its generator. Throws `Error(usage)` if the seed
/// is not a whole number.
[[nodiscard]] std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job);

}  // namespace spira
