// Binds commands to their actions and to the reasons why they are not available.
#include "engine/scene/reader.hpp"
#include "ui/features/help/diagnostics_dialog.hpp"
#include "ui/features/open/open_as_dialog.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/slab_box.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/voxels/colour_sources.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>

#include <algorithm>

namespace spira::ui {

QString MainWindow::whyNoScene() const {
  if (workspace_->report()) return tr("this is a recorded run without coordinates; open its scene first");
  return workspace_->voxels() ? QString() : tr("open a scene first");
}

QString MainWindow::whyNoNetwork() const {
  return workspace_->report() ? tr("this is a recorded run of one network; open a scene first") : QString();
}

QString MainWindow::whyNoRun() const {
  if (QString why = whyNoScene(); !why.isEmpty()) return why;
  if (!workspace_->network()) return tr("choose a network first");
  return jobs_->lane().readyToRun() ? QString() : tr("a job is running; stop it first");
}

void MainWindow::bindCommands() {
  commands_->bind("file.open", [this] { openDialog(); });
  commands_->bind("file.open_as", [this] { openAs({}); });
  commands_->bind("file.open_folder", [this] { openFolderDialog(); });
  commands_->bind(
      "file.close", [this] { closeOpen(); }, [this] { return whyNothingToClose(); });
  commands_->bind("file.quit", [this] { close(); });
  for (const char* id : {"street", "room", "random"}) {
    commands_->bind(QString("scene.") + id, [this, id] { open(id); });
  }
  for (const PresetFacts& preset : network_presets()) {
    const QString id = QString::fromLatin1(preset.id.data(), static_cast<qsizetype>(preset.id.size()));
    commands_->bind(
        "network." + id, [this, id] { jobs_->runs().chooseNetwork(id); }, [this] { return whyNoNetwork(); });
  }
  commands_->bind(
      "network.file", [this] { networkDialog(); }, [this] { return whyNoNetwork(); });
  commands_->bind("help.about", [this] { about(); });
}

void MainWindow::bindRunCommands() {
  const auto can_run = [this] { return whyNoRun(); };
  commands_->bind(
      "run.run", [this] { jobs_->runs().run(); }, can_run);
  commands_->bind(
      "run.measure",
      [this] {
        bottom_tabs_->setCurrentWidget(summary_);  // Show the slowest layers and the advice first.
        jobs_->runs().measure();
      },
      can_run);
  commands_->bind(
      "run.map", [this] { jobs_->scenes().rebuildSceneMap(); },
      [this] {
        if (QString why = whyNoScene(); !why.isEmpty()) return why;
        if (workspace_->shownMap(-1).map) return tr("the kernel map is already built");
        return jobs_->lane().busy() ? tr("a job is running; stop it first") : QString();
      });
  commands_->bind(
      "run.stop", [this] { jobs_->tuning().stop(); },
      [this] { return jobs_->lane().busy() ? QString() : tr("nothing is running"); });
  commands_->bind(
      "run.step_forward", [this] { jobs_->runs().runLayer(selection_->layer() + 1); },
      [this] {
        QString why = whyNoRun();
        if (!why.isEmpty()) return why;
        return selection_->layer() + 1 < static_cast<int>(workspace_->network()->layers.size())
                   ? QString()
                   : tr("this is the last layer");
      });
  commands_->bind(
      "run.step_back", [this] { selection_->setLayer(selection_->layer() - 1); },
      [this] { return selection_->layer() >= 0 ? QString() : tr("no layer is selected"); });
  const auto sweep_thresholds = [this] {
    bottom_tabs_->setCurrentWidget(sweep_);
    sweep_->showPackings(false);
    jobs_->sweeps().sweepThresholds();
  };
  commands_->bind("sweep.thresholds", sweep_thresholds, can_run);
  commands_->bind(
      "sweep.network",
      [this, sweep_thresholds] {
        selection_->setLayer(-1);
        sweep_thresholds();
      },
      can_run);
  commands_->bind(
      "sweep.packings",
      [this] {
        bottom_tabs_->setCurrentWidget(sweep_);
        sweep_->showPackings(true);
        jobs_->sweeps().sweepPackings(sweep_->packs());
      },
      can_run);
}

void MainWindow::bindLayerCommands() {
  const auto has_network = [this] {
    return workspace_->network() ? QString() : tr("choose a network first");
  };
  commands_->bind(
      "layer.next",
      [this] {
        selection_->setLayer(
            std::min(selection_->layer() + 1, static_cast<int>(workspace_->network()->layers.size()) - 1));
      },
      has_network);
  commands_->bind(
      "layer.previous", [this] { selection_->setLayer(std::max(0, selection_->layer() - 1)); }, has_network);
  const auto has_layer = [this] {
    if (workspace_->report()) return tr("this is a recorded run; its t cannot be changed");
    return selection_->layer() >= 0 ? QString() : tr("choose a layer first");
  };
  commands_->bind(
      "t.up", [this] { changeThreshold(1); }, has_layer);
  commands_->bind(
      "t.down", [this] { changeThreshold(-1); }, has_layer);
  connect(selection_, &Selection::layerChanged, commands_, &CommandSet::refreshSoon);
}

/// If the user chose no precision, it follows the device, so that the results show what a deployment would
/// get.
void MainWindow::bindPrecisionCommands() {
  const auto why_not = [this] {
    return workspace_->report() ? tr("this is a recorded run; its precision cannot be changed") : QString();
  };
  const std::vector<std::pair<QString, std::optional<Precision>>> choices{
      {"precision.auto", std::nullopt},
      {"precision.fp16", Precision::fp16},
      {"precision.fp32", Precision::fp32}};
  for (const auto& [id, precision] : choices) {
    QAction* action = commands_->action(id);
    action->setCheckable(true);
    commands_->bind(
        id, [this, precision = precision] { workspace_->choosePrecision(precision); }, why_not);
    const auto follow = [this, action, precision = precision] {
      action->setChecked(workspace_->chosenPrecision() == precision);
    };
    connect(workspace_, &Workspace::requestChanged, action, follow);
    connect(action, &QAction::triggered, action, follow);  // A second click must not clear the check mark.
    follow();
  }
}

void MainWindow::bindViewCommands() {
  const auto has_scene = [this] { return whyNoScene(); };
  for (const int stride : {1, 2, 4, 8, 16}) {
    commands_->bind(
        QString("view.stride_%1").arg(stride), [this, stride] { selection_->setStride(stride); }, has_scene);
  }
  commands_->bind(
      "view.next_colour",
      [this] {
        for (int step = 1; step <= colourings; ++step) {
          const auto next =
              static_cast<ColourBy>((static_cast<int>(selection_->colourBy()) + step) % colourings);
          if (!why_not_colour_now(next, *workspace_, *selection_).isEmpty()) continue;
          return selection_->setColourBy(next);
        }
      },
      has_scene);
  commands_->bind("view.full_screen", [this] { isFullScreen() ? showNormal() : showFullScreen(); });
}

void MainWindow::bindColourCommands() {
  const auto has_scene = [this] { return whyNoScene(); };
  const std::vector<std::pair<QString, ColourMap>> maps{{"colour.viridis", ColourMap::viridis},
                                                        {"colour.cividis", ColourMap::cividis},
                                                        {"colour.bands", ColourMap::bands}};
  for (const auto& [id, map] : maps) {
    commands_->bind(
        id,
        [this, map = map] {
          ColourLook look = selection_->look();
          look.map = map;
          selection_->setLook(look);
        },
        has_scene);
  }
  const std::vector<std::pair<QString, RangeMode>> ranges{{"colour.range_all", RangeMode::all},
                                                          {"colour.range_view", RangeMode::view}};
  for (const auto& [id, range] : ranges) {
    commands_->bind(
        id,
        [this, range = range] {
          ColourLook look = selection_->look();
          look.range = range;
          selection_->setLook(look);
          if (range == RangeMode::all) view_->takeRangeAnew();
        },
        has_scene);
  }
  commands_->bind(
      "colour.show_classes", [this] { selection_->setHiddenLabels({}); },
      [this] { return selection_->hiddenLabels().empty() ? tr("no class is hidden") : QString(); });
  commands_->bind(
      "view.slab",
      [this] {
        points_->slabBox()->toggle();
        if (selection_->slab()) right_tabs_->setCurrentWidget(points_);
      },
      has_scene);
  connect(selection_, &Selection::hiddenLabelsChanged, commands_, &CommandSet::refreshSoon);
}

void MainWindow::bindSceneCommands() {
  const auto has_scene = [this] { return whyNoScene(); };
  commands_->action("crop.box")->setCheckable(true);
  commands_->bind(
      "crop.box", [this] { crop_->setEditing(!crop_->editing()); }, has_scene);
  commands_->bind(
      "crop.reset", [this] { crop_->reset(); },
      [this] {
        const QString why = whyNoScene();
        return why.isEmpty() && !workspace_->grid().crop_m ? tr("there is no crop") : why;
      });
  connect(crop_, &CropBox::editingChanged, this, [this](bool editing) {
    commands_->action("crop.box")->setChecked(editing);
    if (editing) right_tabs_->setCurrentWidget(points_);
  });
  connect(crop_, &CropBox::applyRequested, &jobs_->scenes(), &SceneJobs::crop);
  connect(crop_, &CropBox::boxChanged, commands_, &CommandSet::refreshSoon);
  connect(view_, &SceneView::cropResetRequested, crop_, &CropBox::reset);
  const auto has_frames = [this] {
    return workspace_->frames().size() > 1 ? QString() : tr("open a folder of frames first");
  };
  commands_->bind(
      "frame.next", [this] { jobs_->scenes().showFrame(jobs_->scenes().wantedFrame() + 1); }, has_frames);
  commands_->bind(
      "frame.previous", [this] { jobs_->scenes().showFrame(jobs_->scenes().wantedFrame() - 1); }, has_frames);
  commands_->bind(
      "frame.play", [this] { player_->setPlaying(!player_->playing()); }, has_frames);
  FrameBar* bar = view_->frameBar();
  connect(bar, &FrameBar::playRequested, this, [this] { commands_->trigger("frame.play"); });
  connect(bar, &FrameBar::rateRequested, player_, &FramePlayer::setRate);
  connect(player_, &FramePlayer::playingChanged, bar, &FrameBar::setPlaying);
  connect(workspace_, &Workspace::framesChanged, commands_, &CommandSet::refreshSoon);
}

void MainWindow::changeThreshold(int step) {
  const int layer = selection_->layer();
  const auto feasible = feasible_thresholds(workspace_->network()->layers[static_cast<std::size_t>(layer)]);
  Plan plan = workspace_->plan();
  int& t = plan.layers.at(static_cast<std::size_t>(layer)).threshold;
  auto at = std::find(feasible.begin(), feasible.end(), t) - feasible.begin();
  at = std::clamp<std::ptrdiff_t>(at + step, 0, std::ssize(feasible) - 1);
  t = feasible[static_cast<std::size_t>(at)];
  plan.source = "window";
  workspace_->setPlan(plan);
}

void MainWindow::openDialog() {
  const QString file = file_dialogs_.openFile(this, tr("Open scene, report or session"), sceneFilters());
  if (!file.isEmpty()) open(file);
}

void MainWindow::openAs(QString file) {
  if (file.isEmpty()) file = file_dialogs_.openFile(this, tr("Open as"));
  if (file.isEmpty()) return;
  OpenAsDialog dialog(tasks_, file, this);
  if (dialog.exec() == QDialog::Accepted && !dialog.format().isEmpty()) open(file, dialog.format());
}

void MainWindow::openFolderDialog() {
  const QString folder = file_dialogs_.openFolder(this, tr("Open folder of frames"));
  if (!folder.isEmpty()) open(folder);
}

void MainWindow::networkDialog() {
  const QString file = file_dialogs_.openFile(this, tr("Network"), tr("Networks (*.json);;All files (*)"));
  if (!file.isEmpty()) jobs_->runs().chooseNetwork(file);
}

void MainWindow::about() {
  const DeviceFacts& d = workspace_->device();
  const QString facts = tr("SpiraScope %1\nQt %2\n%3\ndevice: %4\n\nlicence: %5")
                            .arg(SPIRA_VERSION, qVersion(), view_->canvas()->driverText(),
                                 d.name.empty() ? tr("not used yet") : QString::fromStdString(d.name),
                                 tr("Apache License 2.0; with QCustomPlot, which is linked, GNU GPL 3"));
  QMessageBox box(QMessageBox::NoIcon, tr("About SpiraScope"), facts, QMessageBox::Close, this);
  QPushButton* more = box.addButton(tr("Diagnostics..."), QMessageBox::ActionRole);
  box.exec();
  if (box.clickedButton() == more) commands_->trigger("help.diagnostics");
}

}  // namespace spira::ui
