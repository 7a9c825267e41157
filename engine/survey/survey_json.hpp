// Writes a survey as JSON. The schema is resources/schemas/survey.schema.json.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>

namespace spira {

/// Returns all rows and the summary. The text ends with a newline.
[[nodiscard]] std::string survey_json(const Survey& survey);

}  // namespace spira
