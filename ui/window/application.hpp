// Creates and connects all parts of the program: the model, the jobs, the window and the features.
#pragma once

#include "ui/features/beside/scenes_beside.hpp"
#include "ui/features/device/devices.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/number_menus.hpp"
#include "ui/features/export/report_exports.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/help/help.hpp"
#include "ui/features/layers/layers.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/layout/window_layouts.hpp"
#include "ui/features/lessons/lesson_files.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/open/drop_target.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/open/opening.hpp"
#include "ui/features/open/remedies.hpp"
#include "ui/features/recent/recents.hpp"
#include "ui/features/run/runs.hpp"
#include "ui/features/scene/crop_and_frames.hpp"
#include "ui/features/select/selecting.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/settings/preferences.hpp"
#include "ui/features/status/status_bar.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/undo/undo.hpp"
#include "ui/features/view/camera.hpp"
#include "ui/features/view/look.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/jobs/scene_finder.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/theme.hpp"
#include "ui/window/main_window.hpp"

#include <memory>
#include <vector>

namespace spira::ui {

class BreakdownPanel;
class ColourPanel;
class ComparedScenes;
class DensityPanel;
class GraphPanel;
class LogPanel;
class NetworkPanel;
class PointsPanel;
class RooflinePanel;
class RowsPanel;
class SceneView;
class ScenesPanel;
class SummaryPanel;
class SweepPanel;
class TimelinePanel;
class VoxelPanel;

/// Each member may depend only on members above it. The members are destroyed in reverse order: the features
/// first, then the window with its panels, the jobs and the model.
class Application : public QObject {
  Q_OBJECT
 public:
  /// `state_folder` stores recent files, the window position and recovery copies. `config_folder` stores
  /// settings and shortcuts. If a folder is empty, its data is not stored.
  Application(std::shared_ptr<const Registry> registry, const QString& state_folder,
              const QString& config_folder = {});
  /// Returns the commands of all features, sorted by `position`.
  [[nodiscard]] static std::vector<CommandFacts> commandFacts();

  [[nodiscard]] MainWindow& window() noexcept { return window_; }
  [[nodiscard]] Workspace& workspace() noexcept { return workspace_; }
  [[nodiscard]] Selection& selection() noexcept { return selection_; }
  [[nodiscard]] ViewParts& viewParts() noexcept { return parts_; }
  [[nodiscard]] CropBox& cropBox() noexcept { return crop_; }
  [[nodiscard]] CommandSet& commands() noexcept { return commands_; }
  [[nodiscard]] Notices& notices() noexcept { return notices_; }
  [[nodiscard]] Settings& settings() noexcept { return settings_; }
  [[nodiscard]] Theme& theme() noexcept { return theme_; }
  [[nodiscard]] RecentFiles& recentFiles() noexcept { return recent_files_; }
  [[nodiscard]] const Tasks& tasks() const noexcept { return tasks_; }
  [[nodiscard]] EngineJobs& jobs() noexcept { return jobs_; }
  [[nodiscard]] SelectionJobs& selectionJobs() noexcept { return selecting_jobs_; }
  [[nodiscard]] ParameterHistory& history() noexcept { return history_; }
  [[nodiscard]] SceneView& sceneView() noexcept { return view_; }
  [[nodiscard]] DockLayout& docks() noexcept { return docks_; }
  [[nodiscard]] ProfileTools& profileTools() noexcept { return profiles_; }
  [[nodiscard]] Lessons& lessons() noexcept { return lessons_; }
  [[nodiscard]] const OpenRun& openRun() const noexcept { return run_; }
  [[nodiscard]] UnsavedResults& unsavedResults() noexcept { return unsaved_; }
  [[nodiscard]] Sessions& sessions() noexcept { return sessions_; }
  [[nodiscard]] Opening& opening() noexcept { return opening_; }
  [[nodiscard]] CentrePages& pages() noexcept { return pages_; }
  [[nodiscard]] Closing& closing() noexcept { return closing_; }

 private:
  /// The panels in the docks. The window owns them.
  struct Panels {
    ScenesPanel* scenes;
    NetworkPanel* network;
    DensityPanel* density;
    VoxelPanel* voxel;
    ColourPanel* colour;
    PointsPanel* points;
    SummaryPanel* summary;
    BreakdownPanel* breakdown;
    RooflinePanel* roofline;
    SweepPanel* sweep;
    TimelinePanel* timeline;
    RowsPanel* rows;
    GraphPanel* graph;
    LogPanel* log;
  };
  [[nodiscard]] Panels newPanels();
  [[nodiscard]] std::vector<DockLayout::Tab> tabs() const;
  void connectPanels();
  void connectFeatures();
  void connectFaults();
  void setHelpPlaces();
  void start();
  void showFileNotices();

  // Many members: one for each part of the program. The first members are the settings, the theme and the
  // model.
  Settings settings_;
  Theme theme_{theme_choice(settings_.text("look.theme")), settings_.whole("look.text_percent")};
  Workspace workspace_;
  Selection selection_;
  ViewParts parts_;
  CropBox crop_;
  CommandSet commands_;
  Notices notices_;
  OpenDocument document_;
  RecentFiles recent_files_;
  SceneMemory memory_;
  FileDialogs dialogs_;
  // The background jobs.
  Tasks tasks_;
  EngineJobs jobs_;
  SelectionJobs selecting_jobs_;
  SceneFinder finder_;
  ParameterHistory history_;
  OpenRun run_;
  // The window and its views.
  MainWindow window_;
  FeatureContext context_;
  ProfileTools profiles_;
  SceneView& view_;
  ComparedScenes& compared_;
  Panels panels_;
  DockLayout docks_;
  // The features.
  CentrePages pages_;
  Recents recents_;
  Sessions sessions_;
  LayoutMenu layout_menu_;
  WindowLayouts layouts_;
  ScenesBeside beside_;
  Surveys surveys_;
  ExportFiles export_files_;
  ReportExports report_exports_;
  ChartExports chart_exports_;
  NumberMenus number_menus_;
  Screenshots screenshots_;
  Lessons lessons_;
  LessonFiles lesson_files_;
  UnsavedResults unsaved_;
  Opening opening_;
  Remedies remedies_;
  DropTarget drops_;
  Reloading reloading_;
  CrashRecovery recovery_;
  Closing closing_;
  Runs runs_;
  Layers layers_;
  Devices devices_;
  Camera camera_;
  Look look_;
  CropAndFrames crop_and_frames_;
  Selecting selecting_;
  Undo undo_;
  ProfileViews profile_views_;
  StatusBar status_;
  Help help_;
  Preferences preferences_;
};

}  // namespace spira::ui
