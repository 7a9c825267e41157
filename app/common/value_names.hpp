// Declares the names of option values in --help. The completions and man pages parse these names: words in
// lower case are choices, FILE and FOLDER are paths, and a vertical bar separates alternatives.
#pragma once

#include <string>

namespace spira::app {

inline constexpr const char* file_value = "FILE";
inline constexpr const char* folder_value = "FOLDER";
inline constexpr const char* backend_value = "auto|cpu|cuda|reference";

[[nodiscard]] std::string generator_value();  ///< Returns "street|room|random".
[[nodiscard]] std::string scene_value();      ///< Returns generator_value() or FILE.
[[nodiscard]] std::string network_value();    ///< Returns "resn21|minkunet42|resnl20|fcgf|sbnet|FILE".
/// Returns the formats that can be read, separated by vertical bars.
[[nodiscard]] std::string format_value();

}  // namespace spira::app
