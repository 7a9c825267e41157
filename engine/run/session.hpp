// Runs one network on one scene and one back end, layer by layer. The window, the command line and the tests
// share this code.
#pragma once

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

  /// Voxelises a cloud and builds the coordinate sets of all strides. Throws `Error(does_not_fit)` before any
  /// kernel runs if the cloud does not fit the packing, and `Error(input)` for a cloud without points. If the
  /// call throws, the previously loaded scene is unchanged.
  std::shared_ptr<const VoxelScene> load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                         PackSpec pack, Precision precision, Job& job);
  /// Runs one layer. If inputs of the layer are missing, first runs the layers that produce them. If the
  /// layer has already run, removes its result and all results that depend on it.
  std::shared_ptr<const LayerResult> run_layer(int layer, const Plan& plan, Job& job);
  /// Runs all layers, and calls `done` with the result of each layer when the layer has finished. If the job
  /// is stopped, the results of the finished layers stay available.
  void run_all(const Plan& plan, Job& job,
               const std::function<void(std::shared_ptr<const LayerResult>)>& done);
  /// Returns the result of a layer, or `nullptr` if the layer has not run.
  [[nodiscard]] std::shared_ptr<const LayerResult> result(int layer) const;

  /// Measures the whole network repeatedly. Isolated stages and wall times are measured in separate,
  /// interleaved passes.
  [[nodiscard]] std::shared_ptr<const Measurement> measure(const Plan& plan, const SamplingProtocol& how,
                                                           Job& job);
  /// Builds the map of one layer and computes its features once, from the current inputs of the layer. Stores
  /// neither the map nor the features. Sweeps use this function. If `map_only` is true, the features are not
  /// computed and the inputs are not needed.
  void execute_layer(int layer, const LayerPlan& plan, Job& job, bool map_only = false);
  /// Builds a new kernel map of one layer with the settings of a plan. Returns the map, which is in the
  /// memory of the back end.
  [[nodiscard]] std::shared_ptr<const KernelMap> build_layer_map(int layer, const LayerPlan& plan, Job& job);
  /// Computes the features of one layer from its current inputs and from a map that build_layer_map()
  /// returned. The features are in the memory of the back end. Waits until they are complete.
  [[nodiscard]] Features execute_features(int layer, const KernelMap& map, Job& job);
  /// Runs the whole network once, for measurements of wall times: first the indexing of all layers, then the
  /// features. The run starts with points in the memory of the back end and ends with the last output. It
  /// stores no results and copies nothing to the host.
  void execute_network(const Plan& plan, Job& job);

  /// Compiles the network for this plan and the loaded scene (Backend::compile()) and returns it, with the
  /// points of the scene on the device. The session stores the compiled network until the scene or the plan
  /// changes. If the result has no `run`, `why_not` contains the reason.
  [[nodiscard]] const CompiledNetwork& compiled(const Plan& plan, Job& job);

  /// Counts the NaN, infinite and replaced values in the input of the network, in the precision of the loaded
  /// scene.
  [[nodiscard]] InputValues input_values() const;

  /// Predicts how much memory of the back end measure() needs on the loaded scene.
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

/// Returns a request for Backend::compile(). Its capacity is the number of points, the number of voxels and
/// the extent of `scene`. The caller must set the weights.
[[nodiscard]] NetworkRunRequest run_request(const VoxelScene& scene, std::shared_ptr<const Network> network,
                                            const Plan& plan, Job& job);

/// Voxelises a cloud and builds its levels without a network. The window shows this result immediately after
/// it has opened a scene. `max_kernel_size` is only used to check whether the scene fits the packing. The
/// strides are 1, 2, 4, 8 and 16, up to `max_stride`.
[[nodiscard]] std::shared_ptr<const VoxelScene> voxelize_scene(Backend& backend,
                                                               std::shared_ptr<const PointCloud> cloud,
                                                               const Grid& grid, PackSpec pack,
                                                               int max_kernel_size, int max_stride, Job& job);
/// Builds the kernel map for a kernel size and strides on a voxelised scene. Views of densities use it
/// without a network.
[[nodiscard]] std::shared_ptr<const KernelMap> map_of_scene(Backend& backend, const VoxelScene& scene,
                                                            MapKey key, Job& job);

}  // namespace spira
