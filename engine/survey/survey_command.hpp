// The command line that makes a survey again.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>
#include <vector>

namespace spira {

/// Program and arguments. `densities`: with the kernel of its densities, where it has any; else with what its
/// packings are judged for.
[[nodiscard]] std::vector<std::string> command_of_survey(const Survey& survey, bool densities);

}  // namespace spira
