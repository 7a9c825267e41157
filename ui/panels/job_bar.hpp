// A row with the progress of the job that a view waits for: step, remaining time, and a button to stop the
// job.
#pragma once

#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/panels/activity_row.hpp"

#include <QTimer>

#include <set>

namespace spira::ui {

/// A row that is visible while a job of one of the given kinds runs. It appears one second after the job
/// started.
class JobBar : public ActivityRow {
  Q_OBJECT
 public:
  JobBar(EngineJobs* jobs, std::set<EngineLane::Doing> works, const QString& stop = tr("Cancel"),
         QWidget* parent = nullptr);

 private:
  void follow(const QString& what, qint64 done, qint64 total);
  [[nodiscard]] bool waits() const;

  EngineJobs* jobs_;
  std::set<EngineLane::Doing> works_;
  QTimer soon_;
  QString what_;
  qint64 done_ = 0, total_ = 0;
};

}  // namespace spira::ui
