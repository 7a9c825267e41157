// Predicts how much memory of a back end a network needs for a scene. Nothing is allocated.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/readings.hpp"
#include "engine/voxel/grid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace spira {

class Backend;
struct DeviceFacts;
struct Network;
struct Plan;
struct VoxelScene;

/// Predicted sizes of buffers, in bytes. The number of pairs in pair lists is estimated from 2,048 outputs
/// per map. All other sizes are computed from rows, channels and layouts.
struct MemoryForecast {
  std::size_t indexing = 0;  ///< The coordinate sets, input features and kernel maps of one run.
  std::size_t levels = 0;    ///< The coordinate sets and input features alone.
  /// The largest memory that a single layer needs in addition to `indexing`: outputs that this layer or later
  /// layers read, row orders of maps, and scratch memory.
  std::size_t features = 0;
  /// The maps and outputs of all layers. A session keeps them so that the user can inspect them.
  std::size_t results = 0;
  /// Returns the prediction for `Measurement::peak_bytes`.
  [[nodiscard]] std::size_t run() const noexcept { return indexing + features; }
  [[nodiscard]] std::size_t total() const noexcept { return run() + results; }
};

/// Predicts the memory for a network on a voxelised scene. `level_bytes` is the size of the coordinate sets
/// with their positions and of the input features on the back end.
[[nodiscard]] MemoryForecast forecast_memory(const Backend& backend, const VoxelScene& scene,
                                             const Network& network, const Plan& plan,
                                             std::size_t level_bytes);

/// Predicts the peak memory of a training step (engine/run/backward.hpp), in bytes: all outputs, the weights
/// in the forms of both passes, and the gradients that exist at the same time. `indexing` is
/// MemoryForecast::indexing for the same plan. The back end must have gradients.
[[nodiscard]] std::size_t forecast_training(Backend& backend, const VoxelScene& scene, const Network& network,
                                            const Plan& plan, std::size_t indexing);

/// Throws if the forecast exceeds the total memory of the device by more than a quarter:
/// `Error(device_memory)` for CUDA, `Error(memory)` for other back ends. The message contains both sizes.
void require_memory(const MemoryForecast& forecast, const DeviceFacts& device);

// The declarations below estimate the memory of a scene before it is voxelised, and check whether this memory
// is available.

struct SceneUse {
  int kernel_size = 3;  ///< Kernel size of the kernel map that is built first.
  bool drawn = false;
  bool positions = false;  ///< True if native layers read positions of points.
};

/// Returns the memory in bytes for a scene with `points` points and `voxels` voxels. It includes the levels,
/// the kernel map, temporary memory of the voxelisation and, if the scene is drawn, the meshes. It does not
/// include the points.
[[nodiscard]] std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use);

/// Throws `NotEnoughMemory` if the scene needs more memory than is available. The message contains both
/// sizes. The available memory is the free memory of the system, but at most `max_bytes`.
void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job);

}  // namespace spira
