// Scenes as they were left: camera, crop and colours of each come back when it is opened again.
#include "engine/base/error.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/lessons.hpp"
#include "ui/window/main_window.hpp"

#include <QFileInfo>

#include <utility>

namespace spira::ui {

/// Before another takes its place. What a report shows is all in the report; files that were picked have no
/// name that stands for all of them; and what a lesson shows is not how anybody left the scene.
void MainWindow::rememberScene() {
  const bool file = workspace_->voxels() && !workspace_->report() && QFileInfo::exists(reopen_);
  const bool picked = workspace_->frames().size() > 1 && !QFileInfo(reopen_).isDir();
  if (!file || picked || lessons_->player().lesson()) return;
  if (!settings_->truth("scenes.remember") || !whyNoSession().isEmpty()) return;
  SessionState look = session();
  look.parameters.network.reset();  // it may be large, and is of no one scene
  look.parameters.plan = {};
  memory_.keep(reopen_, QString::fromStdString(session_json(look, {})));
}

bool MainWindow::openAsLeft(const QString& scene) {
  const QString kept = settings_->truth("scenes.remember") ? memory_.of(scene) : QString();
  if (kept.isEmpty() || jobs_->readsPart()) return false;
  try {
    arriving_ = Arriving{parse_session(kept.toStdString(), "scenes.json", {}), {}, {}, true, scene};
  } catch (const Error& error) {  // of a later version
    workspace_->addLog(tr("view not restored: %1").arg(QString::fromStdString(error.what())));
    return false;
  }
  const auto& crop = arriving_->session.parameters.grid.crop_m;
  workspace_->addLog(crop ? tr("%1: restored camera, colours and crop").arg(QFileInfo(scene).fileName())
                          : tr("%1: restored camera and colours").arg(QFileInfo(scene).fileName()));
  jobs_->open(scene, {}, arriving_->session.parameters.grid);
  return true;
}

/// What was hidden in a scene weeks ago should not hide parts of another one.
void MainWindow::forgetLook() {
  if (!std::exchange(look_was_left_, false)) return;
  selection_->setLook(usualLook());
  selection_->setHiddenLabels({});
  selection_->setSlab(std::nullopt);
}

void MainWindow::takeLook(const SessionState& session) {
  const Parameters& wanted = session.parameters;
  selection_->setColourBy(wanted.colour_by);
  selection_->setLook(wanted.look);
  selection_->setHiddenLabels(wanted.hidden_labels);
  selection_->setSlab(wanted.slab_m);
  if (session.camera) view_->setPose(*session.camera, true);
}

}  // namespace spira::ui
