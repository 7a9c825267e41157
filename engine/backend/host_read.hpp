// Reads results in host memory: what the window, files and tests use.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/features.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spira {

[[nodiscard]] std::int64_t size_of(const CoordSet& coords);  ///< throws Error(internal) while unknown
/// Of the keys that count; the buffer may have room for more. Throws Error(internal) while the size is
/// unknown.
[[nodiscard]] std::size_t key_bytes(const CoordSet& coords);
[[nodiscard]] std::uint64_t key_at(const CoordSet& coords, std::int64_t row);  ///< 32-bit keys are widened
[[nodiscard]] Voxel voxel_at(const CoordSet& coords, std::int64_t row);
/// One binary search; empty: no such voxel (also for components outside their fields).
[[nodiscard]] std::optional<std::int64_t> row_of_voxel(const CoordSet& coords, Voxel voxel);
[[nodiscard]] std::vector<Voxel> all_voxels(const CoordSet& coords);
[[nodiscard]] float feature_at(const Features& features, std::int64_t row, int channel);
/// Values that are NaN or infinite.
[[nodiscard]] std::int64_t count_non_finite(const Features& features);
/// Rows with at least one such value.
[[nodiscard]] std::int64_t count_non_finite_rows(const Features& features);
/// Euclidean norm of each row, [rows].
[[nodiscard]] std::vector<float> feature_norms(const Features& features);

}  // namespace spira
