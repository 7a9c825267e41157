// A survey as text of 80 columns, and its densities as CSV.
#pragma once

#include "engine/survey/survey.hpp"

#include <string>

namespace spira::app {

/// Counts, extents, bits and packings; outliers; faults; with `frames` a row for each frame.
[[nodiscard]] std::string survey_text(const Survey& survey, bool frames);
/// Densities by L1 norm in place of extents, bits and packings.
[[nodiscard]] std::string survey_densities_text(const Survey& survey, bool frames);
/// A row an L1 norm: quantiles over the frames.
[[nodiscard]] std::string densities_csv(const Survey& survey);
/// A row a frame: its mean density of each L1 norm.
[[nodiscard]] std::string frame_densities_csv(const Survey& survey);

}  // namespace spira::app
