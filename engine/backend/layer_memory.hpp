// Memory that a layer needs in addition to its map, its input and its result. Memory forecasts use it.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/features.hpp"

#include <cstddef>
#include <cstdint>

namespace spira {

struct MemoryShape {
  int kernel_size = 3, in_channels = 0, out_channels = 0;
  std::int64_t map_inputs = 0, map_outputs = 0;
  bool transposed = false;            ///< True if rows of the result are the inputs of the map.
  bool dense = true, sparse = false;  ///< True if the map has output-stationary or weight-stationary parts.
  MapLayout dense_layout = MapLayout::z_runs;
  Precision precision = Precision::fp32;
  [[nodiscard]] std::int64_t rows() const noexcept { return transposed ? map_inputs : map_outputs; }
  [[nodiscard]] std::size_t values() const noexcept {
    return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(out_channels);
  }
};

constexpr std::size_t bytes_of_pair = 8;

/// Shape of a map part that consists of pair lists.
struct PairListShape {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  int kernel_size = 3;
  std::int64_t outputs = 0;
  std::size_t columns = 0;  ///< Number of stored columns.
  double pairs = 0;         ///< Estimated number of pairs.
  bool alone = false;       ///< True if the map has no other part.
};

/// Additional memory of a layer, in bytes.
struct LayerMemory {
  std::size_t kept = 0;     ///< Bytes that stay allocated with the map, from the first layer that needs them.
  int kept_as = 0;          ///< Layers of one map with an equal `kept_as` share the `kept` bytes.
  std::size_t passing = 0;  ///< Bytes that are allocated only while the layer runs.
};

}  // namespace spira
