// A scripted run of the window: opens a scene, runs the network, shows the views, and writes a PNG file of
// each view. If the file is a report, shows the recorded results instead of running the network.
#pragma once

#include "ui/window/application.hpp"

#include <QObject>
#include <QString>

#include <deque>
#include <functional>

namespace spira::app {

class Screenshots : public QObject {
  Q_OBJECT
 public:
  /// If `all` is true, the run shows every view, layout and lesson page. Otherwise, it shows only a few views
  /// of the scene.
  Screenshots(ui::Application* app, QString folder, bool all, QObject* parent);
  /// Starts with the scene that is being opened. At the end, quits the application with exit code 0. If a
  /// step fails or takes longer than 90 s, quits with the exit code of the error.
  void start();

 private:
  void add(std::function<void()> act, const QString& picture = {}, std::function<bool()> done = {});
  void addCommand(const char* id, const QString& picture = {}, std::function<bool()> done = {});
  void addReportSteps();
  void addOverviewSteps();
  void addRunStep();
  void addRunSteps();
  void addRooflineStep();
  void addTimelineSteps();
  void addTuneSteps();
  void addMatrixStep();
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
  void addBesideSteps();
  void addSelectSteps();
  void addColourSteps();
  void addLessonSteps();
  void next();
  void save(const QString& name);
  void fail(int code, const QString& text);

  struct Step {
    std::function<void()> act;
    std::function<bool()> done;
    QString picture;  ///< File name without extension. If it is empty, no picture is written.
  };
  ui::Application* app_;
  QString folder_;
  std::deque<Step> steps_;
  int polls_ = 0, said_done_ = 0;  ///< Counters for the current step, which is the first element of `steps_`.
  bool failed_ = false;
};

}  // namespace spira::app
