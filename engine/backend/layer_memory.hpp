// Describes the memory that a layer needs in addition to its map, its input and its result. Memory forecasts
// use this description.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/features.hpp"

#include <cstddef>
#include <cstdint>

namespace spira {

struct MemoryShape {
  int kernel_size = 3, in_channels = 0, out_channels = 0;
  std::int64_t map_inputs = 0, map_outputs = 0;
  bool transposed = false;            ///< True if the rows of the result are the inputs of the map.
  bool dense = true, sparse = false;  ///< True if the map has output-stationary or weight-stationary parts.
  MapLayout dense_layout = MapLayout::z_runs;
  Precision precision = Precision::fp32;
  [[nodiscard]] std::int64_t rows() const noexcept { return transposed ? map_inputs : map_outputs; }
  [[nodiscard]] std::size_t values() const noexcept {
    return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(out_channels);
  }
};

constexpr std::size_t bytes_of_pair = 8;

struct PairListShape {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  int kernel_size = 3;
  std::int64_t outputs = 0;
  std::size_t columns = 0;  ///< Number of stored columns.
  double pairs = 0;         ///< Estimated number of pairs in all columns.
  bool alone = false;       ///< True if the map has no other part.
};

/// The additional memory of a layer, in bytes.
struct LayerMemory {
  /// Bytes that stay allocated together with the map after the first layer that needs them.
  std::size_t kept = 0;
  /// Two layers share their `kept` bytes if they have the same map and the same `kept_as`.
  int kept_as = 0;
  std::size_t passing = 0;  ///< Bytes that are allocated only while the layer runs.
};

}  // namespace spira
