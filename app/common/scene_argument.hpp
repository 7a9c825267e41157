// Opens the scenes that are given on the command lines of `spira` and `spirascope` (files or generated
// scenes), and adds the options for their file formats.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira::app {

/// Opens a file or generates a scene. If `format` is empty, detects the format from the content. Reads only
/// every n-th point of a file, where n is `every`. Throws Error(input), Error(usage) or NotEnoughMemory.
[[nodiscard]] std::shared_ptr<const PointCloud> open_scene(const std::string& scene,
                                                           const std::string& format, std::int64_t every,
                                                           Job& job);

/// Adds the option --format and the options that describe a format: --columns, --type, --planar,
/// --big-endian and --skip-bytes for rows without a header, and --array for archives. After parsing,
/// `format` contains the text that LoadOptions::format expects, such as "rows:f32:x,y,z,intensity". Parsing
/// throws CLI::ValidationError if these options contradict each other.
void add_format(CLI::App& command, std::string& format);

/// Returns the message of `error`. If an option can solve the problem, the returned text also names this
/// option.
[[nodiscard]] std::string error_text(const Error& error);

/// Returns one line for each format that can be read, with its id, its extensions and its label.
[[nodiscard]] std::string reader_list();
/// Adds the option --list-readers, which prints reader_list() to stdout and ends the program.
void add_list_readers(CLI::App& program);

/// Throws Error(usage) if one of `files` would overwrite an input. Inputs are the files that the options of
/// `command` name, except the options in `output_options`. Standard input, the label files of a scan, and the
/// scene files in an input folder also count as inputs. Compares devices and inodes, so that links and
/// different spellings of a path are detected.
void refuse_overwriting_inputs(const CLI::App& command, const std::vector<std::string>& output_options,
                               const std::vector<std::string>& files);

}  // namespace spira::app
