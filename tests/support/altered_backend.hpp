// A back end that forwards all calls to another back end. A test can change the results, for example to make
// a check fail.
#pragma once

#include "engine/backend/backend.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spira::test {

class AlteredBackend final : public Backend {
 public:
  explicit AlteredBackend(std::shared_ptr<Backend> right) : right_(std::move(right)) {}

  std::function<void(Voxelized&)> alter_scene = [](Voxelized&) {};
  std::function<void(CoordSet&)> alter_level = [](CoordSet&) {};
  std::function<void(KernelMap&)> alter_map = [](KernelMap&) {};
  std::function<void(Features&)> alter_features = [](Features&) {};
  std::function<void()> before_convolve = [] {};
  /// The first function is called before each layer whose map has an output-stationary part, the second one
  /// before each other layer.
  std::function<void()> output_stationary_work = [] {}, weight_stationary_work = [] {};
  /// Called in the stage "order" when a layer first reads a map with an output-stationary part.
  std::function<void()> make_order;
  std::optional<DeviceFacts> facts_instead;
  std::function<CompiledNetwork()> compile_instead = [] { return CompiledNetwork{nullptr, "altered"}; };
  int uploads = 0, lists_made = 0, downloads = 0;
  int maps_built = 0, convolutions = 0, recorded_convolutions = 0;

  [[nodiscard]] const DeviceFacts& facts() const noexcept override {
    return facts_instead ? *facts_instead : right_->facts();
  }
  [[nodiscard]] StageSource& stages() noexcept override { return right_->stages(); }
  [[nodiscard]] MemoryPool& memory() noexcept override { return right_->memory(); }
  /// Returns true unless `like_a_device` is set. The results are always in host memory. If `like_a_device` is
  /// set, a session downloads the results as it does from a device.
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return !like_a_device; }
  bool like_a_device = false;

  UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job) override {
    ++uploads;
    return right_->upload_points(std::move(cloud), job);
  }
  Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    lists_made += request.point_lists ? 1 : 0;
    Voxelized scene = right_->voxelize(points, grid, request, job);
    alter_scene(scene);
    return scene;
  }
  using Backend::downsample;
  CoordSet downsample(const CoordSet& level0, const SceneLevel& of, const std::array<std::int64_t, 3>& shift,
                      Job& job) override {
    CoordSet level = right_->downsample(level0, of, shift, job);
    alter_level(level);
    return level;
  }
  Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                       Job& job) override {
    return right_->downsample(fine, of_fine, coarse, job);
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    ++maps_built;
    KernelMap map = right_->build_map(in, out, request, job);
    alter_map(map);
    unordered_maps_.insert(rows_of(map));
    return map;
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    ++convolutions;
    recorded_convolutions += job.recorder() == nullptr ? 0 : 1;
    before_convolve();
    const void* rows = rows_of(map);
    if (rows != nullptr) output_stationary_work();
    if (rows == nullptr) weight_stationary_work();
    if (make_order && rows != nullptr && unordered_maps_.erase(rows) > 0) {
      const auto stage = job.stage("order");
      make_order();
    }
    Features result = right_->convolve(map, in, weights, request, job);
    alter_features(result);
    return result;
  }
  CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job) override {
    return right_->unite(parts, level, job);
  }
  Features add_sets(const SetSumRequest& request, Job& job) override {
    return right_->add_sets(request, job);
  }
  Features compute_rows(const PointRequest& request, Job& job) override {
    return right_->compute_rows(request, job);
  }
  Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) override {
    return right_->pool(map, in, reduction, job);
  }
  Features compute_rows(const RowRequest& request, Job& job) override {
    return right_->compute_rows(request, job);
  }
  [[nodiscard]] BackendExtensions extensions() noexcept override {
    return with_gradients ? right_->extensions() : BackendExtensions{};
  }
  bool with_gradients = true;
  CompiledNetwork compile(const NetworkRunRequest&, Job&) override { return compile_instead(); }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return right_->upload_weights(weights, precision);
  }
  [[nodiscard]] LayerMemory layer_memory(const MemoryShape& layer) const override {
    return right_->layer_memory(layer);
  }
  Buffer to_host(const Buffer& buffer) override {
    ++downloads;
    return right_->to_host(buffer);
  }
  Buffer to_device(const Buffer& buffer) override { return right_->to_device(buffer); }

 private:
  /// Returns the entries of the output-stationary part of a map, or `nullptr` if the map has no such part.
  static const void* rows_of(const KernelMap& map) {
    for (const KernelMap::Part& part : map.parts)
      if (part.layout != MapLayout::pair_lists) return part.entries.data();
    return nullptr;
  }

  std::shared_ptr<Backend> right_;
  std::set<const void*> unordered_maps_;  // The maps that no layer has read yet.
};

}  // namespace spira::test
