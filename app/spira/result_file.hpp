// The option -o: the output goes to a file, which is checked before the measurement, or to standard output.
#pragma once

#include "app/spira/options.hpp"

#include <string>
#include <string_view>

namespace spira::app {

/// Value of -o for standard output. A file with the name "-" is given as "./-".
inline constexpr std::string_view standard_output = "-";

/// Returns true for "-", /dev/stdout and other names of the descriptor 1.
[[nodiscard]] bool is_standard_output(const std::string& file);

/// Throws Error(usage) if `file` is an input of `command`, Error(input) if it cannot be written.
void require_result_file(const CLI::App& command, const std::string& file);

/// Prepares -o of a command that measures and writes JSON: standard output becomes --json and an empty
/// `file`. Throws as require_result_file(), and Error(usage) if --csv wants standard output too.
void prepare_result_file(const CLI::App& command, std::string& file, OutputOptions& output);

}  // namespace spira::app
