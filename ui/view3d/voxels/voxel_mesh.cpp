#include "ui/view3d/voxels/voxel_mesh.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

// Number of quads that software OpenGL draws in about 30 ms, which is the time of a frame while the camera
// moves (docs/performance.md).
constexpr std::int64_t max_quads = 80'000;

struct Face {
  Voxel normal;
  std::array<std::array<float, 3>, 4> corner;  // Corners of the face in a unit cell.
};

constexpr std::array<Face, 6> faces{{
    {{-1, 0, 0}, {{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}}},
    {{1, 0, 0}, {{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}}}},
    {{0, -1, 0}, {{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}}},
    {{0, 1, 0}, {{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}}}},
    {{0, 0, -1}, {{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}}},
    {{0, 0, 1}, {{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}},
}};

/// Returns one flag per row. The flag is true if the row has no visible neighbour in the direction of the
/// face. The keys of the rows and of their neighbours are both in ascending order, so one pass over the two
/// lists is sufficient.
std::vector<bool> open_faces(const CoordSet& level, const Voxel& normal, const VoxelMesh& mesh) {
  const std::int64_t count = size_of(level);
  const PerAxis step = level.rule.stride();
  const auto& pack = level.pack;
  const std::int64_t delta =
      (std::int64_t{normal[0]} * step[0] * (std::int64_t{1} << (pack.y_bits + pack.z_bits))) +
      (std::int64_t{normal[1]} * step[1] * (std::int64_t{1} << pack.z_bits)) +
      (std::int64_t{normal[2]} * step[2]);
  std::vector<bool> open(static_cast<std::size_t>(count), true);
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto wanted = static_cast<std::int64_t>(key_at(level, row)) + delta;
    while (at < count && static_cast<std::int64_t>(key_at(level, at)) < wanted)
      ++at;
    const bool there = at < count && static_cast<std::int64_t>(key_at(level, at)) == wanted;
    if (there && !mesh.hides(static_cast<std::size_t>(at))) open[static_cast<std::size_t>(row)] = false;
  }
  return open;
}

void add_centres(VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop) {
  const CoordSet& level = scene.level(mesh.stride);
  mesh.centres.reserve(static_cast<std::size_t>(mesh.voxels) * 3);
  for (std::int64_t row = 0; row < mesh.voxels; ++row) {
    if (row % 65'536 == 0 && stop.stop_requested()) return;
    const Point centre = scene.centre_m(voxel_at(level, row), mesh.stride);
    for (std::size_t axis = 0; axis < 3; ++axis)
      mesh.centres.push_back(static_cast<float>(centre[axis] - mesh.origin[axis]));
  }
}

void add_faces(VoxelMesh& mesh, const VoxelScene& scene, const std::stop_token& stop) {
  const CoordSet& level = scene.level(mesh.stride);
  mesh.open.assign(static_cast<std::size_t>(mesh.voxels), 0);
  std::int64_t quads = 0;
  for (std::size_t face = 0; face < faces.size(); ++face) {
    if (stop.stop_requested()) return;
    const std::vector<bool> open = open_faces(level, faces[face].normal, mesh);
    for (std::size_t row = 0; row < open.size(); ++row) {
      const bool drawn = open[row] && !mesh.hides(row);
      mesh.open[row] = static_cast<std::uint8_t>(mesh.open[row] | (drawn ? 1U << face : 0U));
      quads += drawn ? 1 : 0;
    }
  }
  if (quads > max_quads) return;
  mesh.corners.reserve(static_cast<std::size_t>(quads) * 12);
  mesh.row_of_quad.reserve(static_cast<std::size_t>(quads));
  for (std::size_t row = 0; row < mesh.open.size(); ++row) {
    for (std::size_t face = 0; face < faces.size(); ++face) {
      if (((mesh.open[row] >> face) & 1U) == 0) continue;
      append_face(mesh, row, face, mesh.corners);
      mesh.row_of_quad.push_back(static_cast<std::int32_t>(row));
    }
  }
}

VoxelMesh mesh_of_level(const VoxelScene& scene, int stride, std::vector<bool> hidden,
                        const std::stop_token& stop) {
  VoxelMesh mesh;
  mesh.hidden = std::move(hidden);
  mesh.stride = stride;
  mesh.voxels = size_of(scene.level(stride));
  mesh.visible = mesh.voxels - std::count(mesh.hidden.begin(), mesh.hidden.end(), true);
  mesh.origin = scene.origin;
  const PerAxis step = scene.level(stride).rule.stride();
  for (std::size_t axis = 0; axis < 3; ++axis)
    mesh.cell[axis] = static_cast<float>(scene.grid.voxel_m[axis] * step[axis]);
  add_centres(mesh, scene, stop);
  mesh.box = box_around(mesh.centres, mesh.cell);
  add_faces(mesh, scene, stop);
  return mesh;
}

}  // namespace

std::array<double, 6> box_around(const std::vector<float>& centres, const std::array<float, 3>& cell) {
  std::array<double, 6> box{};
  if (centres.empty()) return box;
  std::array<float, 3> low{centres[0], centres[1], centres[2]}, high = low;
  for (std::size_t at = 0; at < centres.size(); at += 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], centres[at + axis]);
      high[axis] = std::max(high[axis], centres[at + axis]);
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double half = 0.5 * static_cast<double>(cell[axis]);
    box[2 * axis] = static_cast<double>(low[axis]) - half;
    box[(2 * axis) + 1] = static_cast<double>(high[axis]) + half;
  }
  return box;
}

void append_face(const VoxelMesh& mesh, std::size_t row, std::size_t face, std::vector<float>& corners) {
  // Scale factor of the cells. It closes gaps between adjacent cells that rounding would leave.
  constexpr float closed = 1.0008F;
  for (const auto& corner : faces.at(face).corner) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      corners.push_back(mesh.centres[(row * 3) + axis] + ((corner[axis] - 0.5F) * mesh.cell[axis] * closed));
  }
}

VoxelMesh build_voxel_mesh(const VoxelScene& scene, int stride, std::vector<bool> hidden,
                           const std::stop_token& stop) {
  VoxelMesh mesh = mesh_of_level(scene, stride, std::move(hidden), stop);
  add_levels_of_detail(mesh, scene, stop);
  return stop.stop_requested() ? VoxelMesh{} : mesh;
}

}  // namespace spira::ui
