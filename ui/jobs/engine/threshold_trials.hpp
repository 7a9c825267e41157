// Measures the threshold t that the user tries by dragging the divider of a chart. A short job starts when
// the divider stops moving, and the next move cancels it.
#pragma once

#include "ui/jobs/engine/sweep_jobs.hpp"

#include <QObject>
#include <QTimer>

#include <optional>

namespace spira::ui {

class ThresholdTrials : public QObject {
  Q_OBJECT
 public:
  ThresholdTrials(Workspace* workspace, Selection* selection, EngineLane* lane, SweepJobs* sweeps,
                  QObject* parent = nullptr);

 private:
  void follow();
  void begin();
  void jobEnded();
  /// Returns the t to measure now. Returns an empty value if the chart needs no other measured time: for
  /// example, the time of this t is known or the layer cannot use it.
  [[nodiscard]] std::optional<TriedThreshold> wanted() const;

  Workspace* workspace_;
  Selection* selection_;
  EngineLane* lane_;
  SweepJobs* sweeps_;
  QTimer rest_;
  // The trial that is being measured or that waits. A trial waits until the user stops moving the divider and
  // other jobs end.
  std::optional<TriedThreshold> waiting_;
  bool started_ = false;  // True if the running job is a trial that this object started.
};

}  // namespace spira::ui
