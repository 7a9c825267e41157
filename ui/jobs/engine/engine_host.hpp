// EngineHost owns the back end and the session on the thread of the engine lane. EngineRequest holds the
// values that a job needs.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/run/session.hpp"
#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/workspace.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace spira::ui {

/// A copy of the values of the Workspace that a job needs. A job never reads objects of the GUI thread.
struct EngineRequest {
  explicit EngineRequest(const Workspace& workspace);

  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<const VoxelScene> voxels;  ///< The voxels of runs: all frames of a batch.
  std::shared_ptr<const VoxelScene> shown;   ///< The voxels in the views: one frame of a batch.
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;  ///< `nullptr` if the weights are random.
  Grid grid;
  PackSpec pack;
  Plan plan;
  /// Kernel of the map of the scene. It has the neighbourhood of the network (scene_kernel()).
  KernelShape map_kernel = 3;
  bool scene_map = false;  ///< True if the kernel map of the scene has already been built.
};

/// The kernel map of a scene at one stride, and its densities.
struct SceneMap {
  std::shared_ptr<const KernelMap> map;
  std::shared_ptr<const Densities> densities;
  int stride = 1;
  std::shared_ptr<const VoxelScene> of;  ///< The scene of the map. The views may show another frame since.
  /// Shows the map in the views of `of`.
  void showIn(Workspace& workspace) const;
};

/// Owns the back end and the session. Must be used only on the thread of the engine lane.
class EngineHost {
 public:
  explicit EngineHost(std::shared_ptr<const Registry> registry) : registry_(std::move(registry)) {}

  /// Runs `work` on a device. If the device is lost, out of memory or not available, reports the change and
  /// runs `work` again on another device. If there is no other device, throws the error. A cancelled job
  /// never changes the device, because its report would not be delivered.
  void runOn(const std::string& device, const std::function<void()>& work, const Job& job,
             const Send<DeviceChange>& report);
  Backend& device() { return *sharedDevice(); }
  const std::shared_ptr<Backend>& sharedDevice();
  /// Returns a new back end. `name` is a name of the registry. Throws the errors of Registry::make().
  [[nodiscard]] std::shared_ptr<Backend> make(const std::string& name) const;
  /// Returns a session for the scene and the network of the request. Loads them if the session does not hold
  /// them yet.
  Session& sessionFor(const EngineRequest& request, Job& job);
  /// Discards the session and frees the memory of its buffers.
  void discardSession();
  /// Returns the weights of the request. If the request has no weights, returns random numbers from a fixed
  /// seed.
  const std::shared_ptr<const NetworkWeights>& weightsOf(const EngineRequest& request, Job& job);
  /// The first call returns why an installed GPU is not used. Later calls return an empty string. The first
  /// call also returns an empty string if a GPU is used, if no GPU is installed, or if the user chose the
  /// device.
  [[nodiscard]] std::string whyNoGpu();
  [[nodiscard]] SceneMap buildSceneMap(const std::shared_ptr<const VoxelScene>& voxels,
                                       const KernelShape& kernel, int stride, Job& job);

 private:
  [[nodiscard]] bool onGpu() const;
  void want(const std::string& name);

  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Session> session_;
  std::shared_ptr<const Network> network_;
  std::shared_ptr<const NetworkWeights> weights_;
  bool random_weights_ = false;               // True if `weights_` was generated for `network_`.
  std::shared_ptr<const VoxelScene> loaded_;  // The scene that was loaded into the session.
  Precision loaded_precision_ = Precision::fp32;
  std::string wanted_ = "auto";
  bool asked_ = false;  // True after the first call of whyNoGpu().
};

/// Returns the session for the request. If the kernel map of the scene is missing, builds and sends it first,
/// because this job may have cancelled the job that was building it.
template <class Event>
Session& session_with_map(EngineHost& host, const EngineRequest& now, Job& job, const Send<Event>& send) {
  if (!now.scene_map && now.shown) send(host.buildSceneMap(now.shown, now.map_kernel, 1, job));
  return host.sessionFor(now, job);
}

}  // namespace spira::ui
