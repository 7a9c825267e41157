// Column densities and their means by L1 norm (section 5.4): the picture that the threshold t cuts.
#pragma once

#include "engine/map/kernel_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spira {

struct ColumnDensity {
  int column = 0;
  Voxel offset{0, 0, 0};
  int l1 = 0;  ///< in units of the input stride
  std::int64_t matches = 0;
  double density = 0.0;  ///< matches / outputs, 0..1; 0 for a map without outputs
};
struct L1Density {
  int l1 = 0, offsets = 0;
  double mean = 0.0, min = 0.0, max = 0.0;
};
struct Densities {
  std::int64_t outputs = 0, pairs = 0;
  int kernel_size = 0, stride = 1;
  std::vector<ColumnDensity> columns;  ///< [K^3], by column
  std::vector<L1Density> groups;       ///< by ascending l1; norms that no offset has are left out
};
[[nodiscard]] Densities densities(const KernelMap& map);
/// Of some outputs only, rows of the map each named once: of part of a scene.
[[nodiscard]] Densities densities(const KernelMap& map, std::span<const std::int32_t> outputs);
/// The same from the matches of each column, [K^3].
[[nodiscard]] Densities densities(const KernelOffsets& offsets, std::span<const std::int64_t> matches,
                                  std::int64_t outputs);

}  // namespace spira
