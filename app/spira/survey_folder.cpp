#include "app/spira/survey_folder.hpp"

#include "app/spira/table.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/scene/standard_input.hpp"
#include "engine/survey/survey.hpp"

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

std::string text_of(const Survey& survey, const SurveyView& view) {
  if (view.json) return survey_json(survey);
  if (view.csv) return view.frames ? frame_densities_csv(survey) : densities_csv(survey);
  return view.densities ? survey_densities_text(survey, view.frames) : survey_text(survey, view.frames);
}

Error worst_fault(const Survey& survey) {
  auto worst = ErrorKind::input;
  for (const FrameRow& row : survey.rows) {
    if (row.fault_kind && facts(*row.fault_kind).exit_code > facts(worst).exit_code) worst = *row.fault_kind;
  }
  return {worst, survey.request.folder + ": no frame could be surveyed"};
}

}  // namespace

bool names_folder(const std::string& scene) {
  // A path that cannot be examined counts as a file, because the reader reports the fault.
  std::error_code fault;
  return !is_standard_input(scene) && std::filesystem::is_directory(scene, fault) && !is_scene_folder(scene);
}

bool is_survey(const std::vector<std::string>& scenes, bool frames, std::int64_t every) {
  const auto folder = std::find_if(scenes.begin(), scenes.end(), names_folder);
  if (folder != scenes.end() && scenes.size() > 1)
    throw Error(ErrorKind::usage, *folder + ": a folder must be the only argument");
  const bool picked = frames && scenes.size() > 1;
  if (folder == scenes.end() && frames && !picked)
    throw Error(ErrorKind::usage, "--frames: needs a folder or several files, but one file is given");
  if ((folder != scenes.end() || picked) && every > 1)
    throw Error(ErrorKind::usage,
                "--every: does not work with a survey, which reads all points of its frames");
  return folder != scenes.end() || picked;
}

void print_survey(const Context& context, const std::vector<std::string>& scenes, const std::string& grid,
                  SurveyRequest request, const SurveyView& view) {
  request.folder = scenes.front();
  request.picked = scenes.size() > 1;
  if (request.picked) {
    request.folder = std::filesystem::path(scenes.front()).parent_path().string();
    request.frames.assign(scenes.begin(), scenes.end());
  } else {
    request.frames = list_frames(scenes.front());
  }
  if (!grid.empty()) request.grid = parse_grid(grid);
  const auto backend = context.registry.make("cpu", context.backend_options());
  Job job = context.job();
  // Print the grid as soon as it is known, so that the user can stop early if it is wrong.
  bool grid_said = false;
  const auto say_grid = [&](const Survey& so_far) {
    if (grid_said || so_far.grid_from.empty()) return;
    grid_said = true;
    context.say("grid: " + shortest(so_far.grid->voxel_m[0]) + " m, chosen for " + so_far.grid_from +
                " (--grid sets it)");
  };
  const Survey survey = survey_frames(std::move(request), *backend, job, say_grid);
  const std::string progress =
      std::to_string(survey.rows.size()) + " of " + std::to_string(survey.request.frames.size()) + " frames";
  if (survey.rows.empty()) throw Error(ErrorKind::cancelled, "cancelled after " + progress);
  std::cout << text_of(survey, view) << std::flush;
  if (survey.partial()) throw Error(ErrorKind::cancelled, "cancelled after " + progress);
  if (survey.summary.faults == std::ssize(survey.rows)) throw worst_fault(survey);
  if (survey.summary.faults > 0)
    context.say(std::to_string(survey.summary.faults) + " of " + std::to_string(survey.rows.size()) +
                " frames cannot be surveyed");
}

}  // namespace spira::app
