// A row that shows a running job: its step, progress, rate and remaining time, and a button to stop it.
#pragma once

#include "ui/jobs/job_pace.hpp"

#include <QElapsedTimer>
#include <QWidget>

class QProgressBar;
class QPushButton;

namespace spira::ui {

class ElidedLabel;

class ActivityRow : public QWidget {
  Q_OBJECT
 public:
  explicit ActivityRow(const QString& stop, QWidget* parent = nullptr);
  void setActivity(const QString& what, qint64 done, qint64 total);
  void end();
  [[nodiscard]] QString pace() const { return pace_.text(); }
  [[nodiscard]] QString text() const;

 signals:
  void stopRequested();

 private:
  ElidedLabel* what_;
  QProgressBar* bar_;
  QElapsedTimer clock_;
  JobPace pace_;
};

}  // namespace spira::ui
