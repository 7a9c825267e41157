#include "ui/window/main_window.hpp"

#include "engine/base/text.hpp"
#include "engine/run/scene_levels.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/scene/standard_input.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/features/layout/layout_menu.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/features/open/recorded_strip.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/crop_counter.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/model/measured/device_text.hpp"
#include "ui/model/selection_history.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/panels/scene/colour_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/no_opengl_page.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QScreen>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {
MainWindow::MainWindow(std::shared_ptr<const Registry> registry, const QString& state_folder,
                       const QString& config_folder, QWidget* parent)
    : QMainWindow(parent),
      theme_(new Theme(this)),
      workspace_(new Workspace(this)),
      selection_(new Selection(this)),
      parts_(new ViewParts(this)),
      crop_(new CropBox(workspace_, this)),
      commands_(new CommandSet(this)),
      jobs_(new EngineJobs(tasks_, registry, workspace_, selection_)),
      counter_(new CropCounter(tasks_, workspace_, crop_, this)),
      player_(new FramePlayer(workspace_, &jobs_->lane(), &jobs_->scenes(), this)),
      selecting_(new SelectionJobs(tasks_, workspace_, selection_, this)),
      visited_(new SelectionHistory(selection_, workspace_, this)),
      history_(new ParameterHistory(workspace_, selection_, parts_, &jobs_->lane(), &jobs_->scenes(),
                                    &jobs_->runs(), this)),
      settings_(new Settings(config_folder, this)),
      recent_(state_folder),
      memory_(state_folder),
      window_file_(state_folder.isEmpty() ? QString() : state_folder + "/window.json", "spirascope.window",
                   1),
      state_folder_(state_folder),
      recovery_(new Recovery(
          state_folder, [this] { return recoveryCopy(); }, this)),
      own_layouts_(new LayoutMenu(this, state_folder)),
      view_(new SceneView(tasks_, workspace_, selection_, parts_, crop_, theme_)),
      pages_(new QStackedWidget),
      empty_(new EmptyPage),
      recorded_(new RecordedPage(workspace_)),
      banner_(new Banner(theme_, this)),
      scenes_(new ScenesPanel(workspace_, selection_, parts_, theme_)),
      network_(new NetworkPanel(workspace_, selection_, theme_)),
      density_(new DensityPanel(workspace_, selection_, theme_)),
      voxel_(new VoxelPanel(workspace_, selection_, theme_)),
      colour_(new ColourPanel(workspace_, selection_, theme_)),
      points_(new PointsPanel(workspace_, selection_, crop_, theme_)),
      profile_tools_(new ProfileTools(tasks_, workspace_, selection_, theme_, jobs_, &file_dialogs_, this)),
      summary_(new SummaryPanel(tasks_, workspace_, selection_, theme_, profile_tools_->tuning())),
      breakdown_(new BreakdownPanel(workspace_, selection_, theme_)),
      sweep_(new SweepPanel(workspace_, selection_, theme_)),
      timeline_(new TimelinePanel(workspace_, selection_, theme_)),
      log_(new LogPanel(workspace_, selection_, theme_)),
      device_finder_(tasks_) {
  setWindowTitle(tr("SpiraScope"));
  setAcceptDrops(true);
  setMinimumSize(1024, 640);
  constexpr QSize usual_frame(16, 48);  // The size of borders and title bar is unknown before the first show.
  resize(firstSize(screen()->availableSize(), usual_frame));
  pages_->addWidget(empty_);
  pages_->addWidget(recorded_);
  view_->setEmptyPage(pages_);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  finder_ = new SceneFinder(tasks_, registry, this);
  compared_ = new ComparedScenes(
      tasks_, workspace_, selection_, parts_, profile_tools_->comparing(), finder_,
      [this] { return recent_.files(); }, view_, theme_);
  layout->addWidget(compared_, 1);
  setCentralWidget(centre);
  makeDocks();
  surveys_ = new Surveys(std::move(registry), this);
  exports_ = new Exports(this);
  screenshots_ = new Screenshots(this);
  lessons_ = new Lessons(this, state_folder);
  unsaved_ = new UnsavedResults(this, state_folder);
  makeToolBar();
  makeMenus();
  makeStatusBar();
  bindCommands();
  bindRunCommands();
  bindLayerCommands();
  bindPrecisionCommands();
  bindDeviceCommands();
  bindViewCommands();
  bindSceneCommands();
  bindColourCommands();
  bindSelectCommands();
  bindCameraCommands();
  bindLayoutCommands();
  bindDeskCommands();
  bindSessionCommands();
  connectModel();
  connectProfileTools();
  if (openGlFault().isEmpty())
    // Tab leads from the scene to the chart about the scene.
    setTabOrder(view_->canvas(), density_->chart());
  for (QWidget* view : std::initializer_list<QWidget*>{view_, density_, breakdown_, sweep_, timeline_})
    commands_->addPlainKeysTo(view);
  jobs_->runs().chooseNetwork("minkunet42");
  history_->begin();
  profile();
  restoreWindow();
  followSettings();
  history_->begin();  // The restored device must not become an undo step.
  connect(settings_, &Settings::changed, this, &MainWindow::followSettings);
  connect(settings_, &Settings::writeFailed, workspace_, &Workspace::addLog);
  showRecent();
  showNotices();
  offerRecovery();
  followEnd();
}

MainWindow::~MainWindow() {
  // Its destructor changes a state that commands observe, and these commands use all other objects.
  delete history_;
  delete recovery_;
  delete finder_;
  delete profile_tools_;
  delete selecting_;
  delete lessons_;
  delete surveys_;
  delete player_;
  delete counter_;
  delete jobs_;
}

void MainWindow::connectModel() {
  connect(&jobs_->lane(), &EngineLane::failed, this, &MainWindow::showError);
  connect(&jobs_->scenes(), &SceneJobs::opened, this, &MainWindow::opened);
  connect(&jobs_->lane(), &EngineLane::viewsWaitChanged, this, &MainWindow::holdViews);
  connect(&jobs_->scenes(), &SceneJobs::leftOut, this, &MainWindow::sayLeftOut);
  connect(view_, &SceneView::failed, this, &MainWindow::showError);
  connect(view_, &SceneView::legendChanged, colour_, &ColourPanel::setLegend);
  connect(view_, &SceneView::allPointsRequested, this, [this] { jobs_->scenes().againWithEvery(1); });
  connect(view_, &SceneView::frameRequested, &jobs_->scenes(), &SceneJobs::showFrame);
  connect(scenes_, &ScenesPanel::frameRequested, &jobs_->scenes(), &SceneJobs::showFrame);
  connect(scenes_, &ScenesPanel::openRequested, this, [this](const QString& scene) { open(scene); });
  connect(scenes_, &ScenesPanel::voxelizeRequested, &jobs_->scenes(), &SceneJobs::voxelize);
  connect(empty_, &EmptyPage::openRequested, this, [this](const QString& scene) { open(scene); });
  connect(empty_, &EmptyPage::dialogRequested, this, &MainWindow::openDialog);
  connect(empty_, &EmptyPage::lessonsRequested, this, [this] { commands_->trigger("lesson.list"); });
  connect(recorded_, &RecordedPage::dialogRequested, this, &MainWindow::openDialog);
  connect(workspace_, &Workspace::reportChanged, this, &MainWindow::followReport);
  connect(selection_, &Selection::layerChanged, this, &MainWindow::chooseLayer);
  connect(selection_, &Selection::voxelChosen, this, [this] { right_tabs_->setCurrentWidget(voxel_); });
  connect(selection_, &Selection::columnsChanged, this, [this] {
    if (!selection_->columns().empty()) right_tabs_->setCurrentWidget(density_);
  });
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer >= 0 && layer == selection_->layer()) chooseLayer(layer);
    commands_->refreshSoon();
  });
  connect(workspace_, &Workspace::voxelsChanged, this, [this] {
    const auto& scene = workspace_->sceneFacts();
    count_label_->setText(scene ? counted(scene->voxels, tr("1 voxel"), tr("%1 voxels")) : QString());
    count_label_->setVisible(scene.has_value());
    selection_->setColumns({});
    commands_->refreshSoon();
  });
  connect(workspace_, &Workspace::networkChanged, this, [this] {
    const QSignalBlocker quiet(network_box_);
    if (const auto& network = workspace_->network()) {
      const int at = network_box_->findData(QString::fromStdString(network->name));
      // Shorten the title of a network that is not in the list. The box would grow with the title and push
      // buttons off the tool bar.
      network_box_->setPlaceholderText(
          at >= 0 ? QString()
                  : network_box_->fontMetrics().elidedText(QString::fromStdString(network->title),
                                                           Qt::ElideRight, network_box_->width() - 30));
      network_box_->setCurrentIndex(at);
    }
    commands_->refreshSoon();
  });
  connect(workspace_, &Workspace::deviceChanged, this, &MainWindow::showDevice);
  connect(&jobs_->scenes(), &SceneJobs::gpuRefused, this, [this](const QString& why) {
    workspace_->addLog(tr("GPU not used: %1").arg(why));
    banner_->showNotice(tr("The GPU is not used"), tr("%1. The CPU is used instead.").arg(why));
  });
  connect(workspace_, &Workspace::requestChanged, this,
          [this, kernel = workspace_->sceneKernelSize()]() mutable {
            if (kernel == workspace_->sceneKernelSize()) return;
            kernel = workspace_->sceneKernelSize();
            jobs_->scenes().rebuildSceneMap();
          });
}

void MainWindow::showDevice() {
  const auto& report = workspace_->report();
  const DeviceFacts& d = report ? report->measurement.device : workspace_->device();
  const QString facts = tr("%1, %2, %3")
                            .arg(QString::fromStdString(std::string(text_of(d.kind))).toUpper(), unitsText(d),
                                 QString::fromStdString(std::string(clock_text(d.clock))));
  device_label_->setText(report ? tr("recorded: %1").arg(facts) : facts);
  const QString apart =
      d.kind == BackendKind::cuda ? QString() : tr("\nCPU times; not compared with GPU times");
  device_label_->setToolTip(QString::fromStdString(d.name) + apart);
  device_label_->setVisible(report || !d.name.empty());
}

/// Gives more height to the charts for a recorded run, because it has no voxels to draw.
void MainWindow::followReport() {
  const bool recorded = workspace_->report() != nullptr;
  pages_->setCurrentWidget(recorded ? static_cast<QWidget*>(recorded_) : empty_);
  recorded_bar_->setVisible(recorded);
  network_box_->setEnabled(!recorded);
  network_box_->setToolTip(whyNoNetwork());
  layout_ == "compare" ? compare() : profile();
  showDevice();
  commands_->refreshSoon();
}

void MainWindow::offerReports(const QStringList& files) {
  empty_->setReports(files);
}

void MainWindow::open(const QString& scene, const QString& format) {
  rememberScene();
  banner_->hideMessage();
  arriving_.reset();
  // A scene from standard input, although a file may have that name.
  const bool piped = is_standard_input(scene.toStdString());
  if (!piped && refusesPipe({scene})) return;
  if (!piped && offerPicture(scene)) return;
  if (!piped && format.isEmpty() && profile_tools_->takes({scene})) return;
  if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
  if (!piped && isSession(scene)) return openSession(scene);
  asked_for_ = scene;
  if (!piped && format.isEmpty() && openAsLeft(scene)) return;
  jobs_->scenes().open(scene, format);
}

/// Shows an error for a named pipe or a device, because reading from one can block forever.
bool MainWindow::refusesPipe(const QStringList& files) {
  for (const QString& file : files) {
    const QFileInfo info(file);
    if (!info.exists() || info.isFile() || info.isDir()) continue;
    showError(
        Error(ErrorKind::input, file.toStdString() +
                                    ": is a pipe or a device, expected a regular file. To read a stream, "
                                    "pass it to spirascope - on standard input"));
    return true;
  }
  return false;
}

void MainWindow::openAll(const QStringList& files, const QString& format) {
  if (files.size() == 1) return open(files.front(), format);
  if (refusesPipe(files)) return;
  rememberScene();
  banner_->hideMessage();
  arriving_.reset();
  if (format.isEmpty() && profile_tools_->takes(files)) return;
  if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
  asked_for_ = files.front();
  jobs_->scenes().openSequence(files, format);
}

void MainWindow::opened(const QString& scene, const QString& reopen) {
  const bool piped = is_standard_input(scene.toStdString());
  setWindowTitle(tr("%1 - SpiraScope").arg(piped ? tr("standard input") : QFileInfo(scene).fileName()));
  if (workspace_->report()) {
    bottom_tabs_->setFocus();
  } else if (reopen_.isEmpty() || QApplication::focusWidget() == nullptr ||
             QApplication::focusWidget() == this || empty_->isAncestorOf(QApplication::focusWidget())) {
    view_->canvas()->setFocus();  // The shortcuts of the view work at once.
  }
  if (reopen != reopen_ && !arriving_) {
    session_file_.clear();  // The file belongs to the former session.
    forgetLook();
  }
  reopen_ = reopen;
  takeArrived();
  if (!piped && QFileInfo::exists(reopen)) file_dialogs_.used(reopen);
  if (!piped && QFileInfo::exists(reopen)) recent_.add(reopen, openWith());
  showRecent();
  saySparedParts();
}

/// Returns the network and the voxel size, which the list of recent files shows.
QString MainWindow::openWith() const {
  if (workspace_->report() || !workspace_->network() || !workspace_->voxels()) return {};
  return tr("%1, voxels of %2 m")
      .arg(QString::fromStdString(workspace_->network()->title),
           onScreen(shortest(workspace_->voxels()->grid.voxel_m[0])));
}

/// Shows the outputs of the layer in the 3D view. The other panels follow the selection.
void MainWindow::chooseLayer(int layer) {
  if (layer < 0 || !workspace_->network() || !workspace_->voxels()) return;
  selection_->setColumns({});
  // The levels of the network are known before a run, and the scene has the levels of the view.
  const int stride = levels_of(*workspace_->network()).layers.at(static_cast<std::size_t>(layer)).stride_out;
  if (has_level(*workspace_->voxels(), stride)) selection_->setStride(stride);
}

}  // namespace spira::ui
