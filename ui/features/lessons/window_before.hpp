// The state of the window before a lesson, to restore afterwards.
#pragma once

#include "ui/features/layout/dock_layout.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/workspace.hpp"

#include <memory>
#include <optional>

namespace spira::ui {

struct WindowBefore {
  std::shared_ptr<const Workspace::Contents> results;
  std::shared_ptr<const PointCloud> cloud;  // `nullptr` if nothing or a report was open.
  std::shared_ptr<const Report> report;
  std::shared_ptr<const VoxelScene> voxels;
  Grid grid;
  PackSpec pack;
  std::optional<Precision> precision;  // Precision that the user chose; empty if automatic.
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

}  // namespace spira::ui
