// The commands that select voxels: draw an outline around voxels, change the selection, or return to an
// earlier selection.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/selection.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class CropBox;
class DensityPanel;
class EngineJobs;
class PointsPanel;
class SceneView;
class SelectionJobs;

[[nodiscard]] std::span<const CommandFacts> select_commands() noexcept;

class Selecting : public QObject {
  Q_OBJECT
 public:
  Selecting(const FeatureContext& context, SelectionJobs& selecting, SceneView& view, PointsPanel& points,
            DensityPanel& density);
  /// Implements the command view.clear. Each call clears one item: first an active tool, then parts of the
  /// selection.
  void bindClear(CropBox& crop, EngineJobs& jobs);

 private:
  void bindDrawing();
  void bindSelected();
  void bindHistory();

  FeatureContext context_;
  SelectionJobs& selecting_;
  SceneView& view_;
  SelectionHistory visited_;
};

}  // namespace spira::ui
