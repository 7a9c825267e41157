// Finds remedies for an open scene that does not fit a network, because the network needs more guard cells
// than the packing leaves.
#pragma once

#include "ui/jobs/engine/scene_jobs.hpp"

#include <QObject>

namespace spira::ui {

/// Searches in the pool when the scene or the network changes. SceneJobs then offers the remedies.
class RepairFinder : public QObject {
  Q_OBJECT
 public:
  RepairFinder(Tasks& tasks, const Workspace* workspace, SceneJobs* scenes, QObject* parent = nullptr);
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }

 private:
  void follow();

  const Workspace* workspace_;
  SceneJobs* scenes_;
  TaskSlot task_;
};

}  // namespace spira::ui
