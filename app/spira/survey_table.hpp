// Runs `spira info`, `densities` and `neighbours` for a folder: surveys the frames, prints the results and
// reports errors.
#pragma once

#include "app/spira/options.hpp"
#include "engine/survey/survey.hpp"

#include <string>
#include <vector>

namespace spira::app {

struct SurveyView {
  bool json = false, csv = false;
  /// If true, one row for each frame is printed after the summary. In CSV, the rows replace the summary.
  bool frames = false;
  bool densities = false;  ///< If true, densities are printed instead of counts and packings.
};

/// Returns the neighbours of each frame as a table of CSV.
[[nodiscard]] std::string neighbours_csv(const std::vector<FrameRow>& rows);

[[nodiscard]] bool names_folder(const std::string& scene);

/// Returns true if the scenes are one folder, or several files together with --frames. Throws Error(usage)
/// for a folder together with other scenes, for --frames with a single file, and for --every with a survey.
[[nodiscard]] bool is_survey(const std::vector<std::string>& scenes, bool frames, std::int64_t every);

/// Throws Error(usage) if `shard` is not empty and there is no folder or no grid, because each shard could
/// then choose a different grid.
void require_folder_and_grid(const std::string& shard, const std::vector<std::string>& scenes,
                             const std::string& grid);

/// Returns the survey in the form that `view` requests.
[[nodiscard]] std::string text_of(const Survey& survey, const SurveyView& view);

/// Completes `request` with the folder, the frames, the shard and the grid. Then surveys the frames and
/// prints the result. Afterwards, throws Error(cancelled) if frames are missing, or the most serious error if
/// every frame failed.
void print_survey(const Context& context, const std::vector<std::string>& scenes, const std::string& grid,
                  const std::string& shard, SurveyRequest request, const SurveyView& view);

}  // namespace spira::app
