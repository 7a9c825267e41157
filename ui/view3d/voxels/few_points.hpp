// A subset of the points of a mesh, for machines that cannot draw all points while the camera moves.
#pragma once

#include "engine/base/random.hpp"
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include <cstdint>
#include <vector>

namespace spira::ui {

/// A quarter of the points, for machines on which drawing all points takes too long. The selection is random,
/// because consecutive rows are neighbours in space and every fourth row would draw stripes.
struct FewPoints {
  std::vector<std::int32_t> rows;
  std::vector<float> centres;

  void choose(const VoxelMesh& mesh) {
    constexpr std::uint64_t one_of = 4;
    rows.clear();
    centres.clear();
    for (std::size_t row = 0; row < static_cast<std::size_t>(mesh.voxels); ++row) {
      if (mesh.hides(row) || (Random(row).bits() >> 32U) % one_of != 0) continue;
      rows.push_back(static_cast<std::int32_t>(row));
      centres.insert(centres.end(), mesh.centres.begin() + static_cast<std::ptrdiff_t>(3 * row),
                     mesh.centres.begin() + static_cast<std::ptrdiff_t>((3 * row) + 3));
    }
  }
};

}  // namespace spira::ui
