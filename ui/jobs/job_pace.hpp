// How fast a step of a job goes, and how long it still takes: said only when it can be.
#pragma once

#include <QString>

namespace spira::ui {

class JobPace {
 public:
  /// A job begins, or ends: nothing is known.
  void reset();
  /// `now_ms`: of any clock that only goes on. Another step (`what`, `total`) begins anew.
  void add(const QString& what, qint64 done, qint64 total, qint64 now_ms);
  /// `what` counts the seconds of a step that has a limit: the engine says so behind its name.
  [[nodiscard]] static bool inSeconds(const QString& what);
  /// `what` without that.
  [[nodiscard]] static QString shown(const QString& what);
  /// "12 per second, 8 s left"; empty for the first two seconds of a step, and while it has not advanced
  /// twice.
  [[nodiscard]] QString text() const;

 private:
  QString what_;
  qint64 total_ = 0, first_ = 0, done_ = 0;
  qint64 since_ms_ = -1, now_ms_ = 0;
  int advances_ = 0;
};

}  // namespace spira::ui
