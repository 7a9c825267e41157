// Formats the progress of a job: the completed part, the rate and the remaining time.
#pragma once

#include "engine/job/pace.hpp"

#include <QString>

namespace spira::ui {

class JobPace {
 public:
  /// Discards all data. Must be called when a job begins or ends.
  void reset();
  /// Adds a progress report. `now_ms` may come from any monotonic clock. Pace::add() explains when a new step
  /// begins.
  void add(const QString& what, qint64 done, qint64 total, qint64 now_ms);
  /// Returns the name of the step, which is `what` without the suffix for the unit.
  [[nodiscard]] static QString shown(const QString& what);
  /// Returns the progress, for example "room: 2 of 30 s" or "timing the network: run 3 of at most 15".
  /// Returns only the name if `total` is 0.
  [[nodiscard]] static QString shown(const QString& what, qint64 done, qint64 total);
  /// Returns true if the step counts runs. Its progress reports are rare, so the caller must also update
  /// text() with a timer.
  [[nodiscard]] bool countsRuns() const { return counts_runs(pace_.unit()); }
  /// Returns the rate and the remaining time, for example "12 per second, 8 s left". The text for runs
  /// contains no rate. If a step may end early, the text is for example "at most 8 s left". Returns an empty
  /// string while the remaining time is unknown.
  [[nodiscard]] QString text(qint64 now_ms) const;

 private:
  Pace pace_;
};

}  // namespace spira::ui
