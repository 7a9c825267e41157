#include "ui/model/workspace.hpp"

#include "ui/model/tables/layer_table_model.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
Workspace::Workspace(QObject* parent) : QObject(parent), view_updates_(new ViewUpdateQueue(this)) {}

void Workspace::setGridAndPack(const Grid& grid, const PackSpec& pack) {
  const Contents former = gridAndPack();
  now_.grid = grid;
  now_.pack = pack.with_batch(1);  // The width of a batch index follows from the scene.
  now_.pack_automatic = false;
  announceGridAndPack(former);
}

Workspace::Contents Workspace::gridAndPack() const {
  Contents contents;
  contents.grid = now_.grid;
  contents.pack = now_.pack;
  contents.pack_automatic = now_.pack_automatic;
  return contents;
}

void Workspace::announceGridAndPack(const Contents& former) {
  if (former.grid.voxel_m != now_.grid.voxel_m || former.grid.crop_m != now_.grid.crop_m) emit gridChanged();
  if (former.pack != now_.pack || former.pack_automatic != now_.pack_automatic) emit packChanged();
}

void Workspace::setGrid(const Grid& grid) {
  const Contents former = gridAndPack();
  now_.grid = grid;
  announceGridAndPack(former);
}

void Workspace::setPack(const PackSpec& pack) {
  setGridAndPack(now_.grid, pack);
}

void Workspace::setPackAutomatic(bool automatic) {
  if (std::exchange(now_.pack_automatic, automatic) != automatic) emit packChanged();
}

/// If the precision changes, also removes trials and sweeps, because views do not show the precision in which
/// they were measured.
void Workspace::setPlan(const Plan& plan) {
  const bool other_precision = plan.precision != now_.plan.precision && !now_.report;
  now_.plan = plan;
  const bool sweeps = other_precision && (now_.threshold_sweep || now_.pack_sweep || now_.dataflow_sweep);
  if (other_precision) {
    now_.trials.clear();
    now_.threshold_sweep.reset();
    now_.pack_sweep.reset();
    now_.dataflow_sweep.reset();
  }
  emit planChanged();
  if (sweeps) emit sweepsChanged();
}

Precision Workspace::defaultPrecision() const {
  if (chosen_precision_) return *chosen_precision_;
  return device_.kind == BackendKind::cuda ? Precision::fp16 : Precision::fp32;
}

void Workspace::choosePrecision(std::optional<Precision> precision) {
  if (precision == chosen_precision_) return;
  chosen_precision_ = precision;
  Plan plan = now_.plan;
  if (!now_.report) plan.precision = defaultPrecision();
  setPlan(plan);
  emit precisionChoiceChanged();
}

void Workspace::chooseDevice(const std::string& name) {
  if (name == chosen_device_) return;
  chosen_device_ = name;
  emit deviceChoiceChanged();
}

void Workspace::setOtherVoxels(std::shared_ptr<const VoxelScene> voxels) {
  if (voxels == other_voxels_) return;
  other_voxels_ = std::move(voxels);
  emit otherVoxelsChanged();
}

void Workspace::setComparedReport(std::shared_ptr<const Report> report) {
  if (report == compared_report_) return;
  compared_report_ = std::move(report);
  emit comparedReportChanged();
}

void Workspace::setSceneKernelSize(int kernel_size) {
  if (kernel_size == now_.scene_kernel_size) return;
  now_.scene_kernel_size = kernel_size;
  emit sceneKernelChanged();
}

const std::shared_ptr<const LayerResult>& Workspace::layer(int index, Rows rows) const {
  static const std::shared_ptr<const LayerResult> none;
  if (rows == Rows::shown && now_.voxels && now_.voxels->batch) {
    const auto found = now_.frame_layers.find(index);
    return found == now_.frame_layers.end() ? none : found->second;
  }
  if (index < 0 || index >= static_cast<int>(now_.layers.size())) return none;
  return now_.layers[static_cast<std::size_t>(index)];
}

int Workspace::layersRun() const {
  int run = 0;
  for (int at = 0; at < static_cast<int>(now_.layers.size()); ++at)
    run += wasRun(at) ? 1 : 0;
  return run;
}

bool Workspace::wasRun(int index) const {
  if (!now_.report) return layer(index) != nullptr;
  return index >= 0 && index < static_cast<int>(now_.report->measurement.layers.size());
}

QString Workspace::mapTitle(int index, const Levels& levels, const LayerLevels& own) const {
  if (named_network_ != now_.network) {
    named_network_ = now_.network;
    short_names_ = shortLayerNames(*now_.network);
  }
  const Layer& layer = now_.network->layers.at(static_cast<std::size_t>(index));
  return QString("%1, %2, %3")
      .arg(bothNames(short_names_[index], layer.name), QString::fromStdString(cells_text(layer.kernel_size)),
           strideText(level_text(levels, own.stride_in), level_text(levels, own.stride_out)));
}

ShownMap Workspace::recordedMap(int index) const {
  if (!wasRun(index) || now_.report->scene.triples) return {};  // A graph has no kernel map.
  const auto at = static_cast<std::size_t>(index);
  const Levels all = levels_of(*now_.network);
  const LayerLevels& levels = all.layers.at(at);
  ShownMap shown;
  shown.layer = index;
  shown.densities = std::shared_ptr<const Densities>(now_.report, &now_.report->layer_densities.at(at));
  shown.stride_in = levels.map.stride_in;
  shown.stride_out = levels.map.stride_out;
  shown.title = shown.densities_title = mapTitle(index, all, levels);
  return shown;
}

ShownMap Workspace::shownMap(int index) const {
  if (now_.report) return recordedMap(index);
  const auto& result = layer(index);
  if (!result || !result->map) return sceneMap(1);
  ShownMap shown;
  shown.layer = index;
  const bool batch = now_.voxels && now_.voxels->batch;
  if (const auto& part = layer(index, Rows::shown)) shown.map = part->map;
  shown.densities = std::shared_ptr<const Densities>(result, &result->densities);
  shown.stride_in = result->levels.map.stride_in;
  shown.stride_out = result->levels.map.stride_out;
  shown.title = shown.densities_title = mapTitle(index, levels_of(*now_.network), result->levels);
  if (batch) {
    shown.title += QString(", frame %1").arg(now_.voxels->frame);
    shown.densities_title += ", all frames";
  }
  return shown;
}

ShownMap Workspace::sceneMap(int stride) const {
  const auto found = now_.scene_maps.find(stride);
  return found == now_.scene_maps.end() ? ShownMap{} : found->second;
}

Workspace::Dropped Workspace::dropRuns() {
  const Dropped dropped{now_.measurement != nullptr,
                        now_.threshold_sweep || now_.pack_sweep || now_.dataflow_sweep, !now_.trials.empty()};
  now_.trials.clear();
  now_.threshold_sweep.reset();
  now_.pack_sweep.reset();
  now_.dataflow_sweep.reset();
  now_.measurement.reset();
  std::fill(now_.layers.begin(), now_.layers.end(), nullptr);
  now_.frame_layers.clear();
  return dropped;
}

void Workspace::announce(const Dropped& dropped) {
  emit layerChanged(-1);
  if (dropped.measurement) emit measurementChanged();
  if (dropped.sweeps) emit sweepsChanged();
  if (dropped.trials) emit trialsChanged();
}

void Workspace::setReport(std::shared_ptr<const Report> report) {
  now_.report = std::move(report);
  now_.cloud.reset();
  now_.frames = {};
  now_.frame = 0;
  now_.frame_refused = false;
  now_.voxels.reset();
  now_.scene_maps.clear();
  now_.scene_facts = now_.report->scene;
  now_.network = std::make_shared<const Network>(now_.report->network);
  now_.weights.reset();
  now_.plan = now_.report->measurement.plan;
  now_.layers.assign(now_.network->layers.size(), nullptr);
  now_.frame_layers.clear();
  now_.measurement = std::shared_ptr<const Measurement>(now_.report, &now_.report->measurement);
  now_.threshold_sweep = now_.report->threshold_sweep;
  now_.pack_sweep = now_.report->pack_sweep;
  now_.dataflow_sweep.reset();  // Reports contain no sweep of dataflows.
  now_.trials.clear();
  emit networkChanged();  // This signal must be first, because models then count the layers again.
  emit weightsChanged();
  emit reportChanged();
  announceAll();
}

/// Changes all data before the first signal, so that each view updates only once.
void Workspace::setScene(std::shared_ptr<const VoxelScene> voxels) {
  now_.cloud = voxels ? whole_scene(voxels)->cloud : nullptr;
  now_.voxels = std::move(voxels);
  now_.scene_maps.clear();
  now_.scene_facts.reset();
  if (now_.voxels) now_.scene_facts = scene_facts(*whole_scene(now_.voxels));
  const Dropped dropped = dropRuns();
  if (std::exchange(now_.report, nullptr)) emit reportChanged();
  emit cloudChanged();
  emit voxelsChanged();
  emit sceneMapChanged();
  announce(dropped);
}

void Workspace::setFrames(const FileList& frames, int frame, bool refused) {
  if (!(frames == now_.frames)) now_.frames = frames;
  now_.frame = frame;
  now_.frame_refused = refused;
  emit framesChanged();
}

void Workspace::setVoxels(std::shared_ptr<const VoxelScene> voxels) {
  const bool same_batch = voxels && voxels->batch && whole_scene(now_.voxels) == voxels->batch;
  now_.voxels = std::move(voxels);
  now_.scene_maps.clear();
  now_.frame_layers.clear();
  if (same_batch) {
    emit voxelsChanged();
    emit sceneMapChanged();
    return;
  }
  now_.scene_facts.reset();
  if (now_.voxels) now_.scene_facts = scene_facts(*whole_scene(now_.voxels));
  const Dropped dropped = dropRuns();
  emit voxelsChanged();
  emit sceneMapChanged();
  announce(dropped);
}

void Workspace::setSceneMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities,
                            int stride) {
  // Maps of scenes have cubic kernels, so one size is sufficient.
  const int kernel_size = map->offsets->z_cells();
  std::erase_if(now_.scene_maps,
                [=](const auto& one) { return one.second.map->offsets->z_cells() != kernel_size; });
  ShownMap& shown = now_.scene_maps[stride];
  const bool there = now_.voxels && has_level(*now_.voxels, stride);
  shown.title =
      QString("%1, %2x%2x%2, stride %3")
          .arg(now_.voxels && now_.voxels->batch ? QString("frame %1").arg(now_.voxels->frame) : "scene")
          .arg(kernel_size)
          .arg(there ? QString::fromStdString(level_text(*now_.voxels, stride)) : QString::number(stride));
  shown.densities_title = shown.title;
  shown.densities = std::move(densities);
  shown.map = std::move(map);
  shown.stride_in = shown.stride_out = stride;
  emit sceneMapChanged();
}

void Workspace::setNetwork(std::shared_ptr<const Network> network,
                           std::shared_ptr<const NetworkWeights> weights) {
  now_.weights = std::move(weights);
  if (network && network == now_.network) {
    const Dropped dropped = dropRuns();
    emit weightsChanged();
    return announce(dropped);
  }
  now_.network = std::move(network);
  now_.layers.assign(now_.network ? now_.network->layers.size() : 0, nullptr);
  now_.plan = now_.network ? default_plan(*now_.network) : Plan{};
  now_.plan.precision = defaultPrecision();
  const Dropped dropped = dropRuns();
  emit networkChanged();
  emit weightsChanged();
  emit planChanged();
  announce(dropped);
}

void Workspace::setLayer(std::shared_ptr<const LayerResult> result) {
  const int index = result->layer;
  if (result->scene->batch) {
    now_.frame_layers[index] = std::move(result);
    emit sceneMapChanged();
    return;
  }
  now_.layers.at(static_cast<std::size_t>(index)) = std::move(result);
  now_.frame_layers.erase(index);
  emit layerChanged(index);
}

void Workspace::clearLayers() {
  std::fill(now_.layers.begin(), now_.layers.end(), nullptr);
  now_.frame_layers.clear();
  emit layerChanged(-1);
}

void Workspace::setMeasurement(std::shared_ptr<const Measurement> measurement) {
  now_.measurement = std::move(measurement);
  emit measurementChanged();
}

void Workspace::setThresholdSweep(std::shared_ptr<const Sweep> sweep) {
  now_.threshold_sweep = std::move(sweep);
  emit sweepsChanged();
}

void Workspace::setDataflowSweep(std::shared_ptr<const Sweep> sweep) {
  now_.dataflow_sweep = std::move(sweep);
  emit sweepsChanged();
}

void Workspace::setPackSweep(std::shared_ptr<const Sweep> sweep) {
  now_.pack_sweep = std::move(sweep);
  emit sweepsChanged();
}

const ThresholdTrial* Workspace::trial(int index, const LayerPlan& setting) const noexcept {
  const auto found = std::find_if(now_.trials.begin(), now_.trials.end(), [&](const ThresholdTrial& one) {
    return one.layer == index && one.setting == setting;
  });
  return found == now_.trials.end() ? nullptr : &*found;
}

void Workspace::addTrial(ThresholdTrial trial) {
  std::erase_if(now_.trials, [&](const ThresholdTrial& one) {
    return one.layer == trial.layer && one.setting == trial.setting;
  });
  now_.trials.push_back(std::move(trial));
  emit trialsChanged();
}

/// Sets the device. If the kind of device changes, the default precision changes too. The plan of a report
/// keeps its recorded precision.
void Workspace::setDevice(const DeviceFacts& device) {
  const bool other_kind = device.kind != device_.kind;
  device_ = device;
  emit deviceChanged();
  if (!other_kind || now_.report || now_.plan.precision == defaultPrecision()) return;
  Plan plan = now_.plan;
  plan.precision = defaultPrecision();
  setPlan(plan);
}

std::shared_ptr<const Workspace::Contents> Workspace::keep() const {
  return std::make_shared<const Contents>(now_);
}

void Workspace::restore(const Contents& kept) {
  const Contents before = std::exchange(now_, kept);
  if (now_.network != before.network) emit networkChanged();
  if (now_.weights != before.weights) emit weightsChanged();
  if (now_.report != before.report) emit reportChanged();
  announceGridAndPack(before);
  announceAll();
  if (now_.scene_kernel_size != before.scene_kernel_size) emit sceneKernelChanged();
}

/// Emits the remaining change signals. The caller must emit networkChanged() and reportChanged() first,
/// because models count layers and reports again when they receive these signals.
void Workspace::announceAll() {
  emit cloudChanged();
  emit framesChanged();
  emit voxelsChanged();
  emit sceneMapChanged();
  emit planChanged();
  emit layerChanged(-1);
  emit measurementChanged();
  emit sweepsChanged();
  emit trialsChanged();
}

void Workspace::addLog(const QString& line) {
  emit logAdded(line);
}

}  // namespace spira::ui
