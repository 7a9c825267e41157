// The faces that are drawn are those without a neighbour, and each belongs to its voxel.
#include "ui/view3d/voxel_mesh.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace spira::ui {
namespace {

constexpr std::array<Voxel, 6> sides{{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};

class VoxelMeshTest : public testing::Test {
 protected:
  std::shared_ptr<const VoxelScene> scene(const std::vector<Point>& positions) {
    auto cloud = std::make_shared<PointCloud>();
    cloud->positions = positions;
    return voxelize_scene(*backend_, cloud, {{0.1, 0.2, 0.05}, {}}, PackSpec::bits32(), 5, 16, job_);
  }
  Job job_;
  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
};

using Quads = std::set<std::pair<std::int64_t, std::size_t>>;  ///< (row, side)

Quads open_sides(const CoordSet& level) {
  const auto voxels = all_voxels(level);
  const std::set<Voxel> all(voxels.begin(), voxels.end());
  Quads open;
  for (std::size_t row = 0; row < voxels.size(); ++row) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      Voxel next = voxels[row];
      for (std::size_t axis = 0; axis < 3; ++axis)
        next.at(axis) += sides.at(side).at(axis) * level.stride;
      if (!all.contains(next)) open.emplace(static_cast<std::int64_t>(row), side);
    }
  }
  return open;
}

/// Which side of its voxel a quad is; checks that it lies on it, inside the voxel.
std::size_t side_of(const VoxelScene& scene, const VoxelMesh& mesh, std::size_t quad) {
  const auto row = mesh.row_of_quad.at(quad);
  const Point centre = scene.centre_m(voxel_at(scene.level(mesh.stride), row), mesh.stride);
  std::array<double, 3> mean{};
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double from_centre = static_cast<double>(mesh.corners.at((quad * 12) + (corner * 3) + axis)) +
                                 mesh.origin.at(axis) - centre.at(axis);
      const double half = scene.grid.voxel_m.at(axis) * mesh.stride / 2.0;
      EXPECT_LE(std::abs(from_centre), half * 1.001) << "outside its voxel";
      EXPECT_GE(std::abs(from_centre), half * 0.9) << "not a corner";
      mean.at(axis) += from_centre / half / 4.0;
    }
  }
  for (std::size_t side = 0; side < sides.size(); ++side) {
    double along = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      along += mean.at(axis) * sides.at(side).at(axis);
    if (along > 0.5) return side;
  }
  return sides.size();
}

void expect_open_faces(const VoxelScene& scene, int stride) {
  const VoxelMesh mesh = build_voxel_mesh(scene, stride, {}, {});
  ASSERT_EQ(mesh.voxels, size_of(scene.level(stride)));
  ASSERT_EQ(mesh.corners.size(), mesh.row_of_quad.size() * 12);
  Quads found;
  for (std::size_t quad = 0; quad < mesh.row_of_quad.size(); ++quad)
    found.emplace(mesh.row_of_quad[quad], side_of(scene, mesh, quad));
  EXPECT_EQ(found.size(), mesh.row_of_quad.size()) << "a face was drawn twice";
  EXPECT_EQ(found, open_sides(scene.level(stride))) << "stride " << stride;
}

TEST_F(VoxelMeshTest, HasTheFacesWithoutANeighbourAndNoOthers) {
  Random random(1);
  std::vector<Point> positions;
  for (int at = 0; at < 900; ++at)
    positions.push_back({random.uniform(-0.6, 0.6), random.uniform(10, 12), random.uniform(-0.3, 0.3)});
  const auto made = scene(positions);
  for (const int stride : {1, 2, 4, 16})
    expect_open_faces(*made, stride);
}

TEST_F(VoxelMeshTest, OneVoxelHasSixFacesAndANeighbourTakesOneOfEach) {
  const auto one = scene({{0.05, 0.1, 0.01}});
  EXPECT_EQ(build_voxel_mesh(*one, 1, {}, {}).row_of_quad.size(), 6U);
  expect_open_faces(*one, 1);
  const auto two = scene({{0.05, 0.1, 0.01}, {0.15, 0.1, 0.01}});
  EXPECT_EQ(build_voxel_mesh(*two, 1, {}, {}).row_of_quad.size(), 10U);
}

TEST_F(VoxelMeshTest, IsEmptyForNoVoxelsAndWhenStopped) {
  VoxelScene none = *scene({{0.05, 0.1, 0.01}});
  auto empty = std::make_shared<CoordSet>();
  empty->stride = 1;
  empty->size = 0;
  empty->keys = Buffer(make_host_pool(), 0);
  none.levels = {empty};
  const VoxelMesh mesh = build_voxel_mesh(none, 1, {}, {});
  EXPECT_EQ(mesh.voxels, 0);
  EXPECT_FALSE(mesh.has_faces());
  std::stop_source stop;
  stop.request_stop();
  const VoxelMesh stopped = build_voxel_mesh(*scene({{0.05, 0.1, 0.01}}), 1, {}, stop.get_token());
  EXPECT_FALSE(stopped.has_faces());
  EXPECT_TRUE(stopped.centres.empty());
}

}  // namespace
}  // namespace spira::ui
