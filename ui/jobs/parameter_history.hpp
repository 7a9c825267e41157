// Undo and redo of every parameter. It watches Workspace and Selection instead of being told by each place
// that changes them, so none can be forgotten.
#pragma once

#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/parameters.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QUndoStack>

namespace spira::ui {

class ParameterHistory : public QObject {
  Q_OBJECT
 public:
  ParameterHistory(Workspace* workspace, Selection* selection, ViewParts* parts, EngineJobs* jobs,
                   QObject* parent = nullptr);

  [[nodiscard]] QUndoStack* stack() noexcept { return &stack_; }
  /// Nothing before this moment can be undone: another scene is open.
  void begin();
  /// While paused nothing becomes a step; it ends with the parameters that it began with.
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
  EngineJobs* jobs_;
  QUndoStack stack_;
  Parameters known_;  // grid and packing: those that were voxelised with, or are about to be by an undo
  std::shared_ptr<const PointCloud> cloud_;
  std::shared_ptr<const Report> report_;
  FileList frames_;
  bool applying_ = false, paused_ = false;
  // One gesture, from a press to its release, is one step.
  int gesture_ = 0;
  bool held_ = false;
  QElapsedTimer last_wheel_;
};

}  // namespace spira::ui
