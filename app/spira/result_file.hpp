// Where -o puts results: a file that is tried before anything is measured, or standard output.
#pragma once

#include "app/spira/options.hpp"

#include <string>
#include <string_view>

namespace spira::app {

inline constexpr std::string_view standard_output = "-";  ///< as a file; the file of that name is "./-"

/// Of a command that measures and writes JSON. "-" becomes --json, and `file` empty. Throws Error(usage)
/// where
/// --csv wants standard output too, Error(input) where the file cannot be written.
void prepare_result_file(std::string& file, OutputOptions& output);

}  // namespace spira::app
