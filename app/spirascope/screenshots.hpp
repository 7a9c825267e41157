// A scripted start: opens a scene or a report, runs the network, writes a picture of each view and ends.
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
  /// `all`: every view, layout and page of a lesson; otherwise an overview of a scene in a few pictures.
  Screenshots(ui::MainWindow* window, QString folder, bool all, QObject* parent);
  /// Starts with the scene that is being opened; ends the application with 0, or with an exit code of Error
  /// where a step failed or took longer than a minute and a half.
  void start();

 private:
  void add(std::function<void()> act, const QString& picture = {}, std::function<bool()> done = {});
  void addCommand(const char* id, const QString& picture = {}, std::function<bool()> done = {});
  void addReportSteps();
  void addOverviewSteps();
  void addRunStep();
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
