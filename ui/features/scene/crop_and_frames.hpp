// The commands of the crop box and of the frames of a sequence. Also connects the buttons of the fit meter,
// which offer fixes if voxels do not fit their packing.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/crop_counter.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/jobs/scene_finder.hpp"

#include <QObject>

#include <span>

namespace spira::ui {

class CropBox;
class DockLayout;
class EngineJobs;
class SceneView;
class ScenesPanel;
class SelectionJobs;

[[nodiscard]] std::span<const CommandFacts> scene_commands() noexcept;

class CropAndFrames : public QObject {
  Q_OBJECT
 public:
  CropAndFrames(const FeatureContext& context, EngineJobs& jobs, SelectionJobs& selecting, CropBox& crop,
                SceneView& view, ScenesPanel& panel, DockLayout& docks);
  [[nodiscard]] FramePlayer& player() noexcept { return player_; }

 private:
  void bindCrop(CropBox& crop, SceneView& view, DockLayout& docks);
  void bindFrames(SceneView& view);
  void connectFitMeter(ScenesPanel& panel, SelectionJobs& selecting);

  FeatureContext context_;
  EngineJobs& jobs_;
  CropCounter counter_;
  FramePlayer player_;
  RepairFinder repairs_;
};

}  // namespace spira::ui
