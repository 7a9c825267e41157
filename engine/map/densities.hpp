// Computes the density of each kernel column, and the mean density of all columns with the same L1 norm
// (section 5.4 of the Spira paper). The threshold t splits the columns by their L1 norm.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spira {

struct ColumnDensity {
  int column = 0;
  Voxel offset{0, 0, 0};
  int l1 = 0;  ///< L1 norm of the offset, in units of the input stride.
  std::int64_t matches = 0;
  double density = 0.0;  ///< matches / outputs, in 0..1. It is 0 for a map without outputs.
};
struct L1Density {
  int l1 = 0, offsets = 0;
  double mean = 0.0, min = 0.0, max = 0.0;
};
struct Densities {
  std::int64_t outputs = 0, pairs = 0;
  int kernel_size = 0, stride = 1;
  std::vector<ColumnDensity> columns;  ///< Shape: [K^3], in the order of the columns.
  /// One entry per L1 norm that occurs, in ascending order of `l1`.
  std::vector<L1Density> groups;
};
[[nodiscard]] Densities densities(const KernelMap& map);
/// Computes the densities from some of the outputs only, such as the outputs in a part of the scene.
/// `outputs` are rows of the map without duplicates.
[[nodiscard]] Densities densities(const KernelMap& map, std::span<const std::int32_t> outputs);
/// Computes the densities from the number of matches of each column. Shape of `matches`: [K^3].
[[nodiscard]] Densities densities(const KernelOffsets& offsets, std::span<const std::int64_t> matches,
                                  std::int64_t outputs);

}  // namespace spira
