#include "engine/survey/survey_command.hpp"

namespace spira {

std::vector<std::string> command_of_survey(const Survey& survey, bool densities) {
  const SurveyRequest& request = survey.request;
  const bool counted = densities && request.density_kernel_size > 0;
  std::vector<std::string> words{"spira", counted ? "densities" : "info"};
  if (request.picked) {
    for (const auto& frame : request.frames)
      words.push_back(frame.string());
  } else {
    words.push_back(request.folder);
  }
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (!request.format.empty()) add("--format", request.format);
  if (survey.grid) add("--grid", grid_text(survey.grid->voxel_m));
  if (request.crop_m) add("--crop", crop_text(*request.crop_m));
  add("--kernel", std::to_string(counted ? request.density_kernel_size : request.judged_kernel_size));
  add("--stride", std::to_string(counted ? request.density_stride : request.judged_max_stride));
  if (request.picked) words.emplace_back("--frames");
  words.emplace_back("--json");
  return words;
}

}  // namespace spira
