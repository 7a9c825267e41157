// Built-in scenes by name, as command lines, sessions and the window take them: "street", "street:7".
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <memory>
#include <string>

namespace spira {

/// True for a generator's id, alone or with ":SEED", where no file of that name exists.
[[nodiscard]] bool names_built_in_scene(const std::string& scene);
/// Of about as many points as its generator makes by itself. Throws Error(usage) for a seed that is no whole
/// number.
[[nodiscard]] std::shared_ptr<const PointCloud> built_in_scene(const std::string& scene, Job& job);

}  // namespace spira
