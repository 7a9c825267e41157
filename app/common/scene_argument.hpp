// A scene as both programs take it on the command line: a file, or a generated scene by name.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace spira::app {

/// Throws Error(input), Error(usage) or NotEnoughMemory. `format` empty: found by content. `every`: only
/// every n-th point of a file.
[[nodiscard]] std::shared_ptr<const PointCloud> open_scene(const std::string& scene,
                                                           const std::string& format, std::int64_t every,
                                                           Job& job);

/// What an error says on a command line: with the option that would help, where one would.
[[nodiscard]] std::string error_text(const Error& error);

}  // namespace spira::app
