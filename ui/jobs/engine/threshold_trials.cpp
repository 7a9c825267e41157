#include "ui/jobs/engine/threshold_trials.hpp"

#include "ui/model/measured/threshold_times.hpp"

#include <utility>

namespace spira::ui {

ThresholdTrials::ThresholdTrials(Workspace* workspace, Selection* selection, EngineLane* lane,
                                 SweepJobs* sweeps, QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), lane_(lane), sweeps_(sweeps) {
  constexpr int rest_ms = 250;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &ThresholdTrials::begin);
  connect(selection_, &Selection::triedChanged, this, &ThresholdTrials::follow);
  connect(workspace_, &Workspace::planChanged, this, &ThresholdTrials::follow);
  connect(&lane_->task(), &TaskSlot::started, this, [this] { started_ = false; });
  connect(&lane_->task(), &TaskSlot::finished, this, &ThresholdTrials::jobEnded);
}

/// If the run took only one sample, returns the t of the run first, so that it is measured in the same way. A
/// single sample must not be compared with a median.
std::optional<TriedThreshold> ThresholdTrials::wanted() const {
  const int layer = selection_->tried() ? selection_->tried()->layer : selection_->layer();
  if (workspace_->report() || !workspace_->voxels() || !workspace_->wasRun(layer)) return std::nullopt;
  const int t = threshold_looked_at(*workspace_, *selection_, layer);
  const Layer& facts = workspace_->network()->layers[static_cast<std::size_t>(layer)];
  if (!why_not_threshold(facts, t).empty()) return std::nullopt;
  const auto run = threshold_of_run(*workspace_, layer);
  if (!run || t == *run) return std::nullopt;
  const auto tried = features_at(*workspace_, layer, t), own = features_at(*workspace_, layer, *run);
  if (!workspace_->measurement() && own && own->n < 2) return TriedThreshold{layer, *run};
  if (!tried || !tried->measured()) return TriedThreshold{layer, t};
  return std::nullopt;
}

void ThresholdTrials::follow() {
  const auto now = wanted();
  if (now == waiting_) return;
  waiting_ = now;
  rest_.stop();
  if (started_ && lane_->trying()) lane_->cancel();
  if (waiting_) rest_.start();
}

void ThresholdTrials::begin() {
  if (!waiting_ || wanted() != waiting_ || !lane_->readyToRun()) return;  // jobEnded() starts it later.
  sweeps_->tryThreshold(waiting_->layer, waiting_->threshold);
  started_ = true;
}

/// Starts the next trial, if there is one. Does not restart a trial that failed or was stopped.
void ThresholdTrials::jobEnded() {
  const bool ours = std::exchange(started_, false);
  if (ours) return follow();
  if (waiting_) rest_.start();
}

}  // namespace spira::ui
