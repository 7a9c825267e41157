// Tests that the mesh contains exactly the faces without a neighbour, and that each face refers to its voxel.
#include "ui/view3d/voxels/voxel_mesh.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/session.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
    return voxelize_scene(*backend_, cloud, {{0.1, 0.2, 0.05}, {}}, PackSpec::bits32(), {5, 16}, job_);
  }
  Job job_;
  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
};

using Quads = std::set<std::pair<std::int64_t, std::size_t>>;  ///< Pairs of (row, side).

Quads open_sides(const CoordSet& level) {
  const auto voxels = all_voxels(level);
  const std::set<Voxel> all(voxels.begin(), voxels.end());
  Quads open;
  for (std::size_t row = 0; row < voxels.size(); ++row) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      Voxel next = voxels[row];
      for (std::size_t axis = 0; axis < 3; ++axis)
        next.at(axis) += sides.at(side).at(axis) * level.rule.stride()[axis];
      if (!all.contains(next)) open.emplace(static_cast<std::int64_t>(row), side);
    }
  }
  return open;
}

/// Returns the side of the voxel on which a quad lies. Also checks that the quad lies on this side and inside
/// the voxel.
std::size_t side_of(const VoxelScene& scene, const VoxelMesh& mesh, std::size_t quad) {
  const auto row = mesh.row_of_quad.at(quad);
  const Point centre = scene.centre_m(voxel_at(scene.level(mesh.stride), row), mesh.stride);
  const PerAxis step = scene.level(mesh.stride).rule.stride();
  std::array<double, 3> mean{};
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double from_centre = static_cast<double>(mesh.corners.at((quad * 12) + (corner * 3) + axis)) +
                                 mesh.origin.at(axis) - centre.at(axis);
      const double half = scene.grid.voxel_m.at(axis) * step[axis] / 2.0;
      EXPECT_LE(std::abs(from_centre), half * 1.001) << "the corner must be inside the voxel";
      EXPECT_GE(std::abs(from_centre), half * 0.9999)
          << "each corner of a face must be a corner of the voxel, otherwise a gap remains";
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
  EXPECT_EQ(found.size(), mesh.row_of_quad.size()) << "each face must be drawn once";
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

TEST_F(VoxelMeshTest, LevelsWithAnotherRuleHaveTheirOwnCells) {
  Random random(3);
  auto cloud = std::make_shared<PointCloud>();
  for (int at = 0; at < 300; ++at)
    cloud->positions.push_back(
        {random.uniform(-0.6, 0.6), random.uniform(10, 12), random.uniform(-0.3, 0.3)});
  const LevelRule flat = LevelRule().after(OutputRule::reached, 3, PerAxis(2, 2, 1), 1, {});
  PackNeeds needs(5, 16);
  needs.levels.add(flat);
  const auto made = voxelize_scene(*backend_, cloud, {{0.1, 0.2, 0.05}, {}}, PackSpec::bits64(), needs, job_,
                                   {1, 2, 4, {first_numbered_level, flat}});
  const int number = first_numbered_level;
  ASSERT_GT(size_of(made->level(number)), size_of(made->level(2)));
  expect_open_faces(*made, number);
  const VoxelMesh mesh = build_voxel_mesh(*made, number, {}, {});
  EXPECT_FLOAT_EQ(mesh.cell[0], 0.2F);
  EXPECT_FLOAT_EQ(mesh.cell[2], 0.05F);
  EXPECT_EQ(level_of_detail(mesh, *made, 20, {}).mesh->stride, number)
      << "no coarser level contains all voxels of this level";
  const std::int64_t row = size_of(made->level(number)) / 2;
  const Point centre = made->centre_m(voxel_at(made->level(number), row), number);
  EXPECT_EQ(pick_voxel(*made, number, {centre, {0.0, 0.0, 1.0}}), row);
  const ChosenRows one{made, number, {static_cast<std::int32_t>(row)}, {}};
  // All voxels of level 0 that are inside the selected voxel.
  std::vector<std::int32_t> inside;
  for (std::int64_t fine = 0; fine < size_of(made->level(1)); ++fine) {
    const Point at = made->centre_m(voxel_at(made->level(1), fine), 1);
    bool within = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      within = within && std::abs(at[axis] - centre[axis]) < 0.5 * static_cast<double>(mesh.cell.at(axis));
    if (within) inside.push_back(static_cast<std::int32_t>(fine));
  }
  EXPECT_EQ(rows_at(one, 1), inside);
  EXPECT_EQ(grown(one, {})->stride, number);
  EXPECT_GT(grown(one, {})->rows.size(), 1U);
}

TEST_F(VoxelMeshTest, RowsAtAnotherLevelOverlapTheSelectedRows) {
  Random random(4);
  auto cloud = std::make_shared<PointCloud>();
  for (int at = 0; at < 200; ++at)
    cloud->positions.push_back({random.uniform(0, 1), random.uniform(0, 2), random.uniform(0, 0.5)});
  const LevelRule wide(PerAxis(4, 1, 2)), tall(PerAxis(1, 4, 2));
  PackNeeds needs(3, 4);
  needs.levels.add(wide);
  needs.levels.add(tall);
  const auto made = voxelize_scene(*backend_, cloud, {{0.1, 0.2, 0.05}, {}}, PackSpec::bits64(), needs, job_,
                                   {1, {1000, wide}, {1001, tall}});
  const CoordSet &own = made->level(1000), &other = made->level(1001);
  const ChosenRows some{made, 1000, {0, 7, 20}, {}};
  std::vector<std::int32_t> expected;
  for (std::int64_t row = 0; row < size_of(other); ++row) {
    const Voxel v = voxel_at(other, row);
    const bool overlaps = std::any_of(some.rows.begin(), some.rows.end(), [&](std::int32_t chosen) {
      const Voxel c = voxel_at(own, chosen);
      return c[0] < v[0] + 1 && v[0] < c[0] + 4 && c[1] < v[1] + 4 && v[1] < c[1] + 1 && c[2] == v[2];
    });
    if (overlaps) expected.push_back(static_cast<std::int32_t>(row));
  }
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(rows_at(some, 1001), expected);
}

TEST_F(VoxelMeshTest, OneVoxelHasSixFacesAndANeighbourRemovesOneOfEach) {
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

TEST_F(VoxelMeshTest, LevelsOfDetailBetweenStridesAreEvenSelections) {
  Random random(5);
  std::vector<Point> points;
  for (int at = 0; at < 30'000; ++at)
    points.push_back({random.uniform(0, 40), random.uniform(0, 40), random.uniform(0, 1)});
  const auto all = scene(points);
  const VoxelMesh mesh = build_voxel_mesh(*all, 1, {}, {});
  EXPECT_EQ(mesh.moving.mesh, nullptr) << "a small mesh must be drawn completely";
  for (const std::int64_t most : {20'000, 14'000, 3'000, 100}) {
    const LevelOfDetail some = level_of_detail(mesh, *all, most, {});
    EXPECT_EQ(some.of_stride, size_of(all->level(some.mesh->stride)));
    EXPECT_LT(some.mesh->voxels, most + (most / 8) + 20) << most;
    EXPECT_GT(some.mesh->voxels, std::min<std::int64_t>(most / 2, size_of(all->level(16)) / 2)) << most;
    const auto one = std::find_if(some.of_row.begin(), some.of_row.end(), [](auto row) { return row >= 0; });
    ASSERT_NE(one, some.of_row.end());
    const auto row = one - some.of_row.begin();
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_LE(std::abs(mesh.centres.at((static_cast<std::size_t>(row) * 3) + axis) -
                         some.mesh->centres.at((static_cast<std::size_t>(*one) * 3) + axis)),
                some.mesh->cell.at(axis) / 2)
          << "a point must represent only voxels inside its cell";
  }
  EXPECT_EQ(level_of_detail(mesh, *all, 16'000, {}).mesh->stride, 1)
      << "half of the voxels must be preferred to stride 2";
  EXPECT_EQ(level_of_detail(mesh, *all, 100, {}).mesh->stride, 16);
}

TEST_F(VoxelMeshTest, PickingNearAPixelByCellsEqualsALinearSearch) {
  Random random(7);
  std::vector<Point> points;
  for (int at = 0; at < 40'000; ++at)
    points.push_back({random.uniform(-10, 10), random.uniform(-10, 10), random.uniform(0, 3)});
  VoxelMesh mesh = build_voxel_mesh(*scene(points), 1, {}, {});
  ASSERT_EQ(std::ssize(mesh.cells.rows), mesh.voxels);
  VoxelMesh plain = mesh;
  plain.cells = {};
  ViewPoint from;  // The view is along z, from 8 m above the origin of the mesh.
  from.eye = {0, 0, 8};
  from.pixels_per_radian = 700;
  from.to_clip = {7, 0, 0, 0, 0, 7, 0, 0, 0, 0, -1, 8, 0, 0, -1, 8};
  const Picture picture{200, 200};
  for (int at = 0; at < 60; ++at) {
    const std::array<double, 2> click{random.uniform(-20, 220), random.uniform(-20, 220)};
    const ScreenPick quick = pick_near(mesh, from, picture, click, 2.5, 10);
    const ScreenPick slow = pick_near(plain, from, picture, click, 2.5, 10);
    EXPECT_EQ(quick.row, slow.row) << click[0] << ' ' << click[1];
    if (slow.distance_px > 10) continue;
    EXPECT_EQ(quick.distance_px, slow.distance_px);
  }
}

TEST_F(VoxelMeshTest, ForcedCubesDrawNoVoxelOfThePictureAsAPoint) {
  Random random(9);
  std::vector<Point> points;
  for (int at = 0; at < 3'000; ++at)
    points.push_back({random.uniform(-10, 10), random.uniform(-10, 10), random.uniform(0, 3)});
  auto mesh = std::make_shared<VoxelMesh>(build_voxel_mesh(*scene(points), 1, {}, {}));
  ViewPoint from;  // The view is from so far away that no voxel covers three pixels.
  from.eye = {0, 0, 800};
  from.pixels_per_radian = 700;
  from.to_clip = {7, 0, 0, 0, 0, 7, 0, 0, 0, 0, -1, 800, 0, 0, -1, 800};
  const auto usual = build_view_detail(mesh, from, {});
  EXPECT_EQ(std::ssize(usual->row_of_point), mesh->voxels);
  EXPECT_TRUE(usual->row_of_quad.empty());
  from.min_cube = 0;
  const auto forced = build_view_detail(mesh, from, {});
  EXPECT_TRUE(forced->row_of_point.empty());
  EXPECT_EQ(std::set<std::int32_t>(forced->row_of_quad.begin(), forced->row_of_quad.end()).size(),
            static_cast<std::size_t>(mesh->visible));
}

}  // namespace
}  // namespace spira::ui
