// What `info` and `densities` do with a folder: survey its frames, print, and say how it went.
#pragma once

#include "app/spira/options.hpp"
#include "engine/survey/survey.hpp"

#include <string>
#include <vector>

namespace spira::app {

struct SurveyView {
  bool json = false, csv = false;
  bool frames = false;     ///< a row a frame, beside the summary or (CSV) in its place
  bool densities = false;  ///< what the text is about: densities, or counts and packings
};

[[nodiscard]] bool names_folder(const std::string& scene);

/// One folder, or several files with --frames. Throws Error(usage) where `scenes` holds a folder among
/// others, and where an option for folders meets none, or one for files a folder.
[[nodiscard]] bool is_survey(const std::vector<std::string>& scenes, bool frames, std::int64_t every);

/// Fills in folder, frames and grid of the request. After printing it throws Error(cancelled) for a part of
/// the frames, and the worst fault as an Error where no frame could be surveyed.
void print_survey(const Context& context, const std::vector<std::string>& scenes, const std::string& grid,
                  SurveyRequest request, const SurveyView& view);

}  // namespace spira::app
