#include "ui/model/run_results.hpp"

#include "ui/model/open_scene.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {

RunResults::RunResults(const OpenScene& scene, QObject* parent) : QObject(parent), scene_(scene) {}

const std::shared_ptr<const LayerResult>& RunResults::layer(int index, Rows rows) const {
  static const std::shared_ptr<const LayerResult> none;
  if (rows == Rows::shown && scene_.isBatch()) {
    const auto found = now_.frame_layers.find(index);
    return found == now_.frame_layers.end() ? none : found->second;
  }
  if (index < 0 || index >= static_cast<int>(now_.layers.size())) return none;
  return now_.layers[static_cast<std::size_t>(index)];
}

int RunResults::layersRun() const {
  int run = 0;
  for (int at = 0; at < static_cast<int>(now_.layers.size()); ++at)
    run += wasRun(at) ? 1 : 0;
  return run;
}

bool RunResults::wasRun(int index) const {
  if (!now_.report) return layer(index) != nullptr;
  return index >= 0 && index < static_cast<int>(now_.report->measurement.layers.size());
}

const ThresholdTrial* RunResults::trial(int index, const LayerPlan& setting) const noexcept {
  const auto found = std::find_if(now_.trials.begin(), now_.trials.end(), [&](const ThresholdTrial& one) {
    return one.layer == index && one.setting == setting;
  });
  return found == now_.trials.end() ? nullptr : &*found;
}

void RunResults::clearLayers() {
  std::fill(now_.layers.begin(), now_.layers.end(), nullptr);
  now_.frame_layers.clear();
  emit layerChanged(-1);
}

void RunResults::setMeasurement(std::shared_ptr<const Measurement> measurement) {
  now_.measurement = std::move(measurement);
  emit measurementChanged();
}

void RunResults::setThresholdSweep(std::shared_ptr<const Sweep> sweep) {
  now_.threshold_sweep = std::move(sweep);
  emit sweepsChanged();
}

void RunResults::setDataflowSweep(std::shared_ptr<const Sweep> sweep) {
  now_.dataflow_sweep = std::move(sweep);
  emit sweepsChanged();
}

void RunResults::setPackSweep(std::shared_ptr<const Sweep> sweep) {
  now_.pack_sweep = std::move(sweep);
  emit sweepsChanged();
}

void RunResults::addTrial(ThresholdTrial trial) {
  std::erase_if(now_.trials, [&](const ThresholdTrial& one) {
    return one.layer == trial.layer && one.setting == trial.setting;
  });
  now_.trials.push_back(std::move(trial));
  emit trialsChanged();
}

bool RunResults::dropSweepsAndTrials() {
  const bool sweeps = now_.threshold_sweep || now_.pack_sweep || now_.dataflow_sweep;
  now_.trials.clear();
  now_.threshold_sweep.reset();
  now_.pack_sweep.reset();
  now_.dataflow_sweep.reset();
  return sweeps;
}

RunResults::Dropped RunResults::dropRuns() {
  const bool trials = !now_.trials.empty();
  const Dropped dropped{now_.measurement != nullptr, dropSweepsAndTrials(), trials};
  now_.measurement.reset();
  std::fill(now_.layers.begin(), now_.layers.end(), nullptr);
  now_.frame_layers.clear();
  return dropped;
}

void RunResults::announce(const Dropped& dropped) {
  emit layerChanged(-1);
  if (dropped.measurement) emit measurementChanged();
  if (dropped.sweeps) emit sweepsChanged();
  if (dropped.trials) emit trialsChanged();
}

}  // namespace spira::ui
