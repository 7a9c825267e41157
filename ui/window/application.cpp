#include "ui/window/application.hpp"

#include "ui/charts/density_chart.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/graph_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/roofline_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/panels/rows_panel.hpp"
#include "ui/panels/scene/colour_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/panels/scene/scenes_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/theme/focus_ring.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_notices.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/qt_application.hpp"

#include <QComboBox>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace spira::ui {

std::vector<CommandFacts> Application::commandFacts() {
  std::vector<CommandFacts> all;
  for (const auto table :
       {open_commands, session_commands, recent_commands, export_commands, undo_commands, settings_commands,
        scene_commands, survey_commands, beside_commands, select_commands, view_commands, layers_commands,
        neighbours_commands, run_commands, device_commands, tune_commands, lessons_commands, layout_commands,
        help_commands}) {
    const auto commands = table();
    all.insert(all.end(), commands.begin(), commands.end());
  }
  std::sort(all.begin(), all.end(),
            [](const CommandFacts& a, const CommandFacts& b) { return a.position < b.position; });
  return all;
}

Application::Application(std::shared_ptr<const Registry> registry, const QString& state_folder,
                         const QString& config_folder)
    : settings_(config_folder),
      crop_(&workspace_),
      commands_(commandFacts()),
      recent_files_(state_folder),
      memory_(state_folder),
      jobs_(tasks_, registry, &workspace_, &selection_),
      selecting_jobs_(tasks_, &workspace_, &selection_),
      finder_(tasks_, registry),
      history_(&workspace_, &selection_, &parts_, &jobs_.lane(), &jobs_.scenes(), &jobs_.runs()),
      run_(&workspace_),
      window_(commands_, notices_, document_, theme_),
      context_{tasks_, workspace_, selection_, commands_, notices_, settings_, theme_, dialogs_, window_},
      profiles_(context_, &jobs_),
      view_(*new SceneView(tasks_, &workspace_, &selection_, &parts_, &crop_, &theme_)),
      compared_(*new ComparedScenes(
          tasks_, &workspace_, &selection_, &parts_, profiles_.comparing(), &finder_,
          [this] { return recent_files_.files(); }, &view_, &theme_, &window_)),
      panels_(newPanels()),
      docks_(window_, workspace_, theme_, panels_.scenes, panels_.network, tabs()),
      pages_(context_, view_),
      recents_(context_, recent_files_, memory_, *panels_.scenes, pages_.empty(), *history_.stack()),
      sessions_(context_, {jobs_, view_, parts_, document_, docks_, history_}, recents_, memory_),
      layout_menu_(context_, docks_, state_folder),
      layouts_(context_, docks_, state_folder),
      beside_(context_, jobs_, document_, registry),
      surveys_(context_, {jobs_, docks_, document_}, std::move(registry)),
      export_files_(context_),
      report_exports_(context_, export_files_, run_, *profiles_.comparing()),
      chart_exports_(context_, export_files_, run_),
      number_menus_(context_, export_files_,
                    {chart_exports_, *panels_.summary, *panels_.sweep, *profiles_.comparePanel(),
                     *profiles_.mapPanel(), surveys_.panel(), surveys_.job()}),
      screenshots_(context_, {view_, run_, export_files_.writer(),
                              [this](const auto& folder) { return sessions_.text(folder); }}),
      lessons_(context_, {jobs_, view_, parts_, docks_, document_, history_}, selecting_jobs_, state_folder),
      lesson_files_(context_, lessons_, view_),
      unsaved_(context_,
               {run_, *profiles_.comparing(), *profiles_.tuning(), *profiles_.tunePanel(), recent_files_},
               state_folder),
      opening_(context_, {jobs_, sessions_, unsaved_, profiles_, recents_, document_, view_, docks_,
                          pages_.empty(), surveys_}),
      remedies_(context_, jobs_, crop_, opening_),
      drops_(context_, jobs_, opening_),
      reloading_(context_, sessions_, unsaved_, document_),
      recovery_(context_, sessions_, unsaved_, state_folder),
      closing_(context_, {jobs_, surveys_.job(), lessons_, unsaved_, sessions_, recovery_, layouts_, history_,
                          crop_, document_}),
      runs_(context_, jobs_, docks_, *panels_.sweep, *panels_.breakdown),
      layers_(context_, jobs_, *panels_.network, *panels_.graph),
      devices_(context_, jobs_),
      camera_(context_, view_, history_),
      look_(context_, view_, history_),
      crop_and_frames_(context_, jobs_, selecting_jobs_, crop_, view_, *panels_.scenes, docks_),
      selecting_(context_, selecting_jobs_, view_, *panels_.points, *panels_.density),
      undo_(context_, history_),
      profile_views_(context_, profiles_, jobs_, history_,
                     {*panels_.density, *panels_.summary, *panels_.breakdown, *panels_.sweep,
                      *panels_.timeline, compared_, docks_}),
      status_(context_, jobs_, view_, *panels_.log),
      help_(context_, {docks_, view_, document_, recent_files_, *panels_.log,
                       [this] { return layout_menu_.actions(); }}),
      preferences_(context_) {
  start();
}

Application::Panels Application::newPanels() {
  Workspace* workspace = &workspace_;
  Selection* selection = &selection_;
  Theme* theme = &theme_;
  auto* network = new NetworkPanel(workspace, selection, theme);
  network->followTuning(profiles_.tuning());
  return {new ScenesPanel(workspace, selection, &parts_, theme),
          network,
          new DensityPanel(workspace, selection, theme),
          new VoxelPanel(workspace, selection, theme),
          new ColourPanel(workspace, selection, theme),
          new PointsPanel(workspace, selection, &crop_, theme),
          new SummaryPanel(tasks_, workspace, selection, theme, profiles_.tuning()),
          new BreakdownPanel(workspace, selection, theme),
          new RooflinePanel(workspace, selection, theme),
          new SweepPanel(workspace, selection, theme),
          new TimelinePanel(workspace, selection, theme),
          new RowsPanel(tasks_, workspace, selection, theme),
          new GraphPanel(workspace, selection, theme, network->layers()),
          new LogPanel(workspace, selection, theme)};
}

std::vector<DockLayout::Tab> Application::tabs() const {
  using Side = DockLayout::Side;
  const auto was_run = [this] { return workspace_.results().layersRun() > 0; };
  const auto swept = [this] {
    return workspace_.results().thresholdSweep() || workspace_.results().packSweep() ||
           workspace_.results().dataflowSweep();
  };
  const auto timed = [this] {
    const auto& measurement = workspace_.results().measurement();
    return measurement && !measurement->timeline.empty();
  };
  const auto mapped = [this] { return workspace_.shownMap(selection_.layer()).densities != nullptr; };
  const auto sortable = [this] {
    return workspace_.results().layersRun() > 0 && !workspace_.results().report();
  };
  const auto compared = [this] { return !profiles_.comparing()->baselines().empty(); };
  const auto tuned = [this] { return profiles_.tunePanel()->matrix()->hasResults(); };
  const auto breakdown_height = [this] { return panels_.breakdown->missingHeight(); };
  const auto sweep_height = [this] { return panels_.sweep->missingHeight(); };
  const auto tune_height = [this] { return profiles_.tunePanel()->missingHeight(); };
  return {{Side::right, "density", panels_.density, tr("Density")},
          {Side::right, "voxel", panels_.voxel, tr("Voxel")},
          {Side::right, "colour", panels_.colour, tr("Colour")},
          {Side::right, "points", panels_.points, tr("Points")},
          // The first tabs always exist. The others appear in about this order, so that a new tab rarely
          // moves the tabs that are already visible.
          {Side::bottom, "summary", panels_.summary, tr("Summary")},
          {Side::bottom, "graph", panels_.graph, tr("Graph")},
          {Side::bottom, "log", panels_.log, tr("Log")},
          {Side::bottom, "map", profiles_.mapPanel(), tr("Kernel map"), mapped},
          {Side::bottom, "breakdown", panels_.breakdown, tr("Breakdown"), was_run, breakdown_height},
          {Side::bottom, "roofline", panels_.roofline, tr("Roofline"), was_run},
          {Side::bottom, "rows", panels_.rows, tr("Rows"), sortable},
          {Side::bottom, "timeline", panels_.timeline, tr("Timeline"), timed},
          {Side::bottom, "sweeps", panels_.sweep, tr("Sweeps"), swept, sweep_height},
          {Side::bottom, "tune", profiles_.tunePanel(), tr("Tune"), tuned, tune_height},
          {Side::bottom, "compare", profiles_.comparePanel(), tr("Compare"), compared}};
}

void Application::start() {
  document_.setTitle(tr("SpiraScope"));
  window_.setCentre(&compared_, view_.canvas());
  window_.fillToolBar(layers_.networkBox(), layers_.neighbours().button(), devices_.button());
  window_.fillMenus({{recents_.menu(), "file.open_folder"}, {layout_menu_.menu(), "layout.learn"}});
  look_.bindParts(parts_, crop_, *panels_.scenes);
  look_.bindSlab(*panels_.points, docks_);
  selecting_.bindClear(crop_, jobs_);
  status_.followSurvey(surveys_.job());
  connectFeatures();
  connectFaults();
  connectPanels();
  setHelpPlaces();
  new FocusRing(&theme_, &window_);
  jobs_.runs().chooseNetwork("minkunet42");
  docks_.makeRoomForResults();
  layouts_.restore();
  // Start the history after the device was restored, so that restoring the device does not become an undo
  // step.
  history_.begin();
  showFileNotices();
  recovery_.offer();
}

void Application::connectFeatures() {
  const auto open = [this](const QString& file) { opening_.open(file); };
  connect(&pages_, &CentrePages::openRequested, this, open);
  connect(&pages_, &CentrePages::dialogRequested, &opening_, &Opening::openDialog);
  connect(&recents_, &Recents::openRequested, this, open);
  connect(&help_, &Help::openRequested, this, open);
  connect(&help_, &Help::settingRequested, &preferences_, &Preferences::showDialog);
  connect(&profiles_, &ProfileTools::openWanted, this, open);
  connect(&profiles_, &ProfileTools::tabRequested, &docks_, &DockLayout::show);
  connect(profiles_.comparing(), &Comparing::changed, &docks_, &DockLayout::showTabsWithContent);
  connect(profiles_.tuning(), &Tuning::changed, &docks_, &DockLayout::showTabsWithContent);
  connect(profiles_.tunePanel()->matrix(), &MatrixPane::resultsChanged, &docks_,
          &DockLayout::showTabsWithContent);
  connect(panels_.breakdown, &BreakdownPanel::missingHeightChanged, &docks_, &DockLayout::fitHeight);
  connect(panels_.sweep, &SweepPanel::missingHeightChanged, &docks_, &DockLayout::fitHeight);
  connect(profiles_.tunePanel(), &TunePanel::missingHeightChanged, &docks_, &DockLayout::fitHeight);
  connect(panels_.scenes, &ScenesPanel::openRequested, this, open);
  connect(&surveys_, &Surveys::openRequested, this, open);
  connect(panels_.scenes, &ScenesPanel::relationsRequested, &opening_, &Opening::measureTriples);
  connect(&lessons_, &Lessons::openRequested, this, open);
  connect(&opening_, &Opening::filesOpened, &beside_, &ScenesBeside::offer);
  connect(&report_exports_, &ReportExports::reportSaved, &unsaved_, &UnsavedResults::setSaved);
  connect(&closing_, &Closing::sceneClosed, &opening_, &Opening::forgetRequest);
  connect(&window_, &MainWindow::resized, &docks_, &DockLayout::followWidth);
  connect(&window_, &MainWindow::firstShown, &layouts_, &WindowLayouts::arrangeShown, Qt::QueuedConnection);
  profiles_.setMayReplace(
      [this] { return unsaved_.mayClose(UnsavedResults::Closing::profile, tr("Open another profile?")); });
}

void Application::connectFaults() {
  connect(&sessions_, &Sessions::failed, &remedies_, &Remedies::show);
  sessions_.follow(layers_.captured());
  connect(&reloading_, &Reloading::failed, &remedies_, &Remedies::show);
  connect(&recovery_, &CrashRecovery::failed, &remedies_, &Remedies::show);
  connect(&view_, &SceneView::failed, &remedies_, &Remedies::show);
  connect(&selecting_jobs_, &SelectionJobs::failed, &remedies_, &Remedies::show);
  const NeighbourJobs& compared = layers_.neighbours().jobs();
  connect(&compared, &NeighbourJobs::failed, &remedies_, &Remedies::show);
  connect(&compared, &NeighbourJobs::voxelDensitiesChanged, panels_.density, &DensityPanel::setVoxels);
  connect(&compared, &NeighbourJobs::positionsChanged, panels_.points, &PointsPanel::setPositions);
  connect(&profiles_, &ProfileTools::failed, &remedies_, &Remedies::show);
  if (const auto* application = qobject_cast<QtApplication*>(QCoreApplication::instance()))
    connect(application, &QtApplication::failed, &remedies_, &Remedies::showFault);
}

void Application::connectPanels() {
  for (Panel* panel : std::initializer_list<Panel*>{
           panels_.scenes, panels_.network, panels_.density, panels_.voxel, panels_.colour, panels_.points,
           panels_.summary, panels_.breakdown, panels_.roofline, panels_.sweep, panels_.timeline,
           panels_.rows, panels_.graph, panels_.log, profiles_.mapPanel(), profiles_.comparePanel(),
           profiles_.tunePanel()})
    connect(panel, &Panel::commandRequested, &commands_, &CommandSet::trigger);
  pages_.connectSummary(*panels_.summary);
  const TaskSlot* engine = &jobs_.lane().task();
  connect(engine, &TaskSlot::started, this, [this] { panels_.summary->pauseCount(true); });
  connect(engine, &TaskSlot::finished, this, [this] { panels_.summary->pauseCount(jobs_.lane().busy()); });
  connect(panels_.rows, &RowsPanel::voxelsWanted, this,
          [this](int stride, const std::vector<std::int32_t>& rows) {
            selecting_jobs_.choose(
                stride, [rows](const std::stop_token&) { return rows; }, Combine::replace);
          });
  connect(&view_, &SceneView::legendChanged, panels_.colour, &ColourPanel::setLegend);
  if (openGlFault().isEmpty()) {
    // The Tab key moves the focus from the 3D view to the density chart.
    QWidget::setTabOrder(view_.canvas(), panels_.density->chart());
    connect(view_.canvas(), &VtkWidget::frameDrawn, panels_.summary, &SummaryPanel::yieldToFrames);
  }
  for (QWidget* view :
       std::initializer_list<QWidget*>{&view_, panels_.density, panels_.breakdown, panels_.roofline,
                                       panels_.sweep, panels_.timeline, panels_.rows, panels_.graph,
                                       profiles_.mapPanel(), profiles_.comparePanel(), profiles_.tunePanel()})
    commands_.addPlainKeysTo(view);
}

void Application::setHelpPlaces() {
  for (const auto& [view, place] :
       std::initializer_list<std::pair<QWidget*, const char*>>{{panels_.scenes, "window#Scenes"},
                                                               {panels_.network, "window#Network"},
                                                               {&view_, "window#3D view"},
                                                               {panels_.density, "window#Density"},
                                                               {panels_.voxel, "window#Voxel"},
                                                               {panels_.colour, "exploring#Colours"},
                                                               {panels_.points, "window#Points"},
                                                               {panels_.summary, "window#Summary"},
                                                               {panels_.breakdown, "window#Breakdown"},
                                                               {panels_.roofline, "window#Roofline"},
                                                               {panels_.sweep, "window#Sweeps"},
                                                               {panels_.timeline, "window#Timeline"},
                                                               {panels_.rows, "window#Rows"},
                                                               {panels_.graph, "window#Graph"},
                                                               {panels_.log, "window#Log"}})
    set_help(view, place);
}

/// Shows a note about settings files that could not be read or written. The window still works.
void Application::showFileNotices() {
  QStringList notices;
  for (const QString& notice : {settings_.notice(), recent_files_.notice(), memory_.notice(),
                                layout_menu_.layouts().notice(), layouts_.notice()}) {
    if (notice.isEmpty()) continue;
    workspace_.addLog(notice);
    notices += notice;
  }
  if (!notices.isEmpty()) notices_.showNote(tr("A settings file could not be used"), notices.join("\n"));
}

}  // namespace spira::ui
