// Predicts how much memory of a back end a network needs for a scene, before the memory is allocated.
#pragma once

#include <cstddef>

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

}  // namespace spira
