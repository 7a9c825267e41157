#include "ui/jobs/engine/engine_host.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/error.hpp"
#include "engine/network/weights.hpp"
#include "ui/model/neighbours.hpp"

#include <utility>

namespace spira::ui {

EngineRequest::EngineRequest(const Workspace& workspace)
    : cloud(workspace.scene().cloud()),
      voxels(whole_scene(workspace.scene().voxels())),
      shown(workspace.scene().voxels()),
      network(workspace.network()),
      weights(workspace.weights()),
      grid(workspace.requested().grid()),
      pack(workspace.requested().pack()),
      plan(workspace.requested().plan()),
      map_kernel(scene_kernel(workspace)),
      scene_map(workspace.shownMap(-1).map != nullptr) {}

void EngineHost::runOn(const std::string& device, const std::function<void()>& work, const Job& job,
                       const Send<DeviceChange>& report) {
  try {
    want(device);
    work();
  } catch (const Error& error) {
    if (!is_device_fault(error.kind()) || job.stop_token().stop_requested()) throw;
    if (!backend_ && device != "auto") {
      want("auto");
      report({error.what(), {}, true});
      return work();
    }
    if (!onGpu()) throw;
    // Only the session is lost. The results in the window stay valid, because they are in host memory.
    discardSession();
    backend_ = registry_->make("cpu");
    report({error.what(), backend_->facts()});
    work();
  }
}

bool EngineHost::onGpu() const {
  return backend_ && backend_->facts().kind == BackendKind::cuda;
}

/// Sets the back end that device() returns from now on. Discards all data that the former back end holds.
void EngineHost::want(const std::string& name) {
  if (name == wanted_) return;
  discardSession();
  backend_.reset();
  wanted_ = name;
}

const std::shared_ptr<Backend>& EngineHost::sharedDevice() {
  if (!backend_) backend_ = registry_->make(wanted_);
  return backend_;
}

std::shared_ptr<Backend> EngineHost::make(const std::string& name) const {
  return registry_->make(name);
}

void EngineHost::discardSession() {
  session_.reset();
  loaded_.reset();
}

const std::shared_ptr<const NetworkWeights>& EngineHost::weightsOf(const EngineRequest& request, Job& job) {
  const bool random = request.weights == nullptr;
  if (network_ == request.network && (random ? random_weights_ : weights_ == request.weights))
    return weights_;
  discardSession();
  weights_ =
      random ? std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1, job.stop_token()))
             : request.weights;
  random_weights_ = random;
  network_ = request.network;
  return weights_;
}

Session& EngineHost::sessionFor(const EngineRequest& request, Job& job) {
  if (!request.voxels || !request.network)
    throw Error(ErrorKind::usage, "open a scene and choose a network first");
  // The views show the voxels of the open scene, so the network must read the same voxels.
  if (request.network->grid && !request.network->features_from_file && request.cloud &&
      request.cloud->feature_channels == 0)
    throw Error(ErrorKind::usage,
                "network " + request.network->name +
                    " voxelises scans itself (input.grid in the network file), but the voxels of the open "
                    "scene are different; remove the crop and open the scene again");
  const auto weights = weightsOf(request, job);
  if (!session_) session_ = std::make_unique<Session>(sharedDevice(), network_, weights);
  if (loaded_ != request.voxels || loaded_precision_ != request.plan.precision) {
    // Reset `loaded_` first, because no scene is loaded if load() fails.
    loaded_.reset();
    static_cast<void>(session_->load(request.cloud, request.voxels->grid, request.voxels->pack,
                                     request.plan.precision, job));
    loaded_ = request.voxels;
    loaded_precision_ = request.plan.precision;
  }
  return *session_;
}

std::string EngineHost::whyNoGpu() {
  if (wanted_ != "auto" || std::exchange(asked_, true) || onGpu()) return {};
  for (const DeviceListing& row : registry_->devices()) {
    if (row.facts.kind == BackendKind::cuda && !row.usable && !row.facts.name.empty())
      return row.facts.name + ": " + row.why_not;
  }
  return {};
}

SceneMap EngineHost::buildSceneMap(const std::shared_ptr<const VoxelScene>& voxels, const KernelShape& kernel,
                                   int stride, Job& job) {
  auto map = map_of_scene(device(), *voxels, {kernel, stride, stride}, job);
  auto found = std::make_shared<const Densities>(densities(*map));
  return {std::move(map), std::move(found), stride, voxels};
}

void SceneMap::showIn(Workspace& workspace) const {
  if (of == workspace.scene().voxels()) workspace.scene().setMap(map, densities, stride);
}

}  // namespace spira::ui
