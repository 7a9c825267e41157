// Defines the engine objects behind the classes of the public headers, and translates the errors of the
// engine.
//
// In this directory, `Network`, `Error` and so on mean the classes of the engine inside `spira::library`, and
// the classes of the public headers inside `spira::v0`. Public classes are written `v0::Network` in
// `spira::library`, and classes of the engine are written `spira::Network` in `spira::v0`.
// docs/architecture.md explains the namespaces.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/job/job.hpp"
#include "engine/network/network.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <spira/error.hpp>
#include <spira/model.hpp>
#include <spira/network.hpp>
#include <spira/scene.hpp>
#include <spira/tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace spira {
class Session;
struct PackNeeds;
}  // namespace spira

namespace spira::library {

struct NetworkState {
  std::shared_ptr<const Network> network;
  std::vector<v0::LayerInfo> layers;
  std::vector<std::string> outputs;
};

struct SceneState {
  std::shared_ptr<const PointCloud> cloud;
  /// The batch index of all voxels, if the program gave one and all are equal. The engine then
  /// reads the voxels as one scene without a batch.
  std::optional<int> only_frame{};
};

struct ModelState {
  v0::Network network;
  v0::DeviceInfo device{};
  std::string backend{};  ///< A name for Registry::make().
  BackendOptions backend_options{};
  std::shared_ptr<const NetworkWeights> weights{};
  Plan plan{};
  std::optional<PackSpec> tuned_pack{};  ///< The packing that a tuning profile chose.

  /// Creates a back end for one thread.
  [[nodiscard]] std::shared_ptr<Backend> make_backend() const;
};

/// Gives the library access to the private members of the public classes.
struct Access {
  [[nodiscard]] static const NetworkState& state(const v0::Network& network) { return *network.state_; }
  [[nodiscard]] static const ModelState& state(const v0::Model& model) { return *model.state_; }
  [[nodiscard]] static const SceneState& state(const v0::Scene& scene) { return *scene.state_; }
  [[nodiscard]] static v0::Scene scene(std::shared_ptr<const PointCloud> cloud,
                                       std::optional<int> only_frame = {}) {
    v0::Scene made;
    made.state_ = std::make_shared<const SceneState>(SceneState{std::move(cloud), only_frame});
    return made;
  }
};

/// Makes the device of the back end the current device of the thread until the result is destroyed.
[[nodiscard]] std::shared_ptr<void> make_current(Backend& backend);
/// Like make_current(), but returns `nullptr` if that fails. For destructors: a failure means that the device
/// is lost.
[[nodiscard]] std::shared_ptr<void> current_or_none(Backend& backend) noexcept;
/// Returns the type and the shape, such as "float32 [100, 3]".
[[nodiscard]] std::string text_of(const v0::Tensor& tensor);
/// Returns the back ends of the library. Thread-safe.
[[nodiscard]] const Registry& registry();
[[nodiscard]] v0::DeviceInfo device_info(const DeviceListing& listing);

/// Returns a tensor that owns `values`.
template <class T>
v0::Tensor owned(std::vector<T> values, v0::DataType type, const std::vector<std::int64_t>& shape) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  const void* data = owner->data();
  return v0::Tensor::owning(std::move(owner), data, type, shape);
}

/// Throws `Error(usage)` unless each edge of a voxel is finite and greater than 0.
void require_edges(const std::array<double, 3>& voxel_m);
/// Returns the first packing that fits. Throws `Error(does_not_fit)` if there is none.
[[nodiscard]] PackSpec first_pack(const std::array<std::int64_t, 3>& extent, const PackNeeds& needs);

/// A scene with the grid and the packing with which a model reads it.
struct PreparedScene {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  PackSpec pack;
};
/// Returns the points as the network voxelises them, and the first packing that fits. `voxel_m` contains
/// zeros if the program chose no voxel size. Throws `Error(usage)` if the voxel size is missing or wrong,
/// `Error(does_not_fit)`, and `Error(memory)` if the system has too little memory for the voxels.
[[nodiscard]] PreparedScene prepare(const ModelState& model, const v0::Scene& scene,
                                    const std::array<double, 3>& voxel_m, Job& job);

/// Throws `Error(memory)` if a run of the loaded scene on the CPU needs more memory than the system has free,
/// or more than BackendOptions::memory_limit_bytes, before the run allocates any of it. The need includes the
/// weights and the outputs of earlier runs that the program keeps. `wanted` contains the
/// layers whose outputs the result keeps, and `frames` is the first dimension of its grids. A back end on a
/// GPU reports exhausted memory itself.
void require_run_memory(Session& session, const ModelState& model, std::span<const int> wanted, int frames);

/// Returns the default plan, in which the layers that would add sums in an unspecified order on a GPU have
/// the dataflow "gather".
[[nodiscard]] Plan deterministic_plan(const Network& network);

/// Throws `Error(usage)` if a layer adds sums in an unspecified order on a GPU. This is the case for
/// weight-stationary columns, unless each row of the result is in at most one pair.
void require_deterministic(const Network& network, const Plan& plan);

/// Throws the exception that is being handled as a `v0::Error` with the same message. Must be called in a
/// catch block.
[[noreturn]] void throw_public_error();

/// Calls `work` and returns its result. Throws only `v0::Error`.
template <class Work> auto guarded(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    throw_public_error();
  }
}

}  // namespace spira::library
