// Measures the t that is looked at by itself: a short job that begins when the divider rests, and that the
// next move cancels.
#pragma once

#include "ui/jobs/engine_jobs.hpp"

#include <QObject>
#include <QTimer>

#include <optional>

namespace spira::ui {

class ThresholdTrials : public QObject {
  Q_OBJECT
 public:
  ThresholdTrials(Workspace* workspace, Selection* selection, EngineJobs* jobs, QObject* parent = nullptr);

 private:
  void follow();
  void begin();
  void jobEnded();
  /// What is to be measured now; empty: nothing, or it is known.
  [[nodiscard]] std::optional<TriedThreshold> wanted() const;

  Workspace* workspace_;
  Selection* selection_;
  EngineJobs* jobs_;
  QTimer rest_;
  std::optional<TriedThreshold> waiting_;  // for its rest, for other work to end, or measured now
  bool started_ = false;                   // the running job is ours
};

}  // namespace spira::ui
