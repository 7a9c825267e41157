// A row with the progress of the job for which a view waits: its step, the remaining time, and a button to
// stop it.
#pragma once

#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/job_pace.hpp"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <QtGlobal>

#include <set>

class QProgressBar;
class QPushButton;

namespace spira::ui {

class ElidedLabel;

/// A row that shows a running job: its step, progress, rate and remaining time, and a button to stop it.
class ActivityRow : public QWidget {
  Q_OBJECT
 public:
  explicit ActivityRow(const QString& stop, QWidget* parent = nullptr);
  void setActivity(const QString& what, qint64 done, qint64 total);
  void end();
  [[nodiscard]] QString pace() const { return pace_.text(clock_.elapsed()); }
  [[nodiscard]] QString text() const;

 signals:
  void stopRequested();
  void paceChanged();  ///< Emitted once per second while the current step counts its runs.

 private:
  void showText();

  ElidedLabel* what_;
  QProgressBar* bar_;
  QElapsedTimer clock_;
  QTimer tick_;
  JobPace pace_;
  QString far_;
};

/// Sets the value of a progress bar. If `total` is 0 (unknown), the bar only shows that work is in progress.
/// The bar is repainted together with the next frame of the window. QProgressBar itself would repaint at each
/// new value, and in a window with a 3D view, this would repaint the whole window.
void set_progress(QProgressBar& bar, qint64 done, qint64 total);

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
