// Implements `info` and `densities` on a folder: surveys the frames, prints the results, and reports
// failures.
#pragma once

#include "app/spira/options.hpp"
#include "engine/survey/survey.hpp"

#include <string>
#include <vector>

namespace spira::app {

struct SurveyView {
  bool json = false, csv = false;
  bool frames =
      false;  ///< Prints one row for each frame, after the summary or, in CSV, instead of the summary.
  bool densities = false;  ///< Prints densities instead of counts and packings.
};

[[nodiscard]] bool names_folder(const std::string& scene);

/// Returns true for one folder, or for several files with --frames. Throws Error(usage) for a folder together
/// with other scenes, for --frames with a single file, and for --every with a survey.
[[nodiscard]] bool is_survey(const std::vector<std::string>& scenes, bool frames, std::int64_t every);

/// Fills in folder, frames and grid of `request`, surveys the frames and prints the result. Then throws
/// Error(cancelled) if frames are missing, or the worst error if every frame failed.
void print_survey(const Context& context, const std::vector<std::string>& scenes, const std::string& grid,
                  SurveyRequest request, const SurveyView& view);

}  // namespace spira::app
