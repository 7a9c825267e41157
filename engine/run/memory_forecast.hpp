// Predicts how much memory of a back end a network needs for a scene, before the memory is allocated.
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

/// The predicted sizes of buffers, in bytes. The number of pairs in pair lists is estimated from 2,048
/// outputs per map. All other sizes follow from rows, channels and layouts.
struct MemoryForecast {
  std::size_t indexing = 0;  ///< Coordinate sets, input features and kernel maps of one run.
  /// Largest sum, over all layers, of the outputs that later layers still read, the row orders of maps, and
  /// scratch memory.
  std::size_t features = 0;
  /// Maps and outputs of all layers. A session stores them for inspection.
  std::size_t results = 0;
  /// Returns the predicted value of `Measurement::peak_bytes`.
  [[nodiscard]] std::size_t run() const noexcept { return indexing + features; }
  [[nodiscard]] std::size_t total() const noexcept { return run() + results; }
};

/// Predicts the memory for a network on a voxelised scene. `level_bytes` is the size of the coordinate sets
/// and the input features on this back end.
[[nodiscard]] MemoryForecast forecast_memory(const Backend& backend, const VoxelScene& scene,
                                             const Network& network, const Plan& plan,
                                             std::size_t level_bytes);

/// Throws if the forecast exceeds the total memory of the device by more than a quarter:
/// `Error(device_memory)` for CUDA, otherwise `Error(memory)`. The message contains the predicted memory and
/// the total memory.
void require_memory(const MemoryForecast& forecast, const DeviceFacts& device);

// Estimates the memory of a voxelised scene, and checks whether enough memory is available.

struct SceneUse {
  int kernel_size = 3;  ///< Kernel size of the first kernel map.
  bool drawn = false;
};

/// Returns the memory in bytes for `voxels` voxels of a scene with `points` points. The result includes all
/// levels, the kernel map, temporary memory of the voxelisation, and meshes if the scene is drawn. It does
/// not include the points.
[[nodiscard]] std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use);

/// Throws `NotEnoughMemory` if the scene needs more memory than is available. The message contains both
/// sizes. The available memory is what the system reports now, limited to `max_bytes`.
void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job);

}  // namespace spira
