// A survey as JSON: resources/schemas/survey.schema.json.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>

namespace spira {

/// All rows and the summary; ends with a line end.
[[nodiscard]] std::string survey_json(const Survey& survey);

}  // namespace spira
