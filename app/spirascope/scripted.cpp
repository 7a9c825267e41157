#include "app/spirascope/scripted.hpp"

#include "ui/model/tuning.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/compared_scenes.hpp"
#include "ui/window/main_window.hpp"
#include "ui/window/profile_tools.hpp"

#include <QApplication>

#include <cstdio>

namespace spira::app {

bool has_opened(ui::MainWindow& window) {
  const ui::Workspace& open = window.workspace();
  return open.report() || open.voxels() || window.profileTools().tuning()->profile();
}

bool at_rest(ui::MainWindow& window) {
  const ui::Workspace& open = window.workspace();
  if (window.jobs().runner()->busy() || !open.followUps().empty()) return false;
  if (window.profileTools().comparing()->busy() || !window.comparedScenes().settled()) return false;
  return !open.voxels() || (open.shownMap(-1).map && window.sceneView().settled());
}

void end_with(const Error& error) {
  std::fprintf(stderr, "spirascope: %s\n", error.what());
  QApplication::exit(facts(error.kind()).exit_code);
}

}  // namespace spira::app
