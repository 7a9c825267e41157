#include "engine/survey/frame_neighbours.hpp"

#include "engine/run/session.hpp"

namespace spira {

std::int64_t FrameNeighbours::explicit_bytes() const noexcept {
  return facts.explicit_bytes(explicit_channels, bytes_of(Precision::fp16));
}

FrameNeighbours frame_neighbours(Backend& backend, const VoxelScene& scene, const MapKey& key, Job& job) {
  FrameNeighbours found;
  found.facts = neighbour_facts(scene, key, *map_of_scene(backend, scene, key, job));
  const MapKey voxels{key.kernel.size, key.stride_in, key.stride_out};
  found.voxel_pairs = densities(*map_of_scene(backend, scene, voxels, job)).pairs;
  found.positions = position_facts(scene);
  return found;
}

}  // namespace spira
