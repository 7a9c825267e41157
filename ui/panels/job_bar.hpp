// A row in a view that waits for a job: step, progress, remaining time, and a button to stop the job.
#pragma once

#include "ui/jobs/engine_jobs.hpp"
#include "ui/panels/activity_row.hpp"

#include <QTimer>

#include <set>

namespace spira::ui {

/// The row is visible while a job of one of the given kinds runs, but only after the first second of the job.
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
