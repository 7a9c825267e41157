#include "ui/window/main_window.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/panels/breakdown_panel.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/scenes_panel.hpp"
#include "ui/panels/summary_panel.hpp"
#include "ui/panels/sweep_panel.hpp"
#include "ui/panels/voxel_panel.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/empty_page.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QProgressBar>
#include <QSaveFile>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

namespace spira::ui {

MainWindow::MainWindow(std::shared_ptr<const Registry> registry, const QString& state_folder, QWidget* parent)
    : QMainWindow(parent),
      theme_(new Theme(this)),
      workspace_(new Workspace(this)),
      selection_(new Selection(this)),
      commands_(new CommandSet(this)),
      jobs_(new EngineJobs(std::move(registry), workspace_, selection_, this)),
      recent_(state_folder),
      state_folder_(state_folder),
      view_(new SceneView(workspace_, selection_, theme_)),
      empty_(new EmptyPage),
      banner_(new Banner(theme_, this)),
      scenes_(new ScenesPanel(workspace_, selection_, theme_)),
      network_(new NetworkPanel(workspace_, selection_, theme_)),
      density_(new DensityPanel(workspace_, selection_, theme_)),
      voxel_(new VoxelPanel(workspace_, selection_, theme_)),
      summary_(new SummaryPanel(workspace_, selection_, theme_)),
      breakdown_(new BreakdownPanel(workspace_, selection_, theme_)),
      sweep_(new SweepPanel(workspace_, selection_, theme_)),
      log_(new LogPanel(workspace_, selection_, theme_)) {
  setWindowTitle(tr("SpiraScope"));
  setAcceptDrops(true);
  setMinimumSize(1024, 640);
  resize(1440, 900);
  view_->setEmptyPage(empty_);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(view_, 1);
  setCentralWidget(centre);
  makeDocks();
  makeToolBar();
  makeMenus();
  makeStatusBar();
  bindCommands();
  bindRunCommands();
  bindViewCommands();
  connectModel();
  for (QWidget* view : std::initializer_list<QWidget*>{view_, density_, breakdown_, sweep_})
    commands_->addPlainKeysTo(view);
  empty_->setRecent(recent_.files());
  scenes_->setRecent(recent_.files());
  jobs_->chooseNetwork("minkunet42");
  profile();
  QFile place(state_folder_ + "/window.bin");
  if (!state_folder_.isEmpty() && place.open(QIODevice::ReadOnly)) restoreGeometry(place.read(1 << 16));
  commands_->refresh();
}

MainWindow::~MainWindow() {
  delete jobs_;
}

void MainWindow::makeDocks() {
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  const auto dock = [&](const QString& title, const QString& name, QWidget* widget, Qt::DockWidgetArea area) {
    auto* made = new QDockWidget(title, this);
    made->setObjectName(name);
    made->setWidget(widget);
    made->setTitleBarWidget(new QWidget(made));  // the tabs and headings inside say what it is
    made->setFeatures(QDockWidget::NoDockWidgetFeatures);
    addDockWidget(area, made);
    return made;
  };
  auto* left = new QSplitter(Qt::Vertical);
  left->addWidget(scenes_);
  left->addWidget(network_);
  left->setStretchFactor(0, 1);
  left->setStretchFactor(1, 2);
  left->setSizes({270, 540});
  left->setChildrenCollapsible(false);
  left_dock_ = dock(tr("Scenes and network"), "left", left, Qt::LeftDockWidgetArea);
  right_tabs_ = new QTabWidget;
  right_tabs_->setDocumentMode(true);
  right_tabs_->tabBar()->setDrawBase(false);
  right_tabs_->addTab(density_, tr("Density"));
  right_tabs_->addTab(voxel_, tr("Voxel"));
  right_dock_ = dock(tr("Density and voxel"), "right", right_tabs_, Qt::RightDockWidgetArea);
  bottom_tabs_ = new QTabWidget;
  bottom_tabs_->setDocumentMode(true);
  bottom_tabs_->tabBar()->setDrawBase(false);
  bottom_tabs_->addTab(summary_, tr("Summary"));
  bottom_tabs_->addTab(breakdown_, tr("Breakdown"));
  bottom_tabs_->addTab(sweep_, tr("Sweeps"));
  bottom_tabs_->addTab(log_, tr("Log"));
  bottom_dock_ = dock(tr("Results"), "bottom", bottom_tabs_, Qt::BottomDockWidgetArea);
  for (Panel* panel : std::initializer_list<Panel*>{scenes_, network_, density_, voxel_, summary_, breakdown_,
                                                    sweep_, log_}) {
    connect(panel, &Panel::commandRequested, this, [this](const QString& id) { commands_->trigger(id); });
  }
}

void MainWindow::makeToolBar() {
  auto* bar = addToolBar(tr("Main"));
  bar->setObjectName("toolbar");
  bar->setMovable(false);
  bar->addAction(commands_->action("file.open"));
  // Short names, so that all of them fit into the smallest window; menus and tips have the long ones.
  for (const auto& [id, text] :
       {std::pair{"file.open", tr("Open")}, {"run.run", tr("Run")}, {"help.palette", tr("Find")}})
    commands_->action(id)->setIconText(text);
  bar->addSeparator();
  bar->addWidget(new QLabel(tr(" Network ")));
  network_box_ = new QComboBox(bar);
  network_box_->setAccessibleName(tr("Network"));
  for (const PresetFacts& preset : network_presets()) {
    network_box_->addItem(QString::fromUtf8(preset.title.data(), static_cast<qsizetype>(preset.title.size())),
                          QString::fromLatin1(preset.id.data(), static_cast<qsizetype>(preset.id.size())));
  }
  network_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  network_box_->setMinimumContentsLength(18);
  bar->addWidget(network_box_);
  connect(network_box_, &QComboBox::activated, this,
          [this] { jobs_->chooseNetwork(network_box_->currentData().toString()); });
  bar->addSeparator();
  for (const char* id : {"run.run", "run.step_back", "run.step_forward", "run.measure", "run.stop"})
    bar->addAction(commands_->action(id));
  bar->addSeparator();
  for (const char* id : {"sweep.thresholds", "sweep.packings"})
    bar->addAction(commands_->action(id));
  bar->addSeparator();
  bar->addAction(commands_->action("help.palette"));
}

void MainWindow::makeMenus() {
  const std::vector<std::pair<QString, QStringList>> menus{
      {tr("&File"), {"file.", "scene."}},
      {tr("&View"), {"view.", "frame.", "layout.", "theme."}},
      {tr("&Network"), {"network.", "layer.", "t."}},
      {tr("&Run"), {"run.", "sweep."}},
      {tr("&Help"), {"help."}}};
  for (const auto& [title, prefixes] : menus) {
    QMenu* menu = menuBar()->addMenu(title);
    menu->setToolTipsVisible(true);
    for (const QString& prefix : prefixes) {
      for (QAction* action : commands_->all()) {
        if (action->objectName().startsWith(prefix)) menu->addAction(action);
      }
      if (prefix != prefixes.last()) menu->addSeparator();
    }
  }
}

void MainWindow::makeStatusBar() {
  hover_label_ = new ElidedLabel(this);
  count_label_ = new QLabel(this);
  device_label_ = new QLabel(this);
  activity_label_ = new ElidedLabel(this);
  for (QLabel* part : {count_label_, device_label_}) {
    part->setObjectName("part");  // with a line before it
    part->hide();
  }
  activity_bar_ = new QProgressBar(this);
  activity_bar_->setFixedWidth(140);
  activity_bar_->setTextVisible(false);
  activity_bar_->hide();
  statusBar()->addWidget(hover_label_, 1);
  statusBar()->addPermanentWidget(activity_label_);
  statusBar()->addPermanentWidget(activity_bar_);
  statusBar()->addPermanentWidget(count_label_);
  statusBar()->addPermanentWidget(device_label_);
  connect(view_, &SceneView::hovered, hover_label_, &ElidedLabel::setText);
  JobRunner* runner = jobs_->runner();
  const auto activity = [this](const QString& what, qint64 done, qint64 total, bool running) {
    activity_label_->setText(running ? what : QString());
    activity_bar_->setVisible(running);
    activity_bar_->setRange(0, total > 0 ? 1000 : 0);
    if (total > 0) activity_bar_->setValue(static_cast<int>(1000 * done / total));
    log_->setActivity(what, done, total, running);
    commands_->refresh();
  };
  connect(runner, &JobRunner::started, this,
          [activity](const QString& title) { activity(title, 0, 0, true); });
  connect(runner, &JobRunner::progress, this,
          [this, activity](const QString& what, qint64 done, qint64 total) {
            activity(jobs_->runner()->title() + ": " + what, done, total, true);
          });
  connect(runner, &JobRunner::finished, this, [this, activity](const QString& title, bool cancelled) {
    activity({}, 0, 0, false);
    if (cancelled) workspace_->addLog(tr("%1: cancelled").arg(title));
  });
}

void MainWindow::connectModel() {
  connect(jobs_, &EngineJobs::failed, this, &MainWindow::showError);
  connect(jobs_, &EngineJobs::opened, this, &MainWindow::opened);
  connect(view_, &SceneView::frameRequested, jobs_, &EngineJobs::showFrame);
  connect(scenes_, &ScenesPanel::frameRequested, jobs_, &EngineJobs::showFrame);
  connect(scenes_, &ScenesPanel::openRequested, this, [this](const QString& scene) { open(scene); });
  connect(scenes_, &ScenesPanel::voxelizeRequested, jobs_, &EngineJobs::voxelize);
  connect(empty_, &EmptyPage::openRequested, this, [this](const QString& scene) { open(scene); });
  connect(empty_, &EmptyPage::dialogRequested, this, &MainWindow::openDialog);
  connect(selection_, &Selection::layerChanged, this, &MainWindow::chooseLayer);
  connect(selection_, &Selection::voxelChanged, this, [this] {
    if (selection_->voxel()) right_tabs_->setCurrentWidget(voxel_);
  });
  connect(selection_, &Selection::columnsChanged, this, [this] {
    if (!selection_->columns().empty()) right_tabs_->setCurrentWidget(density_);
  });
  connect(workspace_, &Workspace::layerChanged, this, [this](int layer) {
    if (layer >= 0 && layer == selection_->layer()) chooseLayer(layer);
    commands_->refresh();
  });
  connect(workspace_, &Workspace::voxelsChanged, this, [this] {
    const auto& voxels = workspace_->voxels();
    count_label_->setText(
        voxels ? tr("%1 voxels").arg(QString::fromStdString(count_text(size_of(voxels->level(1)))))
               : QString());
    count_label_->setVisible(voxels != nullptr);
    selection_->setColumns({});
    commands_->refresh();
  });
  connect(workspace_, &Workspace::networkChanged, this, [this] {
    const QSignalBlocker quiet(network_box_);
    if (workspace_->network())
      network_box_->setCurrentIndex(
          network_box_->findData(QString::fromStdString(workspace_->network()->name)));
    commands_->refresh();
  });
  connect(workspace_, &Workspace::deviceChanged, this, [this] {
    const DeviceFacts& d = workspace_->device();
    device_label_->setText(tr("%1, %2 threads, %3, %4")
                               .arg(QString::fromStdString(std::string(text_of(d.kind))).toUpper())
                               .arg(d.threads)
                               .arg(QString::fromStdString(d.instructions),
                                    QString::fromStdString(std::string(clock_text(d.clock)))));
    device_label_->show();
    device_label_->setToolTip(QString::fromStdString(d.name));
  });
  connect(workspace_, &Workspace::requestChanged, this,
          [this, kernel = workspace_->sceneKernelSize()]() mutable {
            if (kernel == workspace_->sceneKernelSize()) return;
            kernel = workspace_->sceneKernelSize();
            jobs_->rebuildSceneMap();
          });
}

void MainWindow::open(const QString& scene, const QString& format) {
  banner_->hide();
  asked_for_ = scene;
  jobs_->open(scene, format);
}

void MainWindow::openAll(const QStringList& files, const QString& format) {
  if (files.size() == 1) return open(files.front(), format);
  banner_->hide();
  asked_for_ = files.front();
  jobs_->openSequence(files, format);
}

void MainWindow::opened(const QString& scene, const QString& reopen) {
  setWindowTitle(tr("%1 - SpiraScope").arg(QFileInfo(scene).fileName()));
  if (QApplication::focusWidget() == nullptr || QApplication::focusWidget() == this ||
      empty_->isAncestorOf(QApplication::focusWidget()))
    view_->canvas()->setFocus();  // its keys work at once
  if (QFileInfo::exists(reopen)) recent_.add(reopen);
  empty_->setRecent(recent_.files());
  scenes_->setRecent(recent_.files());
}

/// The 3D view shows the outputs of the layer; its densities, its bar and its map follow by themselves.
void MainWindow::chooseLayer(int layer) {
  if (layer < 0 || !workspace_->network() || !workspace_->voxels()) return;
  selection_->setColumns({});
  // Before a run the levels are known, and those of the view are there.
  const int stride = levels_of(*workspace_->network()).layers.at(static_cast<std::size_t>(layer)).stride_out;
  for (const auto& level : workspace_->voxels()->levels) {
    if (level->stride == stride) return selection_->setStride(stride);
  }
}

void MainWindow::showError(const Error& error) {
  workspace_->addLog(tr("error: %1").arg(QString::fromStdString(error.what())));
  std::vector<Banner::WayOut> ways;
  if (error.kind() == ErrorKind::does_not_fit) {
    ways.push_back({tr("Take 64 bits"), [this] { jobs_->againWith(PackSpec::bits64()); }});
    ways.push_back({tr("Double the voxel size"), [this] { jobs_->againWithLargerVoxels(2.0); }});
  } else if (error.kind() == ErrorKind::input) {
    if (QFileInfo::exists(asked_for_))
      ways.push_back({tr("Open as..."), [this, file = asked_for_] { openAs(file); }});
    ways.push_back({tr("Open another..."), [this] { openDialog(); }});
  }
  // The advice of the engine is for a command line; here the way is a button.
  banner_->showError(Error(error.kind(), QString::fromStdString(error.what())
                                             .replace("--format overrides", tr("\"Open as...\" overrides"))
                                             .toStdString()),
                     ways);
}

void MainWindow::explore() {
  left_dock_->show();
  right_dock_->show();
  bottom_dock_->hide();
  const int side = std::clamp(width() / 4, 280, 368);  // the centre keeps half of a narrow window
  resizeDocks({left_dock_, right_dock_}, {side, side}, Qt::Horizontal);
}

void MainWindow::profile() {
  explore();
  bottom_dock_->show();
  resizeDocks({bottom_dock_}, {std::max(200, height() * 3 / 10)}, Qt::Vertical);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) {
    event->acceptProposedAction();
    hover_label_->setText(tr("Drop to open as a new scene"));
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  hover_label_->setText({});
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) files.append(url.toLocalFile());
  }
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  openAll(files);
}

/// Docks take their share of a window that has its size: before the first show there is none.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!shown_) QMetaObject::invokeMethod(this, &MainWindow::profile, Qt::QueuedConnection);
  shown_ = true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  jobs_->cancel();
  if (!state_folder_.isEmpty()) {
    QDir().mkpath(state_folder_);
    QSaveFile place(state_folder_ + "/window.bin");
    if (place.open(QIODevice::WriteOnly)) {
      place.write(saveGeometry());
      place.commit();
    }
  }
  QMainWindow::closeEvent(event);
}

}  // namespace spira::ui
