#include "app/spirascope/scripted.hpp"

#include "app/common/scene_argument.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"

#include <QApplication>

#include <algorithm>
#include <cstdio>

namespace spira::app {
namespace {

/// Returns true if a JobRunner is busy. All background work uses a JobRunner: jobs, surveys, selections,
/// advice, meshes.
bool computes(ui::Application& app) {
  if (app.jobs().runner()->busy() || app.selectionJobs().busy()) return true;
  const auto runners = app.window().findChildren<ui::JobRunner*>();
  return std::any_of(runners.begin(), runners.end(), [](const auto* runner) { return runner->busy(); });
}

bool waits_for_a_frame(ui::Application& app) {
  const auto views = app.window().findChildren<ui::SceneView*>();
  return std::any_of(views.begin(), views.end(), [](const ui::SceneView* view) {
    return view->canvas()->isVisible() && !view->held() && view->canvas()->framePending();
  });
}

}  // namespace

bool has_opened(ui::Application& app) {
  const ui::Workspace& open = app.workspace();
  return open.report() || open.voxels() || app.profileTools().tuning()->profile();
}

bool at_rest(ui::Application& app) {
  const ui::Workspace& open = app.workspace();
  if (computes(app) || !open.viewUpdates().empty() || waits_for_a_frame(app)) return false;
  if (!app.window().findChild<ui::ComparedScenes*>()->settled()) return false;
  if (app.lessons().player().lesson() && !app.lessons().pages().settled()) return false;
  return !open.voxels() || (open.shownMap(-1).map && app.sceneView().settled());
}

bool Rest::reached() {
  constexpr int enough = 3;
  opened_ = opened_ || has_opened(*app_);
  polls_ = opened_ && at_rest(*app_) ? polls_ + 1 : 0;
  return polls_ >= enough;
}

void end_with(const Error& error) {
  std::fprintf(stderr, "spirascope: %s\n", error_text(error).c_str());
  QApplication::exit(facts(error.kind()).exit_code);
}

}  // namespace spira::app
