// Parts around the view: docks, tool bars, menus and the status bar.
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/features/layout/layout_menu.hpp"
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
#include <QLabel>
#include <QMenuBar>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolBar>

namespace spira::ui {

void MainWindow::makeDocks() {
  layout_ = new DockLayout(*this, *workspace_, *theme_, scenes_, network_, this);
  connect(layout_, &DockLayout::besideRequested, compared_, &ComparedScenes::setBeside);
  using Side = DockLayout::Side;
  layout_->addTab(Side::right, "density", density_, tr("Density"));
  layout_->addTab(Side::right, "voxel", voxel_, tr("Voxel"));
  layout_->addTab(Side::right, "colour", colour_, tr("Colour"));
  layout_->addTab(Side::right, "points", points_, tr("Points"));
  layout_->addTab(Side::bottom, "summary", summary_, tr("Summary"));
  layout_->addTab(Side::bottom, "breakdown", breakdown_, tr("Breakdown"));
  layout_->addTab(Side::bottom, "sweeps", sweep_, tr("Sweeps"));
  layout_->addTab(Side::bottom, "timeline", timeline_, tr("Timeline"));
  timeline_->addCommands(*commands_);
  profile_tools_->addTabs(*layout_);
  layout_->tabs(DockLayout::Side::bottom).addTab(log_, tr("Log"));
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
          [this] { jobs_->chooseNetwork(network_box_->currentData().toString()); });
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
  JobRunner* runner = jobs_->runner();
  const auto activity = [this](const QString& what, qint64 done, qint64 total, bool running) {
    running ? log_->engine()->setActivity(what, done, total) : log_->engine()->end();
    const QString pace = log_->engine()->pace();
    const QString step = running ? JobPace::shown(what) : QString();
    activity_label_->setText(step.isEmpty() || pace.isEmpty() ? step : tr("%1, %2").arg(step, pace));
    activity_bar_->setVisible(running);
    set_progress(*activity_bar_, done, total);
  };
  connect(runner, &JobRunner::started, this, [this, activity](const QString& title) {
    activity(title, 0, 0, true);
    commands_->refreshSoon();
  });
  connect(runner, &JobRunner::progress, this,
          [this, activity](const QString& what, qint64 done, qint64 total) {
            activity(jobs_->runner()->title() + ": " + what, done, total, true);
          });
  connect(runner, &JobRunner::finished, this, [this, activity](const QString& title, bool cancelled) {
    activity({}, 0, 0, false);
    commands_->refreshSoon();
    if (cancelled) workspace_->addLog(tr("%1: cancelled").arg(title));
    setMapStopped(!workspace_->shownMap(-1).densities && !jobs_->runner()->busy());
  });
  connect(runner, &JobRunner::started, this, [this] { setMapStopped(false); });
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
