// Counts the neighbours in the map of a native layer (sections 3.2 and 3.3 of the PointCNN++ paper), and
// compares them with the neighbours of the voxel convolution with the same kernel size.
#pragma once

#include "engine/voxel/positions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace spira {

enum class LengthUnit : std::uint8_t;

struct KernelMap;
struct MapKey;
struct VoxelScene;

/// The counts of a native map that reports contain.
struct NeighbourCounts {
  std::int64_t triplets = 0;         ///< Number of (output, column, input).
  std::int64_t groups = 0;           ///< Number of (output, column) with at least one input.
  std::int64_t folded = 0;           ///< Triplets of a ball outside the K^3 cells.
  std::int64_t most_neighbours = 0;  ///< The largest number of triplets of an output.
  /// Triplets whose output and input are also a pair of the voxel convolution with the same kernel size, in
  /// any column.
  std::int64_t in_voxel_map = 0;
  std::int64_t same_column = 0;  ///< The same, in the same column.
  /// Returns the number of triplets per group. Returns 1 if there are none.
  [[nodiscard]] double fan_in() const noexcept {
    return groups == 0 ? 1 : static_cast<double>(triplets) / static_cast<double>(groups);
  }
  auto operator<=>(const NeighbourCounts&) const = default;
};
/// Returns true if the voxel convolution has nearly the same triplets: at least 95 % of the triplets are in
/// its columns, and the fan-in is below 1.05. Returns false if there are no triplets.
[[nodiscard]] bool voxels_would_do(const NeighbourCounts& counts) noexcept;
/// `map` must be the map of `key` in host memory, and `key.kernel` must be native. Throws `Error(usage)` if
/// the scene was voxelised without positions.
[[nodiscard]] NeighbourCounts neighbour_counts(const VoxelScene& scene, const MapKey& key,
                                               const KernelMap& map);

struct NeighbourFacts {
  NeighbourCounts counts;
  std::int64_t outputs = 0, inputs = 0;
  std::int64_t unread = 0;  ///< Inputs that no output reads. Only strided layers have such inputs.
  /// The 50th, 90th and 99th percentile of the number of neighbours: the smallest number that this share of
  /// the outputs does not exceed.
  std::array<std::int64_t, 3> percentiles{};
  std::int64_t position_rows = 0;  ///< Rows of all levels whose positions the search reads.

  /// Size of the pair lists in bytes.
  [[nodiscard]] std::int64_t list_bytes() const noexcept;
  /// Size of the position words in bytes.
  [[nodiscard]] std::int64_t position_bytes() const noexcept;
  /// Returns the size of explicit neighbourhoods in bytes, as other libraries store them: for each output,
  /// the index and the features of most_neighbours inputs.
  [[nodiscard]] std::int64_t explicit_bytes(int channels, std::size_t value_bytes) const noexcept;
};
/// Has the same requirements as neighbour_counts().
[[nodiscard]] NeighbourFacts neighbour_facts(const VoxelScene& scene, const MapKey& key,
                                             const KernelMap& map);

/// The positions of a scene.
struct PositionFacts {
  PositionKind kind = PositionKind::nearest;
  /// The root mean square and the 95th percentile of the distance between the position of a row and the
  /// centre of its voxel, in metres.
  double rms_m = 0, p95_m = 0;
  std::int64_t merged = 0;  ///< Points inside the crop whose position no row has: points minus rows.
};
/// Returns the facts about the positions at stride 1. Throws `Error(usage)` if the scene was voxelised
/// without positions.
[[nodiscard]] PositionFacts position_facts(const VoxelScene& scene);
/// Returns the facts as text, such as "nearest, distance to the centre: rms 0.0242 m, p95 0.0342 m; 32,901
/// points merged". `unit` is the unit of the scene.
[[nodiscard]] std::string text_of(const PositionFacts& positions, LengthUnit unit);

}  // namespace spira
