// Selection commands: draw around voxels, process the selected voxels, and clear selections.
#include "ui/features/select/voxel_commands.hpp"
#include "ui/jobs/repair_finder.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/selection_history.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/selection_box.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

namespace spira::ui {

void MainWindow::bindSelectCommands() {
  const auto has_scene = [this] { return whyNoScene(); };
  const auto has_rows = [this] {
    const QString why = whyNoScene();
    return why.isEmpty() && !selection_->rows() ? tr("select some voxels first") : why;
  };
  LassoTool& lasso = view_->lassoTool();
  for (const auto& [id, mode] : {std::pair{"select.box", DrawMode::box}, {"select.lasso", DrawMode::lasso}}) {
    commands_->action(id)->setCheckable(true);
    commands_->bind(
        id, [&lasso, mode = mode] { lasso.setMode(lasso.mode() == mode ? DrawMode::off : mode); }, has_scene);
    view_->topBar()->addMode(commands_->action(id));
  }
  connect(&lasso, &LassoTool::modeChanged, this, [this, &lasso] {
    commands_->action("select.box")->setChecked(lasso.mode() == DrawMode::box);
    commands_->action("select.lasso")->setChecked(lasso.mode() == DrawMode::lasso);
  });
  bind_voxel_commands(*commands_, {workspace_, selection_, view_, selecting_, has_scene});
  commands_->bind(
      "select.invert", [this] { selecting_->invert(); }, has_rows);
  commands_->bind(
      "select.clear", [this] { selection_->setRows(nullptr); }, has_rows);
  commands_->bind(
      "select.save", [this] { saveSelectionDialog(); }, has_rows);
  points_->selectionBox()->addCommands(*commands_);
  connect(selection_, &Selection::rowsChanged, commands_, &CommandSet::refreshSoon);
  connect(view_, &SceneView::outlined, selecting_, [this](const DrawnOutline& drawn) {
    selecting_->choose(
        drawn.mesh->stride, [drawn](const std::stop_token& stop) { return rows_inside(drawn, stop); },
        drawn.how);
  });
  connect(selecting_, &SelectionJobs::densitiesChanged, density_, &DensityPanel::setSubset);
  connectFitMeter();
  connect(selecting_, &SelectionJobs::failed, this, &MainWindow::showError);
  commands_->bind(
      "select.back", [this] { visited_->back(); },
      [this] { return visited_->canGoBack() ? QString() : tr("there is no previous selection"); });
  commands_->bind(
      "select.forward", [this] { visited_->forward(); },
      [this] { return visited_->canGoForward() ? QString() : tr("this is the latest selection"); });
  connect(visited_, &SelectionHistory::changed, commands_, &CommandSet::refreshSoon);
  // Each call clears one thing, the most visible one first. A running job is stopped only if there is nothing
  // else to clear.
  commands_->bind("view.clear", [this, &lasso, lane = &jobs_->lane()] {
    if (lasso.drawing()) return lasso.giveUp();
    if (lasso.mode() != DrawMode::off) return lasso.setMode(DrawMode::off);
    if (view_->measureTool().on()) return view_->measureTool().setOn(false);
    if (crop_->editing()) return crop_->setEditing(false);
    if (selection_->voxel()) return selection_->setVoxel(std::nullopt);
    if (!selection_->columns().empty()) return selection_->setColumns({});
    if (selection_->rows()) return selection_->setRows(nullptr);
    if (selection_->phase()) return selection_->setPhase(std::nullopt);
    if (selection_->layer() >= 0) return selection_->setLayer(-1);
    if (lane->busy()) jobs_->tuning().stop();
  });
}

void MainWindow::connectFitMeter() {
  new RepairFinder(tasks_, workspace_, &jobs_->scenes(), &jobs_->scenes());
  FitMeter* meter = scenes_->fitMeter();
  connect(&jobs_->scenes(), &SceneJobs::misfitChanged, meter, [this, meter] {
    meter->setMisfit(jobs_->scenes().refusal().misfit, jobs_->scenes().refusal().of_open_scene);
  });
  // The cause of the error no longer exists.
  connect(workspace_, &Workspace::voxelsChanged, banner_, &Banner::hideError);
  connect(meter, &FitMeter::pastRequested, selecting_, &SelectionJobs::choosePast);
  connect(meter, &FitMeter::cropRequested, &jobs_->scenes(), &SceneJobs::againWithFittingCrop);
  connect(meter, &FitMeter::voxelsRequested, &jobs_->scenes(), &SceneJobs::againWithVoxels);
  connect(meter, &FitMeter::packRequested, &jobs_->scenes(), &SceneJobs::againWith);
}

void MainWindow::saveSelectionDialog() {
  const QString file = file_dialogs_.saveFile(this, tr("Save the selected voxels"), "selection.ply",
                                              tr("Voxels (*.ply *.npy *.csv)"));
  if (!file.isEmpty()) selecting_->save(file);
}

}  // namespace spira::ui
