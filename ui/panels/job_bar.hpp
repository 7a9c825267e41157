// The row of a view that waits for its own job: step, how far it is, how long it still takes, a way to stop.
#pragma once

#include "ui/jobs/engine_jobs.hpp"
#include "ui/panels/activity_row.hpp"

#include <QTimer>

#include <set>

namespace spira::ui {

/// It is shown while one of these works runs, from its first second on: less is not worth a row.
class JobBar : public ActivityRow {
  Q_OBJECT
 public:
  JobBar(EngineJobs* jobs, std::set<EngineJobs::Doing> works, const QString& stop = tr("Cancel"),
         QWidget* parent = nullptr);

 private:
  void follow(const QString& what, qint64 done, qint64 total);
  [[nodiscard]] bool waits() const;

  EngineJobs* jobs_;
  std::set<EngineJobs::Doing> works_;
  QTimer soon_;
  QString what_;
  qint64 done_ = 0, total_ = 0;
};

}  // namespace spira::ui
