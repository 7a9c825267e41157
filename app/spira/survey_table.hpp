// Formats a survey as text of 80 columns, and its densities as CSV.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>

namespace spira::app {

/// Contains counts, extents, bits and packings, outliers and faults. With `frames`, also contains a row for
/// each frame.
[[nodiscard]] std::string survey_text(const Survey& survey, bool frames);
/// Contains densities by L1 norm instead of extents, bits and packings.
[[nodiscard]] std::string survey_densities_text(const Survey& survey, bool frames);
/// One row for each L1 norm: quantiles over the frames.
[[nodiscard]] std::string densities_csv(const Survey& survey);
/// One row for each frame: its mean density for each L1 norm.
[[nodiscard]] std::string frame_densities_csv(const Survey& survey);

}  // namespace spira::app
