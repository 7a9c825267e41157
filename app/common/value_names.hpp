// What an option's value is called in --help. Completions and man pages read it back: words in lower case are
// choices, FILE and FOLDER are paths, a bar parts alternatives.
#pragma once

#include <string>

namespace spira::app {

inline constexpr const char* file_value = "FILE";
inline constexpr const char* folder_value = "FOLDER";
inline constexpr const char* backend_value = "auto|cpu|cuda|reference";

[[nodiscard]] std::string generator_value();  ///< "street|room|random"
[[nodiscard]] std::string scene_value();      ///< those or FILE
[[nodiscard]] std::string network_value();    ///< "resn21|minkunet42|resnl20|FILE"
[[nodiscard]] std::string format_value();     ///< formats that can be read

}  // namespace spira::app
