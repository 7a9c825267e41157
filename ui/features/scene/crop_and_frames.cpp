#include "ui/features/scene/crop_and_frames.hpp"

#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/notices.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QMainWindow>
#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto scene_table = std::to_array<CommandFacts>({
    {"frame.previous", QT_TRANSLATE_NOOP("Command", "Previous frame"), "Left", "", 350, Menu::scene, 3},
    {"frame.next", QT_TRANSLATE_NOOP("Command", "Next frame"), "Right", "", 360, Menu::scene, 3},
    {"frame.play", QT_TRANSLATE_NOOP("Command", "Play or pause the frames"), "Space",
     QT_TRANSLATE_NOOP("Command", "Show the frames in sequence"), 370, Menu::scene, 3},
    {"crop.box", QT_TRANSLATE_NOOP("Command", "Crop box"), "C",
     QT_TRANSLATE_NOOP("Command", "Show the crop as a box with handles, and the points outside the box"), 410,
     Menu::scene, 1},
    {"crop.reset", QT_TRANSLATE_NOOP("Command", "Remove crop"), "Shift+C",
     QT_TRANSLATE_NOOP("Command", "Use all points of the scene"), 420, Menu::scene, 1},
});

}  // namespace

std::span<const CommandFacts> scene_commands() noexcept {
  return scene_table;
}

CropAndFrames::CropAndFrames(const FeatureContext& context, EngineJobs& jobs, SelectionJobs& selecting,
                             CropBox& crop, SceneView& view, ScenesPanel& panel, DockLayout& docks)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      counter_(context.tasks, &context.workspace, &crop, this),
      player_(&context.workspace, &jobs.lane(), &jobs.scenes(), this),
      repairs_(context.tasks, &context.workspace, &jobs.scenes(), this) {
  bindCrop(crop, view, docks);
  bindFrames(view);
  connectFitMeter(panel, selecting);
  connect(&view, &SceneView::allPointsRequested, this, [this] { jobs_.scenes().againWithEvery(1); });
  connect(&panel, &ScenesPanel::frameRequested, &jobs.scenes(), &SceneJobs::showFrame);
  connect(&panel, &ScenesPanel::voxelizeRequested, &jobs.scenes(), &SceneJobs::voxelize);
  connect(&panel, &ScenesPanel::automaticPackRequested, this,
          [this] { jobs_.scenes().usePack(std::nullopt); });
}

void CropAndFrames::bindCrop(CropBox& crop, SceneView& view, DockLayout& docks) {
  CommandSet& commands = context_.commands;
  const Workspace& workspace = context_.workspace;
  const auto follow = commands.bindMark(
      "crop.box", [&crop] { crop.setEditing(!crop.editing()); }, [&crop] { return crop.editing(); },
      [&workspace] { return why_no_scene(workspace); });
  commands.bind(
      "crop.reset", [&crop] { crop.reset(); },
      [&workspace] {
        const QString why = why_no_scene(workspace);
        return why.isEmpty() && !workspace.requested().grid().crop_m ? tr("there is no crop") : why;
      });
  connect(&crop, &CropBox::editingChanged, this, [follow, &docks](bool editing) {
    follow();
    if (editing) docks.show("points");
  });
  connect(&crop, &CropBox::applyRequested, &jobs_.scenes(), &SceneJobs::crop);
  connect(&crop, &CropBox::boxChanged, &commands, &CommandSet::refreshSoon);
  connect(&view, &SceneView::cropResetRequested, &crop, &CropBox::reset);
}

void CropAndFrames::bindFrames(SceneView& view) {
  CommandSet& commands = context_.commands;
  const Workspace& workspace = context_.workspace;
  const auto has_sequence = [&workspace] {
    return workspace.scene().frames().size() > 1 ? QString() : tr("open a folder of frames first");
  };
  const auto has_frames = [&workspace, has_sequence] {
    return workspace.scene().voxels() && workspace.scene().voxels()->batch ? QString() : has_sequence();
  };
  commands.bind(
      "frame.next", [this] { jobs_.scenes().showFrame(jobs_.scenes().wantedFrame() + 1); }, has_frames);
  commands.bind(
      "frame.previous", [this] { jobs_.scenes().showFrame(jobs_.scenes().wantedFrame() - 1); }, has_frames);
  commands.bind(
      "frame.play", [this] { player_.setPlaying(!player_.playing()); }, has_sequence);
  FrameBar* bar = view.frameBar();
  connect(&view, &SceneView::frameRequested, &jobs_.scenes(), &SceneJobs::showFrame);
  connect(bar, &FrameBar::playRequested, this, [&commands] { commands.trigger("frame.play"); });
  connect(bar, &FrameBar::rateRequested, &player_, &FramePlayer::setRate);
  connect(&player_, &FramePlayer::playingChanged, bar, &FrameBar::setPlaying);
  connect(&workspace.scene(), &OpenScene::framesChanged, &commands, &CommandSet::refreshSoon);
  const auto calm = [this] { player_.setCalm(context_.settings.truth("look.reduced_motion")); };
  connect(&context_.settings, &Settings::changed, this, calm);
  calm();
}

void CropAndFrames::connectFitMeter(ScenesPanel& panel, SelectionJobs& selecting) {
  FitMeter* meter = panel.fitMeter();
  connect(&jobs_.scenes(), &SceneJobs::misfitChanged, meter, [this, meter] {
    meter->setMisfit(jobs_.scenes().refusal().misfit, jobs_.scenes().refusal().of_open_scene);
  });
  // Remove the displayed error after new voxels have been built, because the error is then no longer valid.
  connect(&context_.workspace.scene(), &OpenScene::voxelsChanged, &context_.notices, &Notices::clearError);
  connect(meter, &FitMeter::pastRequested, &selecting, &SelectionJobs::choosePast);
  connect(meter, &FitMeter::cropRequested, &jobs_.scenes(), &SceneJobs::againWithFittingCrop);
  connect(meter, &FitMeter::voxelsRequested, &jobs_.scenes(), &SceneJobs::againWithVoxels);
  connect(meter, &FitMeter::packRequested, &jobs_.scenes(), &SceneJobs::againWith);
}

}  // namespace spira::ui
