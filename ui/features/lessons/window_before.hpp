// Stores the window state before a lesson and restores it afterwards.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/workspace.hpp"

#include <memory>
#include <optional>

namespace spira::ui {

class EngineJobs;
class ParameterHistory;
class SceneView;
class ViewParts;

/// The objects whose state a lesson changes, in addition to the objects of the FeatureContext.
struct LessonStage {
  EngineJobs& jobs;
  SceneView& view;
  ViewParts& parts;
  DockLayout& docks;
  OpenDocument& document;
  ParameterHistory& history;
};

struct WindowBefore {
  std::shared_ptr<const Workspace::Contents> results;
  std::shared_ptr<const PointCloud> cloud;  // `nullptr` if a report was open, or if nothing was open.
  std::shared_ptr<const Report> report;
  std::shared_ptr<const VoxelScene> voxels;
  Grid grid;
  PackSpec pack;
  std::optional<Precision> precision;  // Precision that the user set. Empty if automatic.
  int scene_kernel_size = 3;
  int layer = -1, stride = 1;
  std::vector<int> columns;
  std::optional<ChosenVoxel> voxel;
  std::optional<StageGroup> phase;
  std::shared_ptr<const ChosenRows> rows;
  ColourBy colour_by = ColourBy::height;
  ColourLook look;
  Hiding hiding;
  PartsShown parts;
  std::optional<CameraPose> camera;
  bool orthographic = false;
  VoxelStyle style = VoxelStyle::automatic;
  DockLayout::State docks;
  OpenDocument::Names document;
};

/// Sets the neighbourhood of all layers to voxels, because the lessons explain the convolution of voxels. A
/// recorded run keeps its network; call this again after a scene has replaced the run. Returns true if the
/// network changed.
bool explain_voxels(const FeatureContext& context, const LessonStage& stage);
/// Returns the current window state. Pauses undo until end_lesson().
[[nodiscard]] std::unique_ptr<const WindowBefore> begin_lesson(const FeatureContext& context,
                                                               const LessonStage& stage);
/// Restores the window state from before the lesson. A scene that was opened during the lesson stays open.
/// The docks are always restored.
void end_lesson(const FeatureContext& context, const LessonStage& stage, const WindowBefore& before,
                bool same_scene);

}  // namespace spira::ui
