// Data that the jobs of EngineJobs use: the back end and the session of the worker, and the values of a
// request.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/run/session.hpp"
#include "ui/jobs/engine_jobs.hpp"

#include <string>
#include <utility>

namespace spira::ui {

/// The objects that only the worker thread uses.
struct EngineJobs::Host {
  explicit Host(std::shared_ptr<const Registry> all) : registry(std::move(all)) {}

  Backend& device() {
    if (!backend) backend = registry->make(wanted_);
    return *backend;
  }
  /// Sets the back end that device() returns from now on. Discards all data on the former back end.
  void want(const std::string& name) {
    if (name == wanted_) return;
    session.reset();
    loaded.reset();
    backend.reset();
    wanted_ = name;
  }
  [[nodiscard]] bool onGpu() const { return backend && backend->facts().kind == BackendKind::cuda; }
  /// At the first call, returns why no GPU is used. Returns an empty string if a GPU is used, if there is no
  /// GPU, and at all later calls.
  [[nodiscard]] std::string whyNoGpu() {
    if (wanted_ != "auto" || std::exchange(asked_, true) || onGpu()) return {};
    for (const DeviceListing& row : registry->devices()) {
      if (row.facts.kind == BackendKind::cuda && !row.usable && !row.facts.name.empty())
        return row.facts.name + ": " + row.why_not;
    }
    return {};
  }
  /// Discards all data on the device and changes to the CPU. The data of the window is in host memory and
  /// stays valid.
  void goOnWithCpu() {
    session.reset();
    loaded.reset();
    backend = registry->make("cpu");
  }
  std::shared_ptr<const Registry> registry;
  std::shared_ptr<Backend> backend;
  std::unique_ptr<Session> session;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::shared_ptr<const VoxelScene> loaded;  // The scene that the session was loaded with.
  Precision loaded_precision = Precision::fp32;

  Session& session_for(const SceneRequest& request, Job& job);

 private:
  std::string wanted_ = "auto";
  bool asked_ = false;  // True after the first call of whyNoGpu().
};

/// The values that a job needs. The worker never reads objects of the GUI.
struct EngineJobs::SceneRequest {
  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<const VoxelScene> voxels;
  std::shared_ptr<const Network> network;
  Grid grid;
  PackSpec pack;
  Plan plan;
  int kernel_size = 3;
  bool scene_map = false;  // True if the kernel map of the scene exists.
};

}  // namespace spira::ui
