#include "ui/model/workspace.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

QString map_title(const Layer& layer, const LayerLevels& levels) {
  return QString("%1, %2x%2x%2, stride %3 to %4")
      .arg(QString::fromStdString(layer.name))
      .arg(layer.kernel_size)
      .arg(levels.stride_in)
      .arg(levels.stride_out);
}

}  // namespace

Workspace::Workspace(QObject* parent) : QObject(parent), follow_ups_(new FollowUps(this)) {}

void Workspace::setGridAndPack(const Grid& grid, const PackSpec& pack) {
  grid_ = grid;
  pack_ = pack;
  emit requestChanged();
}

void Workspace::setGrid(const Grid& grid) {
  grid_ = grid;
  emit requestChanged();
}

void Workspace::setPack(const PackSpec& pack) {
  pack_ = pack;
  emit requestChanged();
}

void Workspace::setPlan(const Plan& plan) {
  if (plan.precision != plan_.precision) trials_.clear();
  plan_ = plan;
  emit requestChanged();
}

Precision Workspace::defaultPrecision() const {
  if (chosen_precision_) return *chosen_precision_;
  return device_.kind == BackendKind::cuda ? Precision::fp16 : Precision::fp32;
}

void Workspace::choosePrecision(std::optional<Precision> precision) {
  if (precision == chosen_precision_) return;
  chosen_precision_ = precision;
  Plan plan = plan_;
  if (!report_) plan.precision = defaultPrecision();
  setPlan(plan);
}

void Workspace::setBeside(std::shared_ptr<const Report> report) {
  if (report == beside_) return;
  beside_ = std::move(report);
  emit besideChanged();
}

void Workspace::setSceneKernelSize(int kernel_size) {
  if (kernel_size == scene_kernel_size_) return;
  scene_kernel_size_ = kernel_size;
  emit requestChanged();
}

const std::shared_ptr<const LayerResult>& Workspace::layer(int index) const {
  static const std::shared_ptr<const LayerResult> none;
  if (index < 0 || index >= static_cast<int>(layers_.size())) return none;
  return layers_[static_cast<std::size_t>(index)];
}

int Workspace::layersRun() const {
  int run = 0;
  for (int at = 0; at < static_cast<int>(layers_.size()); ++at)
    run += wasRun(at) ? 1 : 0;
  return run;
}

bool Workspace::wasRun(int index) const {
  if (!report_) return layer(index) != nullptr;
  return index >= 0 && index < static_cast<int>(report_->measurement.layers.size());
}

ShownMap Workspace::recordedMap(int index) const {
  if (!wasRun(index)) return {};
  const auto at = static_cast<std::size_t>(index);
  const LayerLevels levels = levels_of(*network_).layers.at(at);
  ShownMap shown;
  shown.densities = std::shared_ptr<const Densities>(report_, &report_->layer_densities.at(at));
  shown.stride_in = levels.map.stride_in;
  shown.stride_out = levels.map.stride_out;
  shown.title = map_title(network_->layers[at], levels);
  return shown;
}

ShownMap Workspace::shownMap(int index) const {
  if (report_) return recordedMap(index);
  const auto& result = layer(index);
  if (!result || !result->map) return scene_map_;
  ShownMap shown;
  shown.map = result->map;
  shown.densities = std::shared_ptr<const Densities>(result, &result->densities);
  shown.stride_in = result->levels.map.stride_in;
  shown.stride_out = result->levels.map.stride_out;
  shown.title = map_title(network_->layers[static_cast<std::size_t>(index)], result->levels);
  return shown;
}

Workspace::Dropped Workspace::dropRuns() {
  const Dropped dropped{measurement_ != nullptr, threshold_sweep_ || pack_sweep_, !trials_.empty()};
  trials_.clear();
  threshold_sweep_.reset();
  pack_sweep_.reset();
  measurement_.reset();
  std::fill(layers_.begin(), layers_.end(), nullptr);
  return dropped;
}

void Workspace::announce(const Dropped& dropped) {
  emit layerChanged(-1);
  if (dropped.measurement) emit measurementChanged();
  if (dropped.sweeps) emit sweepsChanged();
  if (dropped.trials) emit trialsChanged();
}

void Workspace::setReport(std::shared_ptr<const Report> report) {
  report_ = std::move(report);
  cloud_.reset();
  frames_.clear();
  frame_ = 0;
  frame_refused_ = false;
  voxels_.reset();
  scene_map_ = {};
  scene_facts_ = report_->scene;
  network_ = std::make_shared<const Network>(report_->network);
  plan_ = report_->measurement.plan;
  layers_.assign(network_->layers.size(), nullptr);
  measurement_ = std::shared_ptr<const Measurement>(report_, &report_->measurement);
  threshold_sweep_ = report_->threshold_sweep;
  pack_sweep_ = report_->pack_sweep;
  trials_.clear();
  emit networkChanged();  // first: models count the layers anew
  emit reportChanged();
  announceAll();
}

/// All of it before any view is told: each follows once.
void Workspace::setScene(std::shared_ptr<const VoxelScene> voxels) {
  cloud_ = voxels ? voxels->cloud : nullptr;
  voxels_ = std::move(voxels);
  scene_map_ = {};
  scene_facts_.reset();
  if (voxels_) scene_facts_ = scene_facts(*voxels_);
  const Dropped dropped = dropRuns();
  if (std::exchange(report_, nullptr)) emit reportChanged();
  emit cloudChanged();
  emit voxelsChanged();
  emit sceneMapChanged();
  announce(dropped);
}

void Workspace::setFrames(std::vector<std::filesystem::path> frames, int frame) {
  frames_ = std::move(frames);
  frame_ = frame;
  frame_refused_ = false;
  emit framesChanged();
}

void Workspace::refuseFrame(int frame) {
  frame_ = frame;
  frame_refused_ = true;
  emit framesChanged();
}

void Workspace::setVoxels(std::shared_ptr<const VoxelScene> voxels) {
  voxels_ = std::move(voxels);
  scene_map_ = {};
  scene_facts_.reset();
  if (voxels_) scene_facts_ = scene_facts(*voxels_);
  const Dropped dropped = dropRuns();
  emit voxelsChanged();
  emit sceneMapChanged();
  announce(dropped);
}

void Workspace::setSceneMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities,
                            int stride) {
  scene_map_ = {};
  scene_map_.title = QString("scene, %1x%1x%1, stride %2").arg(map->offsets->kernel_size()).arg(stride);
  scene_map_.densities = std::move(densities);
  scene_map_.map = std::move(map);
  scene_map_.stride_in = scene_map_.stride_out = stride;
  emit sceneMapChanged();
}

void Workspace::setNetwork(std::shared_ptr<const Network> network) {
  network_ = std::move(network);
  layers_.assign(network_ ? network_->layers.size() : 0, nullptr);
  plan_ = network_ ? default_plan(*network_) : Plan{};
  plan_.precision = defaultPrecision();
  const Dropped dropped = dropRuns();
  emit networkChanged();
  emit requestChanged();
  announce(dropped);
}

void Workspace::setLayer(std::shared_ptr<const LayerResult> result) {
  const int index = result->layer;
  layers_.at(static_cast<std::size_t>(index)) = std::move(result);
  emit layerChanged(index);
}

void Workspace::clearLayers() {
  std::fill(layers_.begin(), layers_.end(), nullptr);
  emit layerChanged(-1);
}

void Workspace::setMeasurement(std::shared_ptr<const Measurement> measurement) {
  measurement_ = std::move(measurement);
  emit measurementChanged();
}

void Workspace::setThresholdSweep(std::shared_ptr<const Sweep> sweep) {
  threshold_sweep_ = std::move(sweep);
  emit sweepsChanged();
}

void Workspace::setPackSweep(std::shared_ptr<const Sweep> sweep) {
  pack_sweep_ = std::move(sweep);
  emit sweepsChanged();
}

const ThresholdTrial* Workspace::trial(int index, const LayerPlan& setting) const noexcept {
  const auto found = std::find_if(trials_.begin(), trials_.end(), [&](const ThresholdTrial& one) {
    return one.layer == index && one.setting == setting;
  });
  return found == trials_.end() ? nullptr : &*found;
}

void Workspace::addTrial(ThresholdTrial trial) {
  std::erase_if(trials_, [&](const ThresholdTrial& one) {
    return one.layer == trial.layer && one.setting == trial.setting;
  });
  trials_.push_back(std::move(trial));
  emit trialsChanged();
}

/// A device of another kind takes its own precision; the plan of a report keeps what it was recorded with.
void Workspace::setDevice(const DeviceFacts& device) {
  const bool other_kind = device.kind != device_.kind;
  device_ = device;
  emit deviceChanged();
  if (!other_kind || report_ || plan_.precision == defaultPrecision()) return;
  Plan plan = plan_;
  plan.precision = defaultPrecision();
  setPlan(plan);
}

struct Workspace::Kept {
  Grid grid;
  PackSpec pack;
  Plan plan;
  int scene_kernel_size = 3;
  std::shared_ptr<const PointCloud> cloud;
  std::vector<std::filesystem::path> frames;
  int frame = 0;
  bool frame_refused = false;
  std::shared_ptr<const VoxelScene> voxels;
  ShownMap scene_map;
  std::optional<SceneFacts> scene_facts;
  std::shared_ptr<const Report> report;
  std::shared_ptr<const Network> network;
  std::vector<std::shared_ptr<const LayerResult>> layers;
  std::shared_ptr<const Measurement> measurement;
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  std::vector<ThresholdTrial> trials;
};

std::shared_ptr<const Workspace::Kept> Workspace::keep() const {
  return std::make_shared<const Kept>(Kept{
      grid_, pack_, plan_, scene_kernel_size_, cloud_, frames_, frame_, frame_refused_, voxels_, scene_map_,
      scene_facts_, report_, network_, layers_, measurement_, threshold_sweep_, pack_sweep_, trials_});
}

void Workspace::restore(const Kept& kept) {
  grid_ = kept.grid;
  pack_ = kept.pack;
  plan_ = kept.plan;
  scene_kernel_size_ = kept.scene_kernel_size;
  cloud_ = kept.cloud;
  frames_ = kept.frames;
  frame_ = kept.frame;
  frame_refused_ = kept.frame_refused;
  voxels_ = kept.voxels;
  scene_map_ = kept.scene_map;
  scene_facts_ = kept.scene_facts;
  const bool other_report = report_ != kept.report, other_network = network_ != kept.network;
  report_ = kept.report;
  network_ = kept.network;
  layers_ = kept.layers;
  measurement_ = kept.measurement;
  threshold_sweep_ = kept.threshold_sweep;
  pack_sweep_ = kept.pack_sweep;
  trials_ = kept.trials;
  if (other_network) emit networkChanged();
  if (other_report) emit reportChanged();
  announceAll();
}

/// After more than one thing changed; models that count layers or reports were told before.
void Workspace::announceAll() {
  emit cloudChanged();
  emit framesChanged();
  emit voxelsChanged();
  emit sceneMapChanged();
  emit requestChanged();
  emit layerChanged(-1);
  emit measurementChanged();
  emit sweepsChanged();
  emit trialsChanged();
}

void Workspace::addLog(const QString& line) {
  emit logAdded(line);
}

}  // namespace spira::ui
