// What the jobs of EngineJobs work with: the back end and session of the worker, and the values of a request.
#pragma once

#include "ui/jobs/engine_jobs.hpp"

#include <string>
#include <utility>

namespace spira::ui {

/// Lives on the worker thread.
struct EngineJobs::Host {
  explicit Host(std::shared_ptr<const Registry> all) : registry(std::move(all)) {}

  Backend& device() {
    if (!backend) backend = registry->make(wanted_);
    return *backend;
  }
  /// Which back end device() is from now on; what lies on another one is forgotten.
  void want(const std::string& name) {
    if (name == wanted_) return;
    session.reset();
    loaded.reset();
    backend.reset();
    wanted_ = name;
  }
  [[nodiscard]] bool onGpu() const { return backend && backend->facts().kind == BackendKind::cuda; }
  /// At the first call only; empty: one is used, or there is none.
  [[nodiscard]] std::string whyNoGpu() {
    if (wanted_ != "auto" || std::exchange(asked_, true) || onGpu()) return {};
    for (const DeviceListing& row : registry->devices()) {
      if (row.facts.kind == BackendKind::cuda && !row.usable && !row.facts.name.empty())
        return row.facts.name + ": " + row.why_not;
    }
    return {};
  }
  /// Forgets all that lies on the device. What the window holds is host memory and stays.
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
  std::shared_ptr<const VoxelScene> loaded;  // what the session was loaded from, and how
  Precision loaded_precision = Precision::fp32;

  Session& session_for(const SceneRequest& request, Job& job);

 private:
  std::string wanted_ = "auto";
  bool asked_ = false;  // why there is no GPU
};

/// The values that a job works with; nothing of the GUI is read on the worker.
struct EngineJobs::SceneRequest {
  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<const VoxelScene> voxels;
  std::shared_ptr<const Network> network;
  Grid grid;
  PackSpec pack;
  Plan plan;
  int kernel_size = 3;
  bool scene_map = false;  // there is one
};

}  // namespace spira::ui
