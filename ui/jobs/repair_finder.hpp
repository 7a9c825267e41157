// Finds remedies for an open scene that does not fit a network, because the network needs more guard cells
// than the packing leaves.
#pragma once

#include "ui/jobs/engine_jobs.hpp"

#include <QObject>

namespace spira::ui {

/// Searches for remedies on its own worker thread when the scene or the network changes, and passes them to
/// EngineJobs, which offers them to the user.
class RepairFinder : public QObject {
  Q_OBJECT
 public:
  RepairFinder(const Workspace* workspace, EngineJobs* jobs, QObject* parent = nullptr);
  RepairFinder(const RepairFinder&) = delete;
  RepairFinder& operator=(const RepairFinder&) = delete;
  RepairFinder(RepairFinder&&) = delete;
  RepairFinder& operator=(RepairFinder&&) = delete;
  ~RepairFinder() override;
  [[nodiscard]] bool busy() const noexcept { return runner_->busy(); }

 private:
  void follow();

  const Workspace* workspace_;
  EngineJobs* jobs_;
  JobRunner* runner_;
};

}  // namespace spira::ui
