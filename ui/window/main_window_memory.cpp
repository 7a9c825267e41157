// Stores the camera, crop and colours of each scene and restores them when the scene is opened again.
#include "engine/base/error.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"

#include <QFileInfo>

#include <utility>

namespace spira::ui {

/// Must be called before another scene replaces the open one. Skips reports, because a report file contains
/// its whole state. Skips files that were chosen together, because they have no common name. Skips lessons,
/// because the user did not choose their look.
void MainWindow::rememberScene() {
  const bool file = workspace_->voxels() && !workspace_->report() && QFileInfo::exists(reopen_);
  const bool picked = workspace_->frames().size() > 1 && !QFileInfo(reopen_).isDir();
  if (!file || picked || lessons_->player().lesson()) return;
  if (!settings_->truth("scenes.remember") || !whyNoSession().isEmpty()) return;
  SessionState look = session();
  look.parameters.network.reset();  // The network may be large and does not belong to one scene.
  look.parameters.plan = {};
  memory_.keep(reopen_, QString::fromStdString(session_json(look, {})));
}

bool MainWindow::openAsLeft(const QString& scene) {
  const QString kept = settings_->truth("scenes.remember") ? memory_.of(scene) : QString();
  if (kept.isEmpty() || jobs_->scenes().options().every > 1) return false;
  try {
    arriving_ = Arriving{parse_session(kept.toStdString(), "scenes.json", {}), {}, {}, true, scene};
  } catch (const Error& error) {  // A later version wrote the entry.
    workspace_->addLog(tr("view not restored: %1").arg(QString::fromStdString(error.what())));
    return false;
  }
  const auto& crop = arriving_->session.parameters.grid.crop_m;
  workspace_->addLog(crop ? tr("%1: restored camera, colours and crop").arg(QFileInfo(scene).fileName())
                          : tr("%1: restored camera and colours").arg(QFileInfo(scene).fileName()));
  jobs_->scenes().open(scene, {}, arriving_->session.parameters.grid);
  return true;
}

/// Resets colours and hidden parts that were restored from an earlier time, so that they do not affect
/// another scene.
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
