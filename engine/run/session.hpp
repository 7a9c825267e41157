// Runs one network on one scene and one back end, layer by layer, for the window and the command line.
#pragma once

#include "engine/run/measurement.hpp"
#include "engine/run/voxel_scene.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace spira {

class Backend;
struct BackwardResult;
struct CompiledNetwork;
struct MemoryForecast;
struct NetworkRunRequest;
struct NetworkWeights;
struct PassInputs;
struct TrainingRequest;

class Session {
 public:
  Session(std::shared_ptr<Backend> backend, std::shared_ptr<const Network> network,
          std::shared_ptr<const NetworkWeights> weights);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Voxelises a cloud and builds the coordinate sets of all strides. If the cloud does not fit the packing,
  /// throws `Error(does_not_fit)` before any kernel runs. Throws `Error(input)` if the cloud has no points.
  /// After an error, the previously loaded scene is unchanged. If `notes` is false, VoxelScene::notes stays
  /// empty.
  std::shared_ptr<const VoxelScene> load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                         PackSpec pack, Precision precision, Job& job, bool notes = true);
  /// Runs one layer. First runs the layers that produce missing inputs. If the layer has run before, its old
  /// result and all results that depend on it are removed.
  std::shared_ptr<const LayerResult> run_layer(int layer, const Plan& plan, Job& job);
  /// Runs all layers. Calls `done` with the result of each layer as soon as the layer has finished. If the
  /// job is cancelled, the results of the finished layers stay available.
  void run_all(const Plan& plan, Job& job,
               const std::function<void(std::shared_ptr<const LayerResult>)>& done);
  /// Returns the result of a layer, or `nullptr` if the layer has not run.
  [[nodiscard]] std::shared_ptr<const LayerResult> result(int layer) const;

  /// Measures the whole network repeatedly. Isolated stages and wall times come from interleaved passes.
  [[nodiscard]] std::shared_ptr<const Measurement> measure(const Plan& plan, const SamplingProtocol& how,
                                                           Job& job);
  /// Builds the map of one layer and computes its features from the current inputs. Discards both results.
  /// Used by sweeps, which only measure the time. If `map_only` is true, the features are not computed and
  /// the inputs are not needed.
  void execute_layer(int layer, const LayerPlan& plan, Job& job, bool map_only = false);
  /// Builds a new kernel map of one layer with these settings. The map is in the memory of the back end.
  /// Throws `Error(usage)` if `pass` cannot run with them.
  [[nodiscard]] std::shared_ptr<const KernelMap> build_layer_map(int layer, const LayerPlan& plan, Job& job,
                                                                 LayerPass pass = LayerPass::forward);
  /// Computes the features of one layer from its current inputs and a map from build_layer_map(). The method
  /// and the layout of the map determine the dataflow. Returns when the features are complete. The features
  /// are in the memory of the back end.
  [[nodiscard]] Features execute_features(int layer, const KernelMap& map, Job& job,
                                          FeatureMethod method = FeatureMethod::by_layout);
  /// Runs the whole network once, so that the caller can measure its wall time. It begins with points in the
  /// memory of the back end and ends with the last output: first the indexing of all layers, then the
  /// features. Stores no results and copies nothing to the host.
  void execute_network(const Plan& plan, Job& job);
  /// Runs the whole network once on the levels of load(), and returns the outputs of these layers, in the
  /// memory of the back end. Frees every other output after the last layer that reads it. Returns when the
  /// outputs are complete. Stores no results. `layers` contains valid indices.
  [[nodiscard]] std::vector<std::shared_ptr<const Features>> run_outputs(const Plan& plan,
                                                                         std::span<const int> layers,
                                                                         Job& job);

  /// Uploads the fp32 weights and the first gradients of training steps for the loaded scene. Throws the same
  /// errors as require_training(). Throws `Error(usage)` if the request has a gradient and the network has
  /// several outputs.
  void prepare_training(const TrainingRequest& request);
  /// Runs one training step (engine/run/backward.hpp), from points in the memory of the back end to the
  /// gradients of all weights. prepare_training() must have been called for the loaded scene.
  [[nodiscard]] BackwardResult execute_training_step(const Plan& plan, Job& job);

  /// Returns what the backward passes of one layer read (see compute_pass()): its current inputs, and a
  /// random gradient.
  [[nodiscard]] PassInputs pass_inputs(int layer, Job& job);

  /// Compiles the network for this plan and the loaded scene (see Backend::compile()), and copies the points
  /// to the device. Returns the same compiled network until the scene or the plan changes. If the network
  /// cannot be compiled, the result has no `run`, and `why_not` contains the reason.
  [[nodiscard]] const CompiledNetwork& compiled(const Plan& plan, Job& job);

  /// Counts the NaN, infinite and replaced values in the input of the network, in the current precision.
  [[nodiscard]] InputValues input_values() const;

  /// Predicts how much memory of the back end measure() will need for the loaded scene.
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

/// Returns a request for Backend::compile() with the capacity for this scene: its number of points, its
/// number of voxels and its extent. The caller must set the weights.
[[nodiscard]] NetworkRunRequest run_request(const VoxelScene& scene, std::shared_ptr<const Network> network,
                                            const Plan& plan, Job& job);

/// Voxelises a cloud and builds its levels without running a network. The window uses it to show a scene as
/// soon as it is opened. If `levels` is empty, the levels have the floor rule and the strides 1, 2, 4, 8 and
/// so on up to the coarsest stride of `needs`. Level 0 is always built. `needs.levels` must contain all
/// levels. Levels with the floor rule and a stride of up to `native_stride` get positions.
[[nodiscard]] std::shared_ptr<const VoxelScene> voxelize_scene(
    Backend& backend, std::shared_ptr<const PointCloud> cloud, const Grid& grid, PackSpec pack,
    const PackNeeds& needs, Job& job, std::vector<SceneLevel> levels = {}, int native_stride = 0);
/// Builds the kernel map of a voxelised scene for a kernel size and strides, without a network. Views of
/// densities use it.
[[nodiscard]] std::shared_ptr<const KernelMap> map_of_scene(Backend& backend, const VoxelScene& scene,
                                                            MapKey key, Job& job);

}  // namespace spira
