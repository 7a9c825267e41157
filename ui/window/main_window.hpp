// The main window: scenes and network at the left, the 3D view in the centre, densities and voxel at the
// right, summary, breakdown, sweeps and log at the bottom. It connects views to commands and computes
// nothing.
#pragma once

#include "engine/backend/registry.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/settings/scene_memory.hpp"
#include "ui/theme/theme.hpp"
#include "ui/window/file_dialogs.hpp"

#include <QMainWindow>

#include <memory>
#include <optional>
#include <string>

class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QToolBar;

namespace spira {
struct Advice;
}  // namespace spira

namespace spira::ui {

class Banner;
class BreakdownPanel;
class Chart;
class ColourPanel;
class ComparedScenes;
class CropCounter;
class DensityPanel;
class DropOverlay;
class ElidedLabel;
class Exports;
struct Diagnostics;
class FramePlayer;
class EmptyPage;
class HelpWindow;
class LayoutMenu;
class LeftSide;
class Lessons;
class LogPanel;
class NetworkPanel;
class Panel;
class ParameterHistory;
class PointsPanel;
class ProfileTools;
class RecordedPage;
class Recovery;
struct RecoveryRow;
class SceneFinder;
class SceneView;
class SelectionHistory;
class SelectionJobs;
class ScenesPanel;
class Screenshots;
class Settings;
class SummaryPanel;
class Surveys;
class SweepPanel;
class TimelinePanel;
class UnsavedResults;
class VoxelPanel;
struct WindowBefore;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `state_folder` holds recent files, the window position and recovery copies; `config_folder` holds
  /// settings and shortcuts. If a folder is empty, its data is not stored.
  MainWindow(std::shared_ptr<const Registry> registry, const QString& state_folder,
             const QString& config_folder = {}, QWidget* parent = nullptr);
  ~MainWindow() override;
  /// Returns the size of the window at the first start, without its frame. The window and its frame fit on
  /// the screen.
  [[nodiscard]] static QSize firstSize(const QSize& available, const QSize& frame);
  MainWindow(const MainWindow&) = delete;
  MainWindow& operator=(const MainWindow&) = delete;

  [[nodiscard]] CommandSet& commands() noexcept { return *commands_; }
  [[nodiscard]] Workspace& workspace() noexcept { return *workspace_; }
  [[nodiscard]] Selection& selection() noexcept { return *selection_; }
  [[nodiscard]] ViewParts& viewParts() noexcept { return *parts_; }
  [[nodiscard]] CropBox& cropBox() noexcept { return *crop_; }
  [[nodiscard]] FramePlayer& player() noexcept { return *player_; }
  [[nodiscard]] Tasks& tasks() noexcept { return tasks_; }
  [[nodiscard]] EngineJobs& jobs() noexcept { return *jobs_; }
  [[nodiscard]] SelectionJobs& selectionJobs() noexcept { return *selecting_; }
  [[nodiscard]] Theme& theme() noexcept { return *theme_; }
  [[nodiscard]] SceneView& sceneView() noexcept { return *view_; }
  [[nodiscard]] ComparedScenes& comparedScenes() noexcept { return *compared_; }
  [[nodiscard]] SceneFinder& sceneFinder() noexcept { return *finder_; }
  [[nodiscard]] Screenshots& screenshots() noexcept { return *screenshots_; }
  [[nodiscard]] Lessons& lessons() noexcept { return *lessons_; }
  [[nodiscard]] Surveys& surveys() noexcept { return *surveys_; }
  [[nodiscard]] Exports& exports() noexcept { return *exports_; }
  [[nodiscard]] Banner& banner() noexcept { return *banner_; }
  [[nodiscard]] ColourPanel& colourPanel() noexcept { return *colour_; }
  [[nodiscard]] PointsPanel& pointsPanel() noexcept { return *points_; }
  [[nodiscard]] DensityPanel& densityPanel() noexcept { return *density_; }
  [[nodiscard]] SweepPanel& sweepPanel() noexcept { return *sweep_; }
  [[nodiscard]] TimelinePanel& timelinePanel() noexcept { return *timeline_; }
  [[nodiscard]] SummaryPanel& summaryPanel() noexcept { return *summary_; }
  [[nodiscard]] ProfileTools& profileTools() noexcept { return *profile_tools_; }
  [[nodiscard]] QTabWidget& bottomTabs() noexcept { return *bottom_tabs_; }
  [[nodiscard]] QTabWidget& rightTabs() noexcept { return *right_tabs_; }
  [[nodiscard]] Settings& settings() noexcept { return *settings_; }
  [[nodiscard]] ParameterHistory& history() noexcept { return *history_; }
  [[nodiscard]] RecentFiles& recentFiles() noexcept { return recent_; }
  [[nodiscard]] LayoutMenu& layoutMenu() noexcept { return *own_layouts_; }
  [[nodiscard]] FileDialogs& fileDialogs() noexcept { return file_dialogs_; }
  [[nodiscard]] UnsavedResults& unsavedResults() noexcept { return *unsaved_; }
  /// Returns `nullptr` until help was opened.
  [[nodiscard]] HelpWindow* helpWindow() noexcept { return help_; }
  /// Returns the state of the window, to restore after the lesson. Pauses undo until endLesson().
  [[nodiscard]] std::shared_ptr<const WindowBefore> beginLesson();
  void makeRoomForLesson();
  void endLesson(const WindowBefore& before, bool same_scene);
  /// Returns the open scene or report, the parameters, the selection and the camera.
  [[nodiscard]] SessionState session() const;
  /// Returns why the open scene or report cannot be saved as a session; empty if it can.
  [[nodiscard]] QString whyNoSession() const;
  /// Returns false if the file cannot be written; the banner then shows why.
  bool saveSession(const QString& file);
  [[nodiscard]] Diagnostics facts() const;
  /// Opens a scene, a report or a session. `format` is an id of formats(); if it is empty, the content
  /// decides.
  void open(const QString& scene, const QString& format = {});
  /// Sets the recorded runs of the start page. If the list is empty, the page does not mention them.
  void offerReports(const QStringList& files);
  /// Opens several files as the frames of a sequence.
  void openAll(const QStringList& files, const QString& format = {});
  /// Appends files to the open frames. Does the same as openAll() if that is not possible.
  void addAll(const QStringList& files);
  /// Closes the window although work is running or unsaved. Used for signals, when no user can answer a
  /// question.
  void closeWithoutQuestions();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Arriving {
    SessionState session;
    QString file = {};      // Session file; empty if there is none.
    QString recovery = {};  // Recovery copy that the session comes from; empty if there is none.
    // Restore only the camera and the colours, and keep the network and the selection.
    bool look_only = false;
    QString scene = {};  // Scene of the camera and colours; only used if `look_only`.
  };
  void makeDocks();
  void makeToolBar();
  void makeMenus();
  void makeStatusBar();
  void bindCommands();
  void bindRunCommands();
  void bindLayerCommands();
  void bindPrecisionCommands();
  void bindDeviceCommands();
  void bindTabCommands();
  void addDeviceButton(QToolBar& bar);
  void followMeasuring();
  void holdViews(bool held);  ///< Pauses the 3D views while their GPU is being timed.
  void bindViewCommands();
  void bindSceneCommands();
  void bindColourCommands();
  void bindSelectCommands();
  void connectFitMeter();
  void bindCameraCommands();
  void bindVoxelStyles();
  void bindParts();
  void bindLayoutCommands();
  void bindLeftSide();
  void bindMeasuring();
  void bindDeskCommands();
  void bindRecentFiles();
  void bindSessionCommands();
  void bindReloadCommands();
  void bindUndo();
  void setHelpPlaces();
  void connectModel();
  void connectProfileTools();
  void showEvidence(const Advice& advice);
  void showTimeOf(int layer);
  void setMapStopped(bool stopped);
  void showError(const Error& error);
  /// Shows an error of a command or an event. The open scene stays open.
  void showFault(const Error& error);
  void sayLeftOut(const QStringList& files, const QStringList& why);
  void followDrag(QDropEvent* event);
  void saySparedParts();
  /// Returns the title of the running job that the user started; empty if there is none.
  [[nodiscard]] QString runningWork() const;
  [[nodiscard]] bool mayClose(const QString& question, const QString& lost);
  bool asks_before_closing_ = true;
  [[nodiscard]] QString whyNothingToClose() const;
  void closeOpen();
  void showDevice();
  void followReport();
  void opened(const QString& scene, const QString& reopen);
  void chooseLayer(int layer);
  void changeThreshold(int step);
  void arrange(const QString& layout);
  [[nodiscard]] int sideWidth() const;  ///< Returns the width of a dock next to the view, in pixels.
  void explore();
  void profile();
  void compare();
  void learn();
  void restoreDefaultLayout();
  void restoreWindow();
  void keepWindow();
  void followSettings();
  /// Returns the colours for scenes that were never opened before.
  [[nodiscard]] ColourLook usualLook() const;
  void showNotices();
  void showRecent();
  [[nodiscard]] QString openWith() const;
  [[nodiscard]] QMenu* makeRecentMenu();
  void help();
  [[nodiscard]] Chart* chartInSight() const;
  [[nodiscard]] static bool isSession(const QString& file);
  void saveSessionDialog();
  void openSession(const QString& file);
  bool refusesPipe(const QStringList& files);
  bool offerPicture(const QString& file);  ///< Returns false if the picture contains no session.
  void arrive(const Arriving& wanted);
  void takeArrived();
  void forgetLook();
  void takeLook(const SessionState& session);
  void rememberScene();
  /// Returns false if no camera and colours are stored for the scene, or if they must not be restored.
  bool openAsLeft(const QString& scene);
  [[nodiscard]] std::string recoveryCopy() const;
  [[nodiscard]] std::vector<RecoveryRow> recoveryRows() const;
  void offerRecovery();
  void showRecoveryDialog();
  void reload();
  void restoreAfterCrash(const QString& file);
  void followEnd();
  void end();  ///< Stores the state of the window and deletes its recovery copy.
  void openDialog();
  void openAs(QString file);  ///< If `file` is empty, asks for it first.
  void openFolderDialog();
  void networkDialog();
  void saveSelectionDialog();
  void about();
  [[nodiscard]] QString whyNoScene() const;
  [[nodiscard]] QString whyNoReload() const;
  [[nodiscard]] QString whyNoRun() const;
  [[nodiscard]] QString whyNoNetwork() const;

  Tasks tasks_;
  Theme* theme_;
  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  CropBox* crop_;
  CommandSet* commands_;
  EngineJobs* jobs_;
  CropCounter* counter_;
  FramePlayer* player_;
  SelectionJobs* selecting_;
  SelectionHistory* visited_;
  ParameterHistory* history_;
  Settings* settings_;
  RecentFiles recent_;
  SceneMemory memory_;
  JsonFile window_file_;
  FileDialogs file_dialogs_;
  // `asked_for_` is the scene that was requested last, even if it was refused.
  QString state_folder_, asked_for_;
  QString reopen_;  // File, folder or built-in name of the open scene or report.
  // File of the open session; empty if it was neither saved nor opened as a file.
  QString session_file_;
  std::optional<Arriving> arriving_;  // State to restore when its scene is open.
  struct FollowedLook {               // Settings of the look at the last call of followSettings().
    QString colour_map, theme;
    int text_percent = 0;
  };
  FollowedLook followed_;
  // True if the look was restored from the last time the scene was open, which may be weeks ago.
  bool look_was_left_ = false;
  Recovery* recovery_;
  LayoutMenu* own_layouts_;
  HelpWindow* help_ = nullptr;
  SceneView* view_;
  QStackedWidget* pages_;  // Pages that the centre shows while no scene with voxels is open.
  EmptyPage* empty_;
  RecordedPage* recorded_;
  Banner* banner_;
  ScenesPanel* scenes_;
  NetworkPanel* network_;
  DensityPanel* density_;
  VoxelPanel* voxel_;
  ColourPanel* colour_;
  PointsPanel* points_;
  ProfileTools* profile_tools_;
  SceneFinder* finder_ = nullptr;
  ComparedScenes* compared_ = nullptr;
  SummaryPanel* summary_;
  BreakdownPanel* breakdown_;
  SweepPanel* sweep_;
  TimelinePanel* timeline_;
  LogPanel* log_;
  Exports* exports_ = nullptr;
  Surveys* surveys_ = nullptr;
  Lessons* lessons_ = nullptr;
  Screenshots* screenshots_ = nullptr;
  UnsavedResults* unsaved_ = nullptr;
  LeftSide* left_ = nullptr;
  QDockWidget *left_dock_ = nullptr, *right_dock_ = nullptr, *bottom_dock_ = nullptr;
  QTabWidget *right_tabs_ = nullptr, *bottom_tabs_ = nullptr;
  QToolBar* recorded_bar_ = nullptr;
  QComboBox* network_box_ = nullptr;
  QLabel *count_label_ = nullptr, *device_label_ = nullptr;
  DropOverlay* drop_overlay_ = nullptr;
  ElidedLabel *hover_label_ = nullptr, *activity_label_ = nullptr;
  QProgressBar* activity_bar_ = nullptr;
  QString layout_ = "profile";
  bool shown_ = false, ended_ = false;
  bool as_left_ = false;  // True if the docks were restored from the last run of the program.
  TaskSlot device_finder_;
};

}  // namespace spira::ui
