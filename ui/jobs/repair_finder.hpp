// What would make the open scene fit a network that needs more guard cells than its packing leaves.
#pragma once

#include "ui/jobs/engine_jobs.hpp"

#include <QObject>

namespace spira::ui {

/// Looks for it beside everything else when the scene or the network changes; EngineJobs then offers it.
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
