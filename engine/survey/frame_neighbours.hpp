// Defines FrameNeighbours, the neighbours that a native layer finds in one scene, compared with voxels.
#pragma once

#include "engine/job/job.hpp"
#include "engine/network/network.hpp"
#include "engine/run/neighbour_facts.hpp"

#include <cstdint>

namespace spira {

class Backend;

/// The number of fp16 channels for which explicit neighbourhoods are counted.
constexpr int explicit_channels = 64;

struct FrameNeighbours {
  NeighbourFacts facts;
  std::int64_t voxel_pairs = 0;  ///< Pairs of the voxel convolution with the same kernel size.
  PositionFacts positions;

  [[nodiscard]] double per_output() const noexcept { return ratio(facts.counts.triplets, facts.outputs); }
  /// The share of the voxel pairs that are triplets, in any column or in the same column.
  [[nodiscard]] double stay() const noexcept { return ratio(facts.counts.in_voxel_map, voxel_pairs); }
  [[nodiscard]] double same_column() const noexcept { return ratio(facts.counts.same_column, voxel_pairs); }
  /// The share of the triplets that are not pairs of the voxel convolution.
  [[nodiscard]] double added() const noexcept {
    return ratio(facts.counts.triplets - facts.counts.in_voxel_map, facts.counts.triplets);
  }
  /// Size of explicit neighbourhoods in bytes.
  [[nodiscard]] std::int64_t explicit_bytes() const noexcept;
  [[nodiscard]] static double ratio(std::int64_t part, std::int64_t all) noexcept {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
};
/// Counts the neighbours in the map of `key`. `key.kernel` must be native, and the scene must have its levels
/// and positions.
[[nodiscard]] FrameNeighbours frame_neighbours(Backend& backend, const VoxelScene& scene, const MapKey& key,
                                               Job& job);

}  // namespace spira
