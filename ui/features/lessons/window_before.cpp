#include "ui/features/lessons/window_before.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"

namespace spira::ui {
namespace {

/// Returns true if the network, the threshold t of each layer and the precision are the same as in `before`.
/// The results of runs during the lesson are then still valid.
bool runs_are_of(const Workspace& now, const WindowBefore& before) {
  return now.network() == before.results->network &&
         now.requested().plan().layers == before.results->requested.plan.layers &&
         now.requested().plan().precision == before.results->requested.plan.precision;
}

}  // namespace

bool explain_voxels(const FeatureContext& context, const LessonStage& stage) {
  const auto& network = context.workspace.network();
  const bool changes = network && has_native_layers(*network) && !context.workspace.results().report();
  if (changes) stage.jobs.runs().setNeighbourhood({});
  return changes;
}

std::unique_ptr<const WindowBefore> begin_lesson(const FeatureContext& context, const LessonStage& stage) {
  const Workspace& workspace = context.workspace;
  const Selection& selection = context.selection;
  auto before = std::make_unique<WindowBefore>();
  before->results = workspace.keep();
  before->cloud = workspace.scene().cloud();
  before->report = workspace.results().report();
  before->voxels = workspace.scene().voxels();
  before->grid = workspace.requested().grid();
  before->pack = workspace.requested().pack();
  before->precision = workspace.requested().chosenPrecision();
  before->scene_kernel_size = workspace.requested().sceneKernelSize();
  before->layer = selection.layer();
  before->stride = selection.stride();
  before->columns = selection.columns();
  before->voxel = selection.voxel();
  before->phase = selection.phase();
  before->rows = selection.rows();
  before->colour_by = selection.look().colourBy();
  before->look = selection.look().colours();
  before->hiding = selection.look().hiding();
  before->parts = stage.parts.shown();
  if (workspace.scene().voxels()) before->camera = stage.view.camera().pose();
  before->orthographic = stage.view.camera().orthographic();
  before->style = selection.look().voxelStyle();
  before->docks = stage.docks.state();
  before->document = stage.document.names();
  stage.history.setPaused(true);
  context.selection.setStride(floor_stride(selection));
  explain_voxels(context, stage);
  for (const ViewPart part : {ViewPart::voxels, ViewPart::highlights})
    stage.parts.show(part, true);  // Show these parts, because the lesson text refers to them.
  return before;
}

void end_lesson(const FeatureContext& context, const LessonStage& stage, const WindowBefore& before,
                bool same_scene) {
  Workspace& workspace = context.workspace;
  Selection& selection = context.selection;
  SceneView& view = stage.view;
  view.tools().lasso()->setMode(DrawMode::off);
  view.tools().measure()->setOn(false);
  context.notices.clear();
  selection.clear();
  selection.setRows(nullptr);
  selection.look().setHiddenLabels({});
  selection.look().setVoxelStyle(before.style);
  selection.look().setColourBy(before.colour_by);
  selection.look().setColours(before.look);
  view.camera().setOrthographic(before.orthographic);
  if (same_scene) {
    if (stage.jobs.lane().opening()) stage.jobs.lane().cancel();
    const bool restores = workspace.scene().voxels() != before.voxels || !runs_are_of(workspace, before);
    workspace.choosePrecision(before.precision);
    if (restores) {
      stage.jobs.lane().cancel();
      workspace.restore(*before.results);
    } else {  // The results of runs during the lesson are still valid and stay.
      workspace.requested().setGrid(before.grid);
      workspace.requested().setPack(before.pack);
      workspace.requested().setPackAutomatic(before.results->requested.voxels.pack_automatic);
      workspace.requested().setSceneKernelSize(before.scene_kernel_size);
    }
    stage.document.setNames(before.document);
    selection.setLayer(before.layer);
    selection.setStride(before.stride);
    selection.setColumns(before.columns);
    selection.setVoxel(before.voxel);
    selection.setPhase(before.phase);
    selection.setRows(before.rows);
    selection.look().setHiddenLabels(before.hiding.labels);
    selection.look().setSlab(before.hiding.slab_m);
    if (before.camera) view.camera().setPose(*before.camera, false);
  } else {
    const auto& network = before.results->network;
    if (network && workspace.network() && !workspace.results().report() &&
        differ_in_neighbours(*network, *workspace.network()))
      stage.jobs.runs().useNetwork(network, workspace.weights());
    selection.setStride(1);
    context.commands.trigger("view.reset");
  }
  stage.parts.set(before.parts);
  stage.docks.restore(before.docks);
  stage.history.setPaused(false);
  context.commands.refresh();
}

}  // namespace spira::ui
