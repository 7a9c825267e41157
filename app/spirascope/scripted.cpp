#include "app/spirascope/scripted.hpp"

#include "app/common/scene_argument.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>

#include <algorithm>
#include <cstdio>

namespace spira::app {
namespace {

bool waits_for_a_frame(const ui::MainWindow& window) {
  const auto views = window.findChildren<ui::SceneView*>();
  return std::any_of(views.begin(), views.end(), [](const ui::SceneView* view) {
    return view->canvas()->isVisible() && !view->held() && view->canvas()->framePending();
  });
}

}  // namespace

bool has_opened(ui::MainWindow& window) {
  const ui::Workspace& open = window.workspace();
  return open.report() || open.voxels() || window.profileTools().tuning()->profile();
}

bool at_rest(ui::MainWindow& window) {
  const ui::Workspace& open = window.workspace();
  if (!window.tasks().idle() || !open.followUps().empty() || waits_for_a_frame(window)) return false;
  if (!window.comparedScenes().settled()) return false;
  if (window.lessons().player().lesson() && !window.lessons().settled()) return false;
  return !open.voxels() || (open.shownMap(-1).map && window.sceneView().settled());
}

bool Rest::reached() {
  constexpr int enough = 3;
  opened_ = opened_ || has_opened(*window_);
  polls_ = opened_ && at_rest(*window_) ? polls_ + 1 : 0;
  return polls_ >= enough;
}

void end_with(const Error& error) {
  std::fprintf(stderr, "spirascope: %s\n", error_text(error).c_str());
  QApplication::exit(facts(error.kind()).exit_code);
}

}  // namespace spira::app
