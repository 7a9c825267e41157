// Scenes as they were left: camera, crop and colours of each come back when it is opened again.
#include "engine/base/error.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"

#include <QFileInfo>

namespace spira::ui {

/// Before another takes its place. What a report shows is all in the report.
void MainWindow::rememberScene() {
  const bool file = workspace_->voxels() && !workspace_->report() && QFileInfo::exists(reopen_);
  if (!file || !settings_->truth("scenes.remember") || !whyNoSession().isEmpty()) return;
  memory_.keep(reopen_, QString::fromStdString(session_json(session(), {})));
}

bool MainWindow::openAsLeft(const QString& scene) {
  const QString kept = settings_->truth("scenes.remember") ? memory_.of(scene) : QString();
  if (kept.isEmpty() || jobs_->readsPart()) return false;
  try {
    arriving_ = Arriving{parse_session(kept.toStdString(), "scenes.json", {}), {}, false, true};
  } catch (const Error& error) {  // of a later version
    workspace_->addLog(tr("not opened as it was left: %1").arg(QString::fromStdString(error.what())));
    return false;
  }
  const auto& crop = arriving_->session.parameters.grid.crop_m;
  workspace_->addLog(
      crop ? tr("%1: camera, colours and crop as they were left").arg(QFileInfo(scene).fileName())
           : tr("%1: camera and colours as they were left").arg(QFileInfo(scene).fileName()));
  jobs_->open(scene, {}, arriving_->session.parameters.grid);
  return true;
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
