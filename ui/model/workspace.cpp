#include "ui/model/workspace.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {

void Workspace::setGrid(const Grid& grid) {
  grid_ = grid;
  emit requestChanged();
}

void Workspace::setPack(const PackSpec& pack) {
  pack_ = pack;
  emit requestChanged();
}

void Workspace::setPlan(const Plan& plan) {
  plan_ = plan;
  emit requestChanged();
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
  return static_cast<int>(
      std::count_if(layers_.begin(), layers_.end(), [](const auto& layer) { return layer != nullptr; }));
}

ShownMap Workspace::shownMap(int index) const {
  const auto& result = layer(index);
  if (!result || !result->map) return scene_map_;
  const Layer& facts = network_->layers[static_cast<std::size_t>(index)];
  ShownMap shown;
  shown.map = result->map;
  shown.densities = std::shared_ptr<const Densities>(result, &result->densities);
  shown.stride_in = result->levels.map.stride_in;
  shown.stride_out = result->levels.map.stride_out;
  shown.title = QString("%1, %2x%2x%2, stride %3 to %4")
                    .arg(QString::fromStdString(facts.name))
                    .arg(facts.kernel_size)
                    .arg(result->levels.stride_in)
                    .arg(result->levels.stride_out);
  return shown;
}

void Workspace::dropRuns() {
  const bool had_sweeps = threshold_sweep_ || pack_sweep_;
  threshold_sweep_.reset();
  pack_sweep_.reset();
  clearLayers();
  if (measurement_) setMeasurement(nullptr);
  if (had_sweeps) emit sweepsChanged();
}

void Workspace::setCloud(std::shared_ptr<const PointCloud> cloud) {
  cloud_ = std::move(cloud);
  voxels_.reset();
  scene_map_ = {};
  emit cloudChanged();
  emit voxelsChanged();
  emit sceneMapChanged();
  dropRuns();
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
  emit voxelsChanged();
  emit sceneMapChanged();
  dropRuns();
}

void Workspace::setSceneMap(std::shared_ptr<const KernelMap> map, int stride) {
  scene_map_ = {};
  if (map) {
    scene_map_.densities = std::make_shared<const Densities>(densities(*map));
    scene_map_.title = QString("scene, %1x%1x%1, stride %2").arg(map->offsets->kernel_size()).arg(stride);
  }
  scene_map_.map = std::move(map);
  scene_map_.stride_in = scene_map_.stride_out = stride;
  emit sceneMapChanged();
}

void Workspace::setNetwork(std::shared_ptr<const Network> network) {
  network_ = std::move(network);
  layers_.assign(network_ ? network_->layers.size() : 0, nullptr);
  plan_ = network_ ? default_plan(*network_) : Plan{};
  emit networkChanged();
  emit requestChanged();
  dropRuns();
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

void Workspace::setDevice(const DeviceFacts& device) {
  device_ = device;
  emit deviceChanged();
}

void Workspace::addLog(const QString& line) {
  emit logAdded(line);
}

}  // namespace spira::ui
