// A scene as both programs take it on the command line: a file, or a generated scene by name.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace spira::app {

/// Throws Error(input), Error(usage) or NotEnoughMemory. `format` empty: found by content. `every`: only
/// every n-th point of a file.
[[nodiscard]] std::shared_ptr<const PointCloud> open_scene(const std::string& scene,
                                                           const std::string& format, std::int64_t every,
                                                           Job& job);

/// Adds --format, and the options that describe a format in other words: --columns, --type, --planar,
/// --big-endian and --skip-bytes for rows without a header, --array for archives. After parsing, `format`
/// holds the text that LoadOptions::format expects, such as "rows:f32:x,y,z,intensity". Throws
/// CLI::ValidationError during parsing if they contradict each other.
void add_format(CLI::App& command, std::string& format);

/// What an error says on a command line: with the option that would help, where one would.
[[nodiscard]] std::string error_text(const Error& error);

}  // namespace spira::app
