// Stores the state of the window before a lesson and restores it afterwards.
#include "ui/features/lessons/window_before.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/window/application.hpp"

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
  before->results = application_.workspace_.keep();
  before->cloud = application_.workspace_.cloud();
  before->report = application_.workspace_.report();
  before->voxels = application_.workspace_.voxels();
  before->grid = application_.workspace_.grid();
  before->pack = application_.workspace_.pack();
  before->precision = application_.workspace_.chosenPrecision();
  before->scene_kernel_size = application_.workspace_.sceneKernelSize();
  before->layer = application_.selection_.layer();
  before->stride = application_.selection_.stride();
  before->columns = application_.selection_.columns();
  before->voxel = application_.selection_.voxel();
  before->phase = application_.selection_.phase();
  before->rows = application_.selection_.rows();
  before->colour_by = application_.selection_.colourBy();
  before->look = application_.selection_.look();
  before->hiding = application_.selection_.hiding();
  before->parts = application_.parts_.shown();
  if (application_.workspace_.voxels()) before->camera = application_.view_.camera().pose();
  before->orthographic = application_.view_.camera().orthographic();
  before->style = application_.selection_.voxelStyle();
  before->docks = application_.docks_.state();
  before->document = application_.document_.names();
  application_.history_.setPaused(true);
  for (const ViewPart part : {ViewPart::voxels, ViewPart::highlights})
    application_.parts_.show(part, true);  // The lesson text refers to these parts.
  return before;
}

/// Hides all docks, so that only the picture and the lesson remain.
void MainWindow::makeRoomForLesson() {
  application_.docks_.hideAll();
}

/// If another scene was opened during the lesson, it stays open. The docks are restored in both cases.
void MainWindow::endLesson(const WindowBefore& before, bool same_scene) {
  application_.view_.tools().lasso()->setMode(DrawMode::off);
  application_.view_.tools().measure()->setOn(false);
  application_.notices_.clear();
  application_.selection_.clear();
  application_.selection_.setRows(nullptr);
  application_.selection_.setHiddenLabels({});
  application_.selection_.setVoxelStyle(before.style);
  application_.selection_.setColourBy(before.colour_by);
  application_.selection_.setLook(before.look);
  application_.view_.camera().setOrthographic(before.orthographic);
  if (same_scene) {
    if (application_.jobs_.opening()) application_.jobs_.cancel();
    const bool restores =
        application_.workspace_.voxels() != before.voxels || !runs_are_of(application_.workspace_, before);
    application_.workspace_.choosePrecision(before.precision);
    if (restores) {
      application_.jobs_.cancel();
      application_.workspace_.restore(*before.results);
    } else {  // Keep the results of runs during the lesson.
      application_.workspace_.setGrid(before.grid);
      application_.workspace_.setPack(before.pack);
      application_.workspace_.setSceneKernelSize(before.scene_kernel_size);
    }
    application_.document_.setNames(before.document);
    application_.selection_.setLayer(before.layer);
    application_.selection_.setStride(before.stride);
    application_.selection_.setColumns(before.columns);
    application_.selection_.setVoxel(before.voxel);
    application_.selection_.setPhase(before.phase);
    application_.selection_.setRows(before.rows);
    application_.selection_.setHiddenLabels(before.hiding.labels);
    application_.selection_.setSlab(before.hiding.slab_m);
    if (before.camera) application_.view_.camera().setPose(*before.camera, false);
  } else {
    application_.selection_.setStride(1);
    commands_.trigger("view.reset");
  }
  application_.parts_.set(before.parts);
  application_.docks_.restore(before.docks);
  application_.history_.setPaused(false);
  commands_.refresh();
}

}  // namespace spira::ui
