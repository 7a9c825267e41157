// Reads coordinates and features in host memory, for the window, file writers and tests.
#pragma once

#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spira {

/// Returns the number of voxels. Throws `Error(internal)` if the host does not know it yet.
[[nodiscard]] std::int64_t size_of(const CoordSet& coords);
/// Returns the size of the valid keys in bytes, which can be less than the size of their buffer. Throws
/// `Error(internal)` if the host does not know the number of voxels yet.
[[nodiscard]] std::size_t key_bytes(const CoordSet& coords);
[[nodiscard]] std::uint64_t key_at(const CoordSet& coords,
                                   std::int64_t row);  ///< Converts 32-bit keys to 64 bits.
[[nodiscard]] Voxel voxel_at(const CoordSet& coords, std::int64_t row);
[[nodiscard]] int frame_at(const CoordSet& coords, std::int64_t row);  ///< Returns the batch index.
/// Returns the row of a voxel by binary search. Returns an empty optional if the set does not contain the
/// voxel, or if a component does not fit its bit field.
[[nodiscard]] std::optional<std::int64_t> row_of_voxel(const CoordSet& coords, Voxel voxel, int frame = 0);
/// Returns the voxels of all frames, without their batch index.
[[nodiscard]] std::vector<Voxel> all_voxels(const CoordSet& coords);
/// A voxel of a batch: the batch index, x, y, z.
using BatchVoxel = std::array<std::int32_t, 4>;
[[nodiscard]] std::vector<BatchVoxel> all_batch_voxels(const CoordSet& coords);
[[nodiscard]] float feature_at(const Features& features, std::int64_t row, int channel);
[[nodiscard]] std::int64_t count_non_finite(const Features& features);
[[nodiscard]] std::int64_t count_non_finite_rows(const Features& features);
/// Returns the Euclidean norm of the features of each voxel. Shape: [rows].
[[nodiscard]] std::vector<float> feature_norms(const Features& features);

}  // namespace spira
