// Runs one network on one scene and one back end, layer by layer. The window, the command line and the tests
// use the same code.
#pragma once

#include "engine/run/layer_result.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/voxel_scene.hpp"

#include <functional>
#include <memory>

namespace spira {

class Backend;
struct CompiledNetwork;
struct MemoryForecast;
struct NetworkRunRequest;
struct NetworkWeights;

class Session {
 public:
  Session(std::shared_ptr<Backend> backend, std::shared_ptr<const Network> network,
          std::shared_ptr<const NetworkWeights> weights);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Voxelises a cloud and builds the coordinate sets of all strides. If it throws, the previously loaded
  /// scene is unchanged. Throws `Error(does_not_fit)` before any kernel runs, and `Error(input)` for a cloud
  /// without points.
  std::shared_ptr<const VoxelScene> load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                         PackSpec pack, Precision precision, Job& job);
  /// Runs one layer. If inputs of the layer are missing, first runs the layers that produce them. Running a
  /// layer again discards its result and all results that depend on it.
  std::shared_ptr<const LayerResult> run_layer(int layer, const Plan& plan, Job& job);
  /// Runs all layers and calls `done` with each result as soon as it is available. Stopping the job keeps the
  /// finished layers.
  void run_all(const Plan& plan, Job& job,
               const std::function<void(std::shared_ptr<const LayerResult>)>& done);
  /// Returns the result of a layer, or `nullptr` if the layer has not run.
  [[nodiscard]] std::shared_ptr<const LayerResult> result(int layer) const;

  /// Repeats the whole network. Measures isolated stage trees and wall times in separate, interleaved passes.
  [[nodiscard]] std::shared_ptr<const Measurement> measure(const Plan& plan, const SamplingProtocol& how,
                                                           Job& job);
  /// Builds the map and computes the features of one layer once, from its current inputs, and keeps neither.
  /// Sweeps use this function. If `map_only` is true, the features are not computed and the inputs are not
  /// needed.
  void execute_layer(int layer, const LayerPlan& plan, Job& job, bool map_only = false);
  /// Builds and returns a new kernel map of one layer for a plan, in the back end's memory.
  [[nodiscard]] std::shared_ptr<const KernelMap> build_layer_map(int layer, const LayerPlan& plan, Job& job);
  /// Computes the features of one layer from its current inputs and a map of build_layer_map(), in the back
  /// end's memory. Waits until they are complete.
  [[nodiscard]] Features execute_features(int layer, const KernelMap& map, Job& job);
  /// Runs the whole network once to measure wall times: first the indexing of all layers, then features.
  /// Starts from points in the back end's memory and ends with the last output. Discards all results and
  /// does not copy them to the host.
  void execute_network(const Plan& plan, Job& job);

  /// Returns the network compiled for this plan and the loaded scene (Backend::compile), with the points of
  /// the scene on the device. The session keeps it until the scene or the plan changes. If it has no `run`,
  /// `why_not` gives the reason.
  [[nodiscard]] const CompiledNetwork& compiled(const Plan& plan, Job& job);

  /// Returns counts of the values in the network's input, in the precision of the loaded scene.
  [[nodiscard]] InputValues input_values() const;

  /// Predicts how much memory of the back end measure() uses on the loaded scene.
  [[nodiscard]] MemoryForecast forecast(const Plan& plan) const;

  [[nodiscard]] const Network& network() const noexcept;
  [[nodiscard]] const NetworkWeights& weights() const noexcept;
  [[nodiscard]] const Levels& levels() const noexcept;
  [[nodiscard]] Backend& backend() noexcept;
  [[nodiscard]] std::shared_ptr<const VoxelScene> scene() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the request for Backend::compile() on a voxelised scene. The points and voxels of the scene become
/// the capacity. The caller must set the weights.
[[nodiscard]] NetworkRunRequest run_request(const VoxelScene& scene, std::shared_ptr<const Network> network,
                                            const Plan& plan, Job& job);

/// Voxelises a cloud and builds its levels without a network. The window shows this result right after it
/// opens a scene. `max_kernel_size` is only used to check the fit. The strides are 1, 2, 4, 8 and 16, up to
/// `max_stride`.
[[nodiscard]] std::shared_ptr<const VoxelScene> voxelize_scene(Backend& backend,
                                                               std::shared_ptr<const PointCloud> cloud,
                                                               const Grid& grid, PackSpec pack,
                                                               int max_kernel_size, int max_stride, Job& job);
/// Builds the kernel map of one layer shape on a voxelised scene, to view densities without a network.
[[nodiscard]] std::shared_ptr<const KernelMap> map_of_scene(Backend& backend, const VoxelScene& scene,
                                                            MapKey key, Job& job);

}  // namespace spira
