#include "ui/model/workspace.hpp"

#include "ui/model/tables/layer_table_model.hpp"

#include <utility>

namespace spira::ui {

Workspace::Workspace(QObject* parent) : QObject(parent), view_updates_(new ViewUpdateQueue(this)) {}

void Workspace::setPlan(const Plan& plan) {
  Plan& now = requested_.now_.plan;
  const bool other_precision = plan.precision != now.precision && !results_.report();
  now = plan;
  const bool sweeps = other_precision && results_.dropSweepsAndTrials();
  emit requested_.planChanged();
  if (sweeps) emit results_.sweepsChanged();
}

Precision Workspace::defaultPrecision() const {
  if (const auto& chosen = requested_.chosenPrecision()) return *chosen;
  return device_.kind == BackendKind::cuda ? Precision::fp16 : Precision::fp32;
}

void Workspace::choosePrecision(std::optional<Precision> precision) {
  if (precision == requested_.chosenPrecision()) return;
  requested_.chosen_precision_ = precision;
  Plan plan = requested_.plan();
  if (!results_.report()) plan.precision = defaultPrecision();
  setPlan(plan);
  emit requested_.precisionChoiceChanged();
}

QString Workspace::mapTitle(int index, const Levels& levels, const LayerLevels& own) const {
  if (named_network_ != network_) {
    named_network_ = network_;
    short_names_ = shortLayerNames(*network_);
  }
  const Layer& layer = network_->layers.at(static_cast<std::size_t>(index));
  const KernelShape& kernel = own.map.kernel;
  const QString neighbours =
      kernel.native() ? " " + QString::fromStdString(text_of(kernel.neighbourhood)) : QString();
  return QString("%1, %2, %3")
      .arg(bothNames(short_names_[index], layer.name),
           QString::fromStdString(cells_text(layer.kernel_size)) + neighbours,
           strideText(level_text(levels, own.stride_in), level_text(levels, own.stride_out)));
}

ShownMap Workspace::recordedMap(int index) const {
  const auto& report = results_.report();
  if (!results_.wasRun(index) || report->scene.triples) return {};  // A graph has no kernel map.
  const auto at = static_cast<std::size_t>(index);
  const Levels all = levels_of(*network_);
  const LayerLevels& levels = all.layers.at(at);
  ShownMap shown;
  shown.layer = index;
  shown.densities = std::shared_ptr<const Densities>(report, &report->layer_densities.at(at));
  shown.stride_in = levels.map.stride_in;
  shown.stride_out = levels.map.stride_out;
  shown.title = shown.densities_title = mapTitle(index, all, levels);
  return shown;
}

ShownMap Workspace::shownMap(int index) const {
  if (results_.report()) return recordedMap(index);
  const auto& result = results_.layer(index);
  if (!result || !result->map) return scene_.map(1);
  ShownMap shown;
  shown.layer = index;
  if (const auto& part = results_.layer(index, RunResults::Rows::shown)) shown.map = part->map;
  shown.densities = std::shared_ptr<const Densities>(result, &result->densities);
  shown.stride_in = result->levels.map.stride_in;
  shown.stride_out = result->levels.map.stride_out;
  shown.title = shown.densities_title = mapTitle(index, levels_of(*network_), result->levels);
  if (scene_.isBatch()) {
    shown.title += QString(", frame %1").arg(scene_.voxels()->frame);
    shown.densities_title += ", all frames";
  }
  return shown;
}

void Workspace::setReport(std::shared_ptr<const Report> report) {
  network_ = std::make_shared<const Network>(report->network);
  weights_.reset();
  requested_.now_.plan = report->measurement.plan;
  scene_.now_ = {};
  scene_.now_.facts = report->scene;
  RunResults::Contents results;
  results.layers.assign(network_->layers.size(), nullptr);
  results.measurement = std::shared_ptr<const Measurement>(report, &report->measurement);
  results.threshold_sweep = report->threshold_sweep;
  results.pack_sweep = report->pack_sweep;  // Reports contain no sweep of dataflows.
  results.report = std::move(report);
  results_.now_ = std::move(results);
  emit networkChanged();  // This signal must be first, because models then count the layers again.
  emit weightsChanged();
  emit results_.reportChanged();
  announceAll();
}

/// Changes all data before the first signal, so that each view updates only once.
void Workspace::setScene(std::shared_ptr<const VoxelScene> voxels) {
  scene_.now_.cloud = voxels ? whole_scene(voxels)->cloud : nullptr;
  scene_.replaceVoxels(std::move(voxels));
  scene_.updateFacts();
  const auto dropped = results_.dropRuns();
  if (std::exchange(results_.now_.report, nullptr)) emit results_.reportChanged();
  emit scene_.cloudChanged();
  emit scene_.voxelsChanged();
  emit scene_.mapsChanged();
  results_.announce(dropped);
}

void Workspace::setVoxels(std::shared_ptr<const VoxelScene> voxels) {
  const bool same_batch = voxels && voxels->batch && whole_scene(scene_.voxels()) == voxels->batch;
  scene_.replaceVoxels(std::move(voxels));
  if (same_batch) {
    results_.now_.frame_layers.clear();
    emit scene_.voxelsChanged();
    emit scene_.mapsChanged();
    return;
  }
  scene_.updateFacts();
  const auto dropped = results_.dropRuns();
  emit scene_.voxelsChanged();
  emit scene_.mapsChanged();
  results_.announce(dropped);
}

void Workspace::setNetwork(std::shared_ptr<const Network> network,
                           std::shared_ptr<const NetworkWeights> weights) {
  weights_ = std::move(weights);
  if (network && network == network_) {
    const auto dropped = results_.dropRuns();
    emit weightsChanged();
    return results_.announce(dropped);
  }
  network_ = std::move(network);
  requested_.now_.plan = network_ ? default_plan(*network_) : Plan{};
  requested_.now_.plan.precision = defaultPrecision();
  const auto dropped = results_.dropRuns();
  results_.now_.layers.assign(network_ ? network_->layers.size() : 0, nullptr);
  emit networkChanged();
  emit weightsChanged();
  emit requested_.planChanged();
  results_.announce(dropped);
}

void Workspace::setLayer(std::shared_ptr<const LayerResult> result) {
  const int index = result->layer;
  if (result->scene->batch) {
    results_.now_.frame_layers[index] = std::move(result);
    emit scene_.mapsChanged();
    return;
  }
  results_.now_.layers.at(static_cast<std::size_t>(index)) = std::move(result);
  results_.now_.frame_layers.erase(index);
  emit results_.layerChanged(index);
}

void Workspace::setDevice(const DeviceFacts& device) {
  const bool other_kind = device.kind != device_.kind;
  device_ = device;
  emit deviceChanged();
  if (!other_kind || results_.report() || requested_.plan().precision == defaultPrecision()) return;
  Plan plan = requested_.plan();
  plan.precision = defaultPrecision();
  setPlan(plan);
}

std::shared_ptr<const Workspace::Contents> Workspace::keep() const {
  return std::make_shared<const Contents>(
      Contents{requested_.now_, scene_.now_, results_.now_, network_, weights_});
}

void Workspace::restore(const Contents& kept) {
  const auto requested = std::exchange(requested_.now_, kept.requested);
  const auto results = std::exchange(results_.now_, kept.results);
  const auto network = std::exchange(network_, kept.network);
  const auto weights = std::exchange(weights_, kept.weights);
  const auto scene = std::exchange(scene_.now_, kept.scene);
  if (network_ != network) emit networkChanged();
  if (weights_ != weights) emit weightsChanged();
  if (results_.report() != results.report) emit results_.reportChanged();
  requested_.announce(requested.voxels);
  announceAll();
  if (requested_.sceneKernelSize() != requested.scene_kernel_size) emit requested_.sceneKernelChanged();
}

/// Emits the remaining change signals. The caller must emit networkChanged() and reportChanged() first,
/// because models count layers and reports again when they receive these signals.
void Workspace::announceAll() {
  emit scene_.cloudChanged();
  emit scene_.framesChanged();
  emit scene_.voxelsChanged();
  emit scene_.mapsChanged();
  emit requested_.planChanged();
  emit results_.layerChanged(-1);
  emit results_.measurementChanged();
  emit results_.sweepsChanged();
  emit results_.trialsChanged();
}

void Workspace::addLog(const QString& line) {
  emit logAdded(line);
}

}  // namespace spira::ui
