// Scenes on the command line of both programs: a file, or the name of a generated scene.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace spira::app {

/// Opens a file or generates a scene. If `format` is empty, the format is detected from the content. Reads
/// only every `every`-th point of a file. Throws Error(input), Error(usage) or NotEnoughMemory.
[[nodiscard]] std::shared_ptr<const PointCloud> open_scene(const std::string& scene,
                                                           const std::string& format, std::int64_t every,
                                                           Job& job);

/// Adds --format, and the options that describe a format in other words: --columns, --type, --planar,
/// --big-endian and --skip-bytes for rows without a header, --array for archives. After parsing, `format`
/// holds the text that LoadOptions::format expects, such as "rows:f32:x,y,z,intensity". Throws
/// CLI::ValidationError during parsing if they contradict each other.
void add_format(CLI::App& command, std::string& format);

/// Returns the message of `error`, followed by the option that can fix the error, if there is one.
[[nodiscard]] std::string error_text(const Error& error);

}  // namespace spira::app
