// What a layer takes of a back end's memory beside its map, inputs and result: for forecasts.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/voxel/features.hpp"

#include <cstddef>
#include <cstdint>

namespace spira {

struct MemoryShape {
  int kernel_size = 3, in_channels = 0, out_channels = 0;
  std::int64_t map_inputs = 0, map_outputs = 0;
  bool transposed = false;            ///< rows of the result are the map's inputs
  bool dense = true, sparse = false;  ///< parts of the map that run output- and weight-stationary
  MapLayout dense_layout = MapLayout::z_runs;
  Precision precision = Precision::fp32;
  [[nodiscard]] std::int64_t rows() const noexcept { return transposed ? map_inputs : map_outputs; }
  [[nodiscard]] std::size_t values() const noexcept {
    return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(out_channels);
  }
};

constexpr std::size_t bytes_of_pair = 8;

/// A part of a map that is made of pair lists.
struct PairListShape {
  MapAlgorithm algorithm = MapAlgorithm::z_delta;
  int kernel_size = 3;
  std::int64_t outputs = 0;
  std::size_t columns = 0;  ///< that are stored
  double pairs = 0;         ///< about
  bool alone = false;       ///< the map has no other part
};

/// Bytes.
struct LayerMemory {
  std::size_t kept = 0;     ///< beside the map, from the first layer on that needs it
  int kept_as = 0;          ///< layers of one map with the same number share what is kept
  std::size_t passing = 0;  ///< while the layer runs
};

}  // namespace spira
