// A row that shows a running job: its step, progress, rate and remaining time, and a button to stop it.
#pragma once

#include "ui/jobs/job_pace.hpp"

#include <QElapsedTimer>
#include <QWidget>
#include <QtGlobal>

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

/// Sets the value of a progress bar. If `total` is 0 (unknown), the bar only shows that work is in progress.
/// The bar is repainted with the next frame of the window. QProgressBar would repaint at each new value,
/// together with the whole window if the window contains a 3D view.
void set_progress(QProgressBar& bar, qint64 done, qint64 total);

}  // namespace spira::ui
