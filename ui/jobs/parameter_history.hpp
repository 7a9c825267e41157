// Undo and redo of all parameters. This class observes Workspace and Selection, so code that changes a
// parameter need not report the change, and no change can be missed.
#pragma once

#include "ui/jobs/engine/run_jobs.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/model/parameters.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QUndoStack>

namespace spira::ui {

class ParameterHistory : public QObject {
  Q_OBJECT
 public:
  ParameterHistory(Workspace* workspace, Selection* selection, ViewParts* parts, EngineLane* lane,
                   SceneJobs* scenes, RunJobs* runs, QObject* parent = nullptr);

  [[nodiscard]] QUndoStack* stack() noexcept { return &stack_; }
  /// Clears the history and starts from the current parameters.
  void begin();
  /// While paused, changes are not recorded. Before the caller ends the pause, it must restore the parameters
  /// that were set when the pause began.
  void setPaused(bool paused);
  [[nodiscard]] bool paused() const noexcept { return paused_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  class Step;
  void record();
  void recordVoxels();
  void push(const Parameters& now);
  void apply(const Parameters& from, const Parameters& to);
  void holdUntilHandled();

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  SceneJobs* scenes_;
  RunJobs* runs_;
  QUndoStack stack_;
  // Parameters after the last undo step. The grid and the packing belong to the open voxels, or to
  // the undo step that is being applied.
  Parameters known_;
  std::shared_ptr<const PointCloud> cloud_;
  std::shared_ptr<const Report> report_;
  FileList frames_;
  bool applying_ = false, paused_ = false;
  // All changes from a mouse press to its release are one gesture. They become one undo step.
  int gesture_ = 0;
  bool held_ = false;
  QElapsedTimer last_wheel_;
};

}  // namespace spira::ui
