// Protects the files that a command reads from being overwritten by the files that it writes.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

/// Throws Error(usage) if one of `files` is named by an option of `command` that is not in `output_options`.
/// Compares devices and inodes, so links and other spellings are found. Standard input, label files that are
/// read together with a scan, and the scene files of a folder given as input count as inputs.
void refuse_overwriting_inputs(const CLI::App& command, const std::vector<std::string>& output_options,
                               const std::vector<std::string>& files);

}  // namespace spira::app
