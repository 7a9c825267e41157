// One scene on one back end with one network, layer by layer. The same code serves window, command line and
// tests.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/map/densities.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/levels.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/measurement.hpp"
#include "engine/voxel/fit.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira {

/// A voxelised scene with the coordinates of all strides the network has. Host memory; immutable.
struct VoxelScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
  Fit fit;
  std::array<std::int64_t, 3> span{};  ///< cells of the scene per axis; fit counts from the shift on
  std::array<std::int64_t, 3> shift{};
  std::int64_t kept = 0;           ///< points inside the crop; all of the cloud without one
  Point origin{};                  ///< display_origin() of the points on the grid
  std::vector<std::string> notes;  ///< grid_notes()
  std::vector<std::shared_ptr<const CoordSet>> levels;  ///< ascending strides; levels[0] is stride 1
  std::vector<std::int32_t> points_per_voxel, voxel_of_point;
  StageTree stages;  ///< voxelize, downsample[s]: one repetition
  [[nodiscard]] const CoordSet& level(
      int stride) const;  ///< throws Error(usage) naming the strides there are
  [[nodiscard]] Point centre_m(Voxel voxel, int stride) const;  ///< centre of a cell of a level, scene metres
};

/// What one layer did. Host memory; immutable; may be read by any thread.
struct LayerResult {
  int layer = 0;
  std::shared_ptr<const VoxelScene> scene;
  LayerLevels levels;
  LayerPlan plan;
  std::shared_ptr<const KernelMap> map;      ///< of transposed layers: the down-sampling map
  std::shared_ptr<const Features> features;  ///< the layer's output
  Densities densities;
  StageTree stages;         ///< map[name], features[name]: one repetition
  double wall_ms = 0;       ///< host clock around map and features
  bool map_shared = false;  ///< an earlier layer had built this map already
};

struct MemoryForecast;

class Session {
 public:
  Session(std::shared_ptr<Backend> backend, std::shared_ptr<const Network> network,
          std::shared_ptr<const NetworkWeights> weights);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Voxelises and builds the coordinate sets of all strides. Strong guarantee: on any error the scene loaded
  /// before stays. Throws Error(does_not_fit) before any kernel, Error(input) for a cloud without points.
  std::shared_ptr<const VoxelScene> load(std::shared_ptr<const PointCloud> cloud, const Grid& grid,
                                         PackSpec pack, Precision precision, Job& job);
  /// Layers run in order; a layer whose inputs are missing runs them first. Results of a layer and all that
  /// depend on it are dropped when it runs again.
  std::shared_ptr<const LayerResult> run_layer(int layer, const Plan& plan, Job& job);
  /// All layers; `done` is told each as it is there. Stopping keeps the layers that were finished.
  void run_all(const Plan& plan, Job& job,
               const std::function<void(std::shared_ptr<const LayerResult>)>& done);
  [[nodiscard]] std::shared_ptr<const LayerResult> result(int layer) const;  ///< null: not run yet

  /// Repeats the whole network: isolated stage trees and wall times, in passes of their own taken in turns.
  [[nodiscard]] std::shared_ptr<const Measurement> measure(const Plan& plan, const SamplingProtocol& how,
                                                           Job& job);
  /// One execution of map building and features of one layer from its present inputs; nothing is kept. For
  /// sweeps. With `map_only` features are left out, and inputs are not needed.
  void execute_layer(int layer, const LayerPlan& plan, Job& job, bool map_only = false);
  /// The kernel map of one layer for a setting, built anew, in the back end's memory.
  [[nodiscard]] std::shared_ptr<const KernelMap> build_layer_map(int layer, const LayerPlan& plan, Job& job);
  /// Features of one layer from its present inputs and such a map, in the back end's memory; waits for them.
  [[nodiscard]] Features execute_features(int layer, const KernelMap& map, Job& job);
  /// The whole network once, from points in the back end's memory to the last output, indexing of all layers
  /// first; nothing is kept and nothing comes to the host. For wall times.
  void execute_network(const Plan& plan, Job& job);

  /// The network compiled for this plan and the scene (Backend::compile), with the scene's points on the
  /// device. Kept until the scene or the plan changes; without a run it says why not.
  [[nodiscard]] const CompiledNetwork& compiled(const Plan& plan, Job& job);

  /// Values of the network's input in the precision of the loaded scene.
  [[nodiscard]] InputValues input_values() const;

  /// What measure() will take of the back end's memory on the scene that is loaded.
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

/// What Backend::compile() needs to know of a voxelised scene, whose points and voxels are the capacity. The
/// weights are left to the caller.
[[nodiscard]] NetworkRunRequest run_request(const VoxelScene& scene, std::shared_ptr<const Network> network,
                                            const Plan& plan, Job& job);

/// Voxelises a cloud and makes the levels, without a network: what the window shows at once after opening a
/// scene. `max_kernel_size` is for the fit. Strides 1, 2, 4, 8, 16 up to `max_stride`.
[[nodiscard]] std::shared_ptr<const VoxelScene> voxelize_scene(Backend& backend,
                                                               std::shared_ptr<const PointCloud> cloud,
                                                               const Grid& grid, PackSpec pack,
                                                               int max_kernel_size, int max_stride, Job& job);
/// The kernel map of one layer shape on a voxelised scene, for looking at densities without a network.
[[nodiscard]] std::shared_ptr<const KernelMap> map_of_scene(Backend& backend, const VoxelScene& scene,
                                                            MapKey key, Job& job);

}  // namespace spira
