// The main window: scenes and network at the left, the 3D view in the centre, densities and the voxel at the
// right, summary, breakdown, sweeps and log below. It wires views to commands; it computes nothing.
#pragma once

#include "engine/backend/registry.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine_jobs.hpp"
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
  /// `state_folder`: where recent files, the window's place and recovery copies are kept; `config_folder`:
  /// settings and keys; empty: nowhere.
  MainWindow(std::shared_ptr<const Registry> registry, const QString& state_folder,
             const QString& config_folder = {}, QWidget* parent = nullptr);
  ~MainWindow() override;
  /// Returns the size of the first window, without its frame: it fits on the screen together with the frame.
  [[nodiscard]] static QSize firstSize(const QSize& available, const QSize& frame);
  MainWindow(const MainWindow&) = delete;
  MainWindow& operator=(const MainWindow&) = delete;

  [[nodiscard]] CommandSet& commands() noexcept { return *commands_; }
  [[nodiscard]] Workspace& workspace() noexcept { return *workspace_; }
  [[nodiscard]] Selection& selection() noexcept { return *selection_; }
  [[nodiscard]] ViewParts& viewParts() noexcept { return *parts_; }
  [[nodiscard]] CropBox& cropBox() noexcept { return *crop_; }
  [[nodiscard]] FramePlayer& player() noexcept { return *player_; }
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
  [[nodiscard]] HelpWindow* helpWindow() noexcept { return help_; }  ///< null until it was asked for
  /// What there is, to come back to; until then nothing can be undone.
  [[nodiscard]] std::shared_ptr<const WindowBefore> beginLesson();
  void makeRoomForLesson();
  void endLesson(const WindowBefore& before, bool same_scene);
  /// What is open and how it is looked at.
  [[nodiscard]] SessionState session() const;
  [[nodiscard]] QString whyNoSession() const;  ///< empty: what is open can be kept as one
  bool saveSession(const QString& file);       ///< false: the banner says why
  [[nodiscard]] Diagnostics facts() const;
  /// A scene, a report or a session. `format`: id of formats(); empty: guessed from the content.
  void open(const QString& scene, const QString& format = {});
  /// Recorded runs for the start page; none: it does not speak of them.
  void offerReports(const QStringList& files);
  /// More than one: the frames of a sequence.
  void openAll(const QStringList& files, const QString& format = {});
  /// After the frames that are open; where there are none, as openAll().
  void addAll(const QStringList& files);
  /// Closes the window although work is running or unsaved: for signals, when no user can answer.
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
    QString file = {};       // of its own; empty: it has none
    QString recovery = {};   // the recovery copy that it comes from; empty: none
    bool look_only = false;  // camera and colours; the network and what is chosen stay
    QString scene = {};      // of look_only: whose they are
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
  void holdViews(bool held);  ///< those that draw with the GPU that is being measured
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
  void showFault(const Error& error);  ///< of a command or an event; what is open stays open
  void sayLeftOut(const QStringList& files, const QStringList& why);
  void followDrag(QDropEvent* event);
  void saySparedParts();
  [[nodiscard]] QString runningWork() const;  ///< that somebody asked for; empty: nothing
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
  [[nodiscard]] int sideWidth() const;  ///< of a dock beside the view
  void explore();
  void profile();
  void compare();
  void learn();
  void restoreDefaultLayout();
  void restoreWindow();
  void keepWindow();
  void followSettings();
  [[nodiscard]] ColourLook usualLook() const;  ///< of scenes that were not seen before
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
  bool offerPicture(const QString& file);  ///< false: it holds no session
  void arrive(const Arriving& wanted);
  void takeArrived();
  void forgetLook();
  void takeLook(const SessionState& session);
  void rememberScene();
  bool openAsLeft(const QString& scene);  ///< false: it is not known, or shall not be opened so
  [[nodiscard]] std::string recoveryCopy() const;
  [[nodiscard]] std::vector<RecoveryRow> recoveryRows() const;
  void offerRecovery();
  void showRecoveryDialog();
  void reload();
  void restoreAfterCrash(const QString& file);
  void followEnd();
  void end();  ///< leaves nothing for recovery and keeps the window's state
  void openDialog();
  void openAs(QString file);  ///< empty: asks for the file first
  void openFolderDialog();
  void networkDialog();
  void saveSelectionDialog();
  void about();
  [[nodiscard]] QString whyNoScene() const;
  [[nodiscard]] QString whyNoReload() const;
  [[nodiscard]] QString whyNoRun() const;
  [[nodiscard]] QString whyNoNetwork() const;

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
  QString state_folder_, asked_for_;  // asked_for_: the scene opened last, refused or not
  QString reopen_;                    // what is open, as a user names it
  QString session_file_;              // where it was saved to or comes from; empty: neither
  std::optional<Arriving> arriving_;  // what is set when its scene is open
  struct FollowedLook {               // of the settings, as they were followed last
    QString colour_map, theme;
    int text_percent = 0;
  };
  FollowedLook followed_;
  bool look_was_left_ = false;  // when the scene was last closed, maybe weeks ago
  Recovery* recovery_;
  LayoutMenu* own_layouts_;
  HelpWindow* help_ = nullptr;
  SceneView* view_;
  QStackedWidget* pages_;  // of the centre while there are no voxels
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
  JobRunner* device_finder_ = nullptr;
  QToolBar* recorded_bar_ = nullptr;
  QComboBox* network_box_ = nullptr;
  QLabel *count_label_ = nullptr, *device_label_ = nullptr;
  DropOverlay* drop_overlay_ = nullptr;
  ElidedLabel *hover_label_ = nullptr, *activity_label_ = nullptr;
  QProgressBar* activity_bar_ = nullptr;
  QString layout_ = "profile";
  bool shown_ = false, ended_ = false;
  bool as_left_ = false;  // the docks are where they were when the window was closed
};

}  // namespace spira::ui
