// Parts around the view: docks, tool bars, menus and the status bar.
#include "ui/features/export/exports.hpp"
#include "ui/features/layout/layout_menu.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/features/open/drop_overlay.hpp"
#include "ui/features/open/recorded_strip.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/panels/activity_row.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/panels/scene/colour_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/theme/elided_combo_box.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/theme/progress.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/main_window.hpp"
#include "ui/window/trust_label.hpp"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QProgressBar>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>

namespace spira::ui {

void MainWindow::makeDocks() {
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  const auto dock = [&](const QString& title, const QString& name, QWidget* widget, Qt::DockWidgetArea area) {
    auto* made = new QDockWidget(title, this);
    made->setObjectName(name);
    made->setWidget(widget);
    // Hide the title bar, because the tabs and headings name the content.
    made->setTitleBarWidget(new QWidget(made));
    made->setFeatures(QDockWidget::NoDockWidgetFeatures);
    addDockWidget(area, made);
    return made;
  };
  left_ = new LeftSide(scenes_, network_, theme_);
  left_dock_ = dock(tr("Scenes and network"), "left", left_, Qt::LeftDockWidgetArea);
  right_tabs_ = new QTabWidget;
  right_tabs_->setAccessibleName(tr("Views of the selection"));
  right_tabs_->setDocumentMode(true);
  right_tabs_->tabBar()->setDrawBase(false);
  right_tabs_->setStyleSheet("QTabBar::tab { padding: 6px 8px; }");  // All tabs fit into the narrowest dock.
  right_tabs_->addTab(density_, tr("Density"));
  right_tabs_->addTab(voxel_, tr("Voxel"));
  right_tabs_->addTab(colour_, tr("Colour"));
  right_tabs_->addTab(points_, tr("Points"));
  right_dock_ = dock(tr("Density and voxel"), "right", right_tabs_, Qt::RightDockWidgetArea);
  bottom_tabs_ = new QTabWidget;
  bottom_tabs_->setAccessibleName(tr("Results"));
  bottom_tabs_->setDocumentMode(true);
  bottom_tabs_->tabBar()->setDrawBase(false);
  bottom_tabs_->addTab(summary_, tr("Summary"));
  bottom_tabs_->addTab(breakdown_, tr("Breakdown"));
  bottom_tabs_->addTab(sweep_, tr("Sweeps"));
  bottom_tabs_->addTab(timeline_, tr("Timeline"));
  timeline_->addCommands(*commands_);
  profile_tools_->addTabs(bottom_tabs_);
  bottom_tabs_->addTab(log_, tr("Log"));
  bottom_dock_ = dock(tr("Results"), "bottom", bottom_tabs_, Qt::BottomDockWidgetArea);
  for (Panel* panel : std::initializer_list<Panel*>{scenes_, network_, density_, voxel_, colour_, points_,
                                                    summary_, breakdown_, sweep_, timeline_, log_}) {
    connect(panel, &Panel::commandRequested, this, [this](const QString& id) { commands_->trigger(id); });
  }
}

void MainWindow::makeToolBar() {
  auto* bar = addToolBar(tr("Main"));
  bar->setObjectName("toolbar");
  bar->setMovable(false);
  bar->addAction(commands_->action("file.open"));
  // Short names, so that all buttons fit into the smallest window. Menus and tooltips have the long names.
  for (const auto& [id, text] : {std::pair{"file.open", tr("Open")},
                                 {"run.run", tr("Run")},
                                 {"run.step_back", tr("\u25c2 Step")},
                                 {"run.step_forward", tr("Step \u25b8")},
                                 {"help.palette", tr("Find")}})
    commands_->action(id)->setIconText(text);
  bar->addSeparator();
  bar->addWidget(new QLabel(tr(" Network ")));
  network_box_ = new ElidedComboBox(bar);
  network_box_->setAccessibleName(tr("Network"));
  for (const PresetFacts& preset : network_presets()) {
    network_box_->addItem(QString::fromUtf8(preset.title.data(), static_cast<qsizetype>(preset.title.size())),
                          QString::fromLatin1(preset.id.data(), static_cast<qsizetype>(preset.id.size())));
  }
  network_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  network_box_->setMinimumContentsLength(13);
  bar->addWidget(network_box_);
  connect(network_box_, &QComboBox::activated, this,
          [this] { jobs_->runs().chooseNetwork(network_box_->currentData().toString()); });
  bar->addSeparator();
  addDeviceButton(*bar);
  for (const char* id : {"run.run", "run.step_back", "run.step_forward", "run.measure", "run.stop"})
    bar->addAction(commands_->action(id));
  bar->addSeparator();
  for (const char* id : {"sweep.thresholds", "sweep.packings"})
    bar->addAction(commands_->action(id));
  bar->addSeparator();
  bar->addAction(commands_->action("help.palette"));
  addToolBarBreak();
  recorded_bar_ = addToolBar(tr("Recorded run"));
  recorded_bar_->setObjectName("recorded_bar");
  recorded_bar_->setMovable(false);
  recorded_bar_->setContextMenuPolicy(Qt::PreventContextMenu);
  // The user cannot hide the bar while its report is open.
  recorded_bar_->toggleViewAction()->setEnabled(false);
  recorded_bar_->addWidget(new RecordedStrip(workspace_, theme_, recorded_bar_));
  recorded_bar_->hide();
}

void MainWindow::makeMenus() {
  const std::vector<std::pair<QString, QStringList>> menus{
      {tr("&File"), {"file.", "scene."}},
      {tr("&Edit"), {"edit."}},
      {tr("&View"), {"view.", "colour.", "theme."}},
      {tr("&Scene"), {"crop.", "select.", "frame.", "survey."}},
      {tr("&Network"), {"network.", "layer.", "t."}},
      {tr("&Run"), {"run.", "device.", "precision.", "sweep.", "tune.", "compare.", "reproduce."}},
      {tr("&Learn"), {"lesson."}},
      {tr("&Window"), {"layout.", "window."}},
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
    if (prefixes.front() == "layout.")
      menu->insertMenu(commands_->action("layout.save_as"), own_layouts_->menu());
    if (prefixes.front() != "file.") continue;
    menu->insertMenu(commands_->action("file.screenshot"), makeRecentMenu());
    auto* exported = new QMenu(tr("&Export"), menu);
    exported->setToolTipsVisible(true);
    exports_->addTo(exported);
    menu->insertMenu(commands_->action("file.quit"), exported);
  }
}

void MainWindow::makeStatusBar() {
  drop_overlay_ = new DropOverlay(theme_, this);
  hover_label_ = new ElidedLabel(this);
  // This label uses only the width that the others leave.
  hover_label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  count_label_ = new QLabel(this);
  device_label_ = new QLabel(this);
  activity_label_ = new ElidedLabel(this);
  for (QLabel* part : {count_label_, device_label_}) {
    part->setObjectName("part");  // The style sheet draws a line before it.
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
  statusBar()->addPermanentWidget(new TrustLabel(workspace_, theme_, this));
  connect(view_, &SceneView::hovered, hover_label_, &ElidedLabel::setText);
  TaskSlot* engine = &jobs_->lane().task();
  const auto activity = [this](const QString& what, qint64 done, qint64 total, bool running) {
    running ? log_->engine()->setActivity(what, done, total) : log_->engine()->end();
    const QString pace = log_->engine()->pace();
    const QString step = running ? JobPace::shown(what) : QString();
    activity_label_->setText(step.isEmpty() || pace.isEmpty() ? step : tr("%1, %2").arg(step, pace));
    activity_bar_->setVisible(running);
    set_progress(*activity_bar_, done, total);
  };
  connect(engine, &TaskSlot::started, this, [this, activity](const QString& title) {
    activity(title, 0, 0, true);
    commands_->refreshSoon();
  });
  connect(engine, &TaskSlot::progress, this,
          [this, activity](const QString& what, qint64 done, qint64 total) {
            activity(jobs_->lane().task().title() + ": " + what, done, total, true);
          });
  connect(engine, &TaskSlot::finished, this, [this, activity](const QString& title, bool cancelled) {
    activity({}, 0, 0, false);
    commands_->refreshSoon();
    if (cancelled) workspace_->addLog(tr("%1: cancelled").arg(title));
    setMapStopped(!workspace_->shownMap(-1).densities && !jobs_->lane().busy());
  });
  connect(engine, &TaskSlot::started, this, [this] { setMapStopped(false); });
  connect(&surveys_->job(), &SurveyJob::changed, this, [this] {
    const SurveyJob& job = surveys_->job();
    if (!job.busy()) return log_->survey()->end();
    const auto& survey = job.survey();
    log_->survey()->setActivity(tr("Surveying the folder"), survey ? std::ssize(survey->rows) : 0,
                                survey ? std::ssize(survey->request.frames) : 0);
  });
}

/// Lets the views that wait for the kernel map offer to build it, if no job builds it.
void MainWindow::setMapStopped(bool stopped) {
  density_->setMapStopped(stopped);
  profile_tools_->mapPanel()->setMapStopped(stopped);
}

}  // namespace spira::ui
