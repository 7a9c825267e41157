#include "app/spirascope/scripted.hpp"

#include "app/common/scene_argument.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"

#include <QApplication>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace spira::app {
namespace {

bool waits_for_a_frame(ui::Application& app) {
  const auto views = app.window().findChildren<ui::SceneView*>();
  return std::any_of(views.begin(), views.end(), [](const ui::SceneView* view) {
    return view->canvas()->isVisible() && !view->held() && view->canvas()->framePending();
  });
}

}  // namespace

bool has_opened(ui::Application& app) {
  const ui::Workspace& open = app.workspace();
  return open.results().report() || open.scene().voxels() || app.profileTools().tuning()->profile();
}

bool at_rest(ui::Application& app) {
  const ui::Workspace& open = app.workspace();
  if (!app.tasks().idle() || !open.viewUpdates().empty() || waits_for_a_frame(app)) return false;
  if (!app.window().findChild<ui::ComparedScenes*>()->settled()) return false;
  if (app.window().findChild<ui::SummaryPanel*>()->counting()) return false;
  if (app.lessons().player().lesson() && !app.lessons().pages().settled()) return false;
  return !open.scene().voxels() || (open.shownMap(-1).map && app.sceneView().settled());
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

GivenCommands::GivenCommands(ui::Application* app, const std::vector<std::string>& ids, QObject* parent)
    : QObject(parent), app_(app), rest_(app), left_(ids.begin(), ids.end()) {
  for (const auto& id : ids) {
    if (app_->commands().action(QString::fromStdString(id)) == nullptr)
      throw Error(ErrorKind::usage, "--command " + id + ": unknown command");
  }
}

void GivenCommands::start() {
  if (!left_.empty()) QTimer::singleShot(poll_ms, this, &GivenCommands::poll);
}

/// Starts the next command if all work is finished and the view has its meshes. If a mesh arrived after the
/// command, it would reset the camera.
void GivenCommands::poll() {
  if (rest_.reached()) {
    rest_.begin();
    const std::string id = left_.front();
    left_.pop_front();
    const QString name = QString::fromStdString(id);
    // A script must not wait until a user answers a question.
    const bool asks = app_->unsavedResults().setAsks(false);
    const bool done = app_->commands().trigger(name);
    app_->unsavedResults().setAsks(asks);
    if (!done) {
      const std::string why = app_->commands().unavailableReason(name).toStdString();
      emit refused(Error(ErrorKind::usage, "--command " + id + ": " + (why.empty() ? "it cannot run" : why)));
    }
  }
  start();
}

}  // namespace spira::app
