// The window: menus, tool bar, and the message above the centre. It knows no feature: the features add their
// docks and tabs, and the composition root passes the rest.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/session.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/theme/theme.hpp"

#include <QMainWindow>

#include <memory>
#include <vector>

class QMenu;
class QToolBar;

namespace spira::ui {

class Application;
class ComparedScenes;
class DockLayout;
class EngineJobs;
class Exports;
class FileDialogs;
class Lessons;
class Notices;
class OpenDocument;
class ProfileTools;
class RecentFiles;
class SceneView;
class Selection;
class SelectionJobs;
struct SessionState;
class Settings;
class SummaryPanel;
class Surveys;
class SweepPanel;
class Theme;
class TimelinePanel;
class UnsavedResults;
struct WindowBefore;
class Workspace;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(Application& application, CommandSet& commands, Notices& notices, const OpenDocument& document,
             Theme& theme);

  void setCentre(QWidget* centre);
  /// The widgets choose the network and the device.
  void fillToolBar(QWidget* network, QWidget* device);
  struct Submenu {
    QMenu* menu;
    QString before;  ///< Command that follows the submenu.
  };
  void fillMenus(const std::vector<Submenu>& submenus);

  // Accessors for the features that still receive the window.
  [[nodiscard]] CommandSet& commands() { return commands_; }
  [[nodiscard]] Workspace& workspace();
  [[nodiscard]] Selection& selection();
  [[nodiscard]] EngineJobs& jobs();
  [[nodiscard]] SelectionJobs& selectionJobs();
  [[nodiscard]] Theme& theme();
  [[nodiscard]] SceneView& sceneView();
  [[nodiscard]] Lessons& lessons();
  [[nodiscard]] Surveys& surveys();
  [[nodiscard]] Exports& exports();
  [[nodiscard]] Notices& notices();
  [[nodiscard]] DockLayout& dockLayout();
  [[nodiscard]] SweepPanel& sweepPanel();
  [[nodiscard]] TimelinePanel& timelinePanel();
  [[nodiscard]] SummaryPanel& summaryPanel();
  [[nodiscard]] ProfileTools& profileTools();
  [[nodiscard]] Settings& settings();
  [[nodiscard]] RecentFiles& recentFiles();
  [[nodiscard]] FileDialogs& fileDialogs();
  [[nodiscard]] UnsavedResults& unsavedResults();
  [[nodiscard]] std::shared_ptr<const WindowBefore> beginLesson();
  void makeRoomForLesson();
  void endLesson(const WindowBefore& before, bool same_scene);
  [[nodiscard]] SessionState session() const;
  [[nodiscard]] QString whyNoSession() const;
  void open(const QString& scene);

 signals:
  void resized();
  void firstShown();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  [[nodiscard]] QMenu* exportMenu();
  void fillMenu(QMenu& menu, Menu of) const;

  Application& application_;
  CommandSet& commands_;
  QWidget* banner_;
  QToolBar* tools_;
  bool shown_ = false;
};

}  // namespace spira::ui
