// Names of option values in --help. Completions and man pages parse these names: words in lower case are
// choices, FILE and FOLDER are paths, and a bar separates alternatives.
#pragma once

#include <string>

namespace spira::app {

inline constexpr const char* file_value = "FILE";
inline constexpr const char* folder_value = "FOLDER";
inline constexpr const char* backend_value = "auto|cpu|cuda|reference";

[[nodiscard]] std::string generator_value();  ///< "street|room|random"
[[nodiscard]] std::string scene_value();      ///< generator_value() or FILE
[[nodiscard]] std::string network_value();    ///< "resn21|minkunet42|resnl20|FILE"
[[nodiscard]] std::string format_value();     ///< The formats that can be read, separated by bars.

}  // namespace spira::app
