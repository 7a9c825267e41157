#include "ui/view3d/voxel_mesh.hpp"

#include "engine/backend/host_read.hpp"

#include <array>

namespace spira::ui {
namespace {

constexpr std::int64_t most_quads =
    900'000;  // software GL draws that many in about half a second, when still

struct Face {
  Voxel normal;
  std::array<std::array<float, 3>, 4> corner;  // of a unit cell
};

constexpr std::array<Face, 6> faces{{
    {{-1, 0, 0}, {{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}}},
    {{1, 0, 0}, {{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}}}},
    {{0, -1, 0}, {{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}}},
    {{0, 1, 0}, {{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}}}},
    {{0, 0, -1}, {{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}}},
    {{0, 0, 1}, {{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}},
}};

/// For one face direction: which rows have no neighbour there. The keys ascend, and so do the keys of the
/// neighbours, so one walk along both answers all rows.
std::vector<bool> open_faces(const CoordSet& level, const Voxel& normal) {
  const std::int64_t count = size_of(level);
  const std::int64_t step = level.stride;
  const auto& pack = level.pack;
  const std::int64_t delta = (normal[0] * step * (std::int64_t{1} << (pack.y_bits + pack.z_bits))) +
                             (normal[1] * step * (std::int64_t{1} << pack.z_bits)) + (normal[2] * step);
  std::vector<bool> open(static_cast<std::size_t>(count), true);
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto wanted = static_cast<std::int64_t>(key_at(level, row)) + delta;
    while (at < count && static_cast<std::int64_t>(key_at(level, at)) < wanted)
      ++at;
    if (at < count && static_cast<std::int64_t>(key_at(level, at)) == wanted)
      open[static_cast<std::size_t>(row)] = false;
  }
  return open;
}

}  // namespace

VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, const std::stop_token& stop) {
  const CoordSet& level = scene.level(stride);
  VoxelMesh mesh;
  mesh.stride = stride;
  mesh.voxels = size_of(level);
  mesh.origin = display_origin(*scene.cloud);
  mesh.centres.reserve(static_cast<std::size_t>(mesh.voxels) * 3);
  for (std::int64_t row = 0; row < mesh.voxels; ++row) {
    if (row % 65'536 == 0 && stop.stop_requested()) return {};
    const Point centre = scene.centre_m(voxel_at(level, row), stride);
    for (std::size_t axis = 0; axis < 3; ++axis)
      mesh.centres.push_back(static_cast<float>(centre[axis] - mesh.origin[axis]));
  }
  std::array<std::vector<bool>, 6> open;
  std::int64_t quads = 0;
  for (std::size_t face = 0; face < faces.size(); ++face) {
    if (stop.stop_requested()) return {};
    open[face] = open_faces(level, faces[face].normal);
    for (const bool is_open : open[face])
      quads += is_open ? 1 : 0;
  }
  if (quads > most_quads) return mesh;
  mesh.corners.reserve(static_cast<std::size_t>(quads) * 12);
  mesh.row_of_quad.reserve(static_cast<std::size_t>(quads));
  constexpr float shrink = 0.96F;  // a gap between cells, so that each can be told from the next
  std::array<float, 3> size{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    size[axis] = static_cast<float>(scene.grid.voxel_m[axis] * stride) * shrink;
  for (std::size_t face = 0; face < faces.size(); ++face) {
    if (stop.stop_requested()) return {};
    for (std::int64_t row = 0; row < mesh.voxels; ++row) {
      if (!open[face][static_cast<std::size_t>(row)]) continue;
      for (const auto& corner : faces[face].corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          mesh.corners.push_back(mesh.centres[(static_cast<std::size_t>(row) * 3) + axis] +
                                 ((corner[axis] - 0.5F) * size[axis]));
        }
      }
      mesh.row_of_quad.push_back(static_cast<std::int32_t>(row));
    }
  }
  return mesh;
}

}  // namespace spira::ui
