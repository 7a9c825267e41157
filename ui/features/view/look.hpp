// The commands that define how the 3D view draws the voxels: stride, style, visible parts, colours and the z
// slab.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class CropBox;
class DockLayout;
class ParameterHistory;
class PointsPanel;
class SceneView;
class ScenesPanel;
class ViewParts;

[[nodiscard]] std::span<const CommandFacts> view_commands() noexcept;

class Look : public QObject {
  Q_OBJECT
 public:
  /// `history` is paused while a lesson is open. During this time, the voxel style is not stored as a
  /// setting.
  Look(const FeatureContext& context, SceneView& view, ParameterHistory& history);

  void bindParts(ViewParts& parts, CropBox& crop, ScenesPanel& scenes);
  void bindSlab(PointsPanel& points, DockLayout& docks);

 private:
  void bindStrides();
  void bindPointSize();
  void bindStyles(ParameterHistory& history);
  void bindColours(SceneView& view);
  /// Implements the command that moves the cells of a native row.
  void bindCells(SceneView& view);

  FeatureContext context_;
};

}  // namespace spira::ui
