// A scripted start: opens a scene, runs the network, looks at everything, writes one PNG a view and layout,
// and ends. Of a report it looks at what was recorded.
#pragma once

#include "ui/window/main_window.hpp"

#include <QObject>
#include <QString>

#include <deque>
#include <functional>

namespace spira::app {

class Screenshots : public QObject {
  Q_OBJECT
 public:
  Screenshots(ui::MainWindow* window, QString folder, QObject* parent);
  /// Starts with the scene that is being opened; ends the application with 0, or with an exit code of Error
  /// where a step failed or took longer than a minute and a half.
  void start();

 private:
  void add(std::function<void()> act, const QString& picture = {}, std::function<bool()> done = {});
  void addCommand(const char* id, const QString& picture = {}, std::function<bool()> done = {});
  void addReportSteps();
  void addRunSteps();
  void addTimelineSteps();
  void addProfileSteps();
  void addLayoutSteps();
  void showTab(const QString& name);
  void addExploreSteps();
  void addLookSteps();
  void addSweepSteps();
  void chooseOffsets(int l1);
  void chooseMiddleVoxel();
  void cropMiddle();
  void chooseMiddleRows();
  void addSelectSteps();
  void addColourSteps();
  void addLessonSteps();
  void next();
  void save(const QString& name);
  void fail(int code, const QString& text);

  struct Step {
    std::function<void()> act;
    std::function<bool()> done;
    QString picture;  ///< file name without ending; empty: none
  };
  ui::MainWindow* window_;
  QString folder_;
  std::deque<Step> steps_;
  int polls_ = 0, said_done_ = 0;  ///< of the first step
  bool failed_ = false;
};

}  // namespace spira::app
