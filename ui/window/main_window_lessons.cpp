// Stores the state of the window before a lesson and restores it afterwards.
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/lessons/window_before.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QDockWidget>
#include <QTabWidget>

namespace spira::ui {
namespace {

/// Returns true if the network, the t of its layers and the precision are unchanged, so that results since
/// then are still valid.
bool runs_are_of(const Workspace& now, const WindowBefore& before) {
  return now.network() == before.results->network && now.plan().layers == before.results->plan.layers &&
         now.plan().precision == before.results->plan.precision;
}

}  // namespace

std::shared_ptr<const WindowBefore> MainWindow::beginLesson() {
  auto before = std::make_shared<WindowBefore>();
  before->results = workspace_->keep();
  before->cloud = workspace_->cloud();
  before->report = workspace_->report();
  before->voxels = workspace_->voxels();
  before->grid = workspace_->grid();
  before->pack = workspace_->pack();
  before->precision = workspace_->chosenPrecision();
  before->scene_kernel_size = workspace_->sceneKernelSize();
  before->layer = selection_->layer();
  before->stride = selection_->stride();
  before->columns = selection_->columns();
  before->voxel = selection_->voxel();
  before->phase = selection_->phase();
  before->rows = selection_->rows();
  before->colour_by = selection_->colourBy();
  before->look = selection_->look();
  before->hiding = selection_->hiding();
  before->parts = parts_->shown();
  if (workspace_->voxels()) before->camera = view_->pose();
  before->orthographic = view_->orthographic();
  before->style = selection_->voxelStyle();
  before->docks = saveState();
  before->layout = layout_;
  before->title = windowTitle();
  before->reopen = reopen_;
  before->session_file = session_file_;
  before->right_tab = right_tabs_->currentIndex();
  before->bottom_tab = bottom_tabs_->currentIndex();
  history_->setPaused(true);
  for (const ViewPart part : {ViewPart::voxels, ViewPart::highlights})
    parts_->show(part, true);  // The lesson text refers to these parts.
  return before;
}

/// Hides all docks, so that only the picture and the lesson remain.
void MainWindow::makeRoomForLesson() {
  compared_->setBeside(false);
  for (QDockWidget* dock : {left_dock_, right_dock_, bottom_dock_})
    dock->hide();
}

/// If another scene was opened during the lesson, it stays open. The docks are restored in both cases.
void MainWindow::endLesson(const WindowBefore& before, bool same_scene) {
  view_->lassoTool().setMode(DrawMode::off);
  view_->measureTool().setOn(false);
  banner_->hideMessage();
  selection_->clear();
  selection_->setRows(nullptr);
  selection_->setHiddenLabels({});
  selection_->setVoxelStyle(before.style);
  selection_->setColourBy(before.colour_by);
  selection_->setLook(before.look);
  view_->setOrthographic(before.orthographic);
  if (same_scene) {
    if (jobs_->lane().opening()) jobs_->lane().task().cancel();
    const bool restores = workspace_->voxels() != before.voxels || !runs_are_of(*workspace_, before);
    workspace_->choosePrecision(before.precision);
    if (restores) {
      jobs_->lane().task().cancel();
      workspace_->restore(*before.results);
    } else {  // Keep the results of runs during the lesson.
      workspace_->setGrid(before.grid);
      workspace_->setPack(before.pack);
      workspace_->setSceneKernelSize(before.scene_kernel_size);
    }
    setWindowTitle(before.title);
    reopen_ = before.reopen;
    session_file_ = before.session_file;
    selection_->setLayer(before.layer);
    selection_->setStride(before.stride);
    selection_->setColumns(before.columns);
    selection_->setVoxel(before.voxel);
    selection_->setPhase(before.phase);
    selection_->setRows(before.rows);
    selection_->setHiddenLabels(before.hiding.labels);
    selection_->setSlab(before.hiding.slab_m);
    if (before.camera) view_->setPose(*before.camera, false);
  } else {
    selection_->setStride(1);
    commands_->trigger("view.reset");
  }
  parts_->set(before.parts);
  layout_ = before.layout;
  compared_->setBeside(layout_ == "compare");
  restoreState(before.docks);
  right_tabs_->setCurrentIndex(before.right_tab);
  bottom_tabs_->setCurrentIndex(before.bottom_tab);
  history_->setPaused(false);
  commands_->refresh();
}

}  // namespace spira::ui
