// Computes the rate and the remaining time of a step of a job, as soon as both are reliable.
#pragma once

#include <QString>

namespace spira::ui {

class JobPace {
 public:
  /// Discards all data. Must be called when a job begins or ends.
  void reset();
  /// Adds a progress report. `now_ms` may come from any monotonic clock. Another `what` or `total` starts a
  /// new step.
  void add(const QString& what, qint64 done, qint64 total, qint64 now_ms);
  /// Returns true if the step counts seconds up to a time limit. The engine marks such a step with the suffix
  /// "seconds".
  [[nodiscard]] static bool inSeconds(const QString& what);
  /// Returns `what` without the suffix "seconds".
  [[nodiscard]] static QString shown(const QString& what);
  /// Returns a text such as "12 per second, 8 s left". For a step with a time limit, returns a text such as
  /// "at most 8 s left". Empty during the first two seconds of any other step, and until the step has
  /// advanced twice.
  [[nodiscard]] QString text() const;

 private:
  QString what_;
  qint64 total_ = 0, first_ = 0, done_ = 0;
  qint64 since_ms_ = -1, now_ms_ = 0;
  int advances_ = 0;
};

}  // namespace spira::ui
