// A scene as both programs take it on the command line: a file, or a generated scene by name.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <memory>
#include <string>

namespace spira::app {

/// True for "street", "room", "random" and "street:SEED" where no such file exists.
[[nodiscard]] bool names_generator(const std::string& scene);
/// Throws Error(input) or Error(usage). `format` empty: found by content.
[[nodiscard]] std::shared_ptr<const PointCloud> open_scene(const std::string& scene,
                                                           const std::string& format, Job& job);

}  // namespace spira::app
