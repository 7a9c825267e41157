// Builds the command line that repeats a survey.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>
#include <vector>

namespace spira {

/// Returns the program and its arguments. If `densities` is true and the survey has densities, the command
/// uses their kernel size and stride. Otherwise it uses the kernel size and stride for which packings are
/// judged.
[[nodiscard]] std::vector<std::string> command_of_survey(const Survey& survey, bool densities);

}  // namespace spira
