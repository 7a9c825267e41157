// Tests native_row() with points whose inputs are known, and against the maps of both neighbourhoods. Also
// tests points_of_voxels().
#include "engine/run/native_row.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/map/map_view.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace spira {
namespace {

using Change = NativeInput::Change;

Network native_network(NeighbourShape shape, int cell = 1) {
  Network network = test::little_unet();
  set_neighbourhood(network, {shape, cell, 0});
  return network;
}

/// A native session with a scene, and the maps of this scene.
struct NativeScene {
  explicit NativeScene(NeighbourShape shape, const std::shared_ptr<const PointCloud>& cloud, const Grid& grid,
                       int cell = 1)
      : small(native_network(shape, cell)) {
    Job job;
    scene = small.session.load(cloud, grid, PackSpec::bits32(), Precision::fp32, job);
  }
  [[nodiscard]] std::shared_ptr<const KernelMap> map(const KernelShape& kernel, int in, int out) {
    Job job;
    return map_of_scene(*small.backend, *scene, {kernel, in, out}, job);
  }
  [[nodiscard]] KernelShape kernel() const { return small.network->layers[0].kernel(); }

  test::SmallSession small;
  std::shared_ptr<const VoxelScene> scene;
};

std::shared_ptr<const PointCloud> cloud_of(std::vector<Point> positions) {
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = "points";
  cloud->positions = std::move(positions);
  return cloud;
}

/// Returns the only input whose position is this point, or an input without a row.
NativeInput input_at(const NativeRow& row, const Point& position) {
  for (const NativeInput& input : row.inputs) {
    bool here = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      here = here && std::abs(input.position_m[axis] - position[axis]) < 1e-4;
    if (here) return input;
  }
  return {};
}

class KnownPoints : public testing::Test {
 protected:
  const Point output{0.9, 0.5, 0.5}, merged{0.1, 0.1, 0.1}, near{1.1, 0.5, 0.5}, same{0.9, 1.5, 0.5},
      folded{-0.95, 0.5, 0.5}, added{2.05, 0.5, 0.5}, lost{-0.95, -0.95, 0.5};
  NativeScene native{NeighbourShape::ball, cloud_of({merged, output, near, same, folded, added, lost}),
                     Grid{{1, 1, 1}, {}}};

  [[nodiscard]] std::int32_t row_of_point(std::size_t point) const {
    return native.scene->voxel_of_point[point];
  }
  [[nodiscard]] NativeRow row() {
    return native_row(*native.scene, *native.map(native.kernel(), 1, 1), 1, 1, row_of_point(1));
  }
};

TEST_F(KnownPoints, InputsAreComparedWithTheVoxels) {
  const NativeRow shown = row();
  const auto check = [&](const Point& at, Change change, int column, int voxel_column, bool is_folded) {
    const NativeInput input = input_at(shown, at);
    ASSERT_GE(input.row, 0) << at[0] << ", " << at[1];
    EXPECT_EQ(input.change(), change) << at[0] << ", " << at[1];
    EXPECT_EQ(input.column, column) << at[0] << ", " << at[1];
    EXPECT_EQ(input.voxel_column, voxel_column) << at[0] << ", " << at[1];
    EXPECT_EQ(input.folded, is_folded) << at[0] << ", " << at[1];
  };
  check(output, Change::same_column, 13, 13, false);
  check(near, Change::other_column, 13, 22, false);
  check(same, Change::same_column, 16, 16, false);
  check(folded, Change::same_column, 4, 4, true);
  check(added, Change::added, 22, -1, false);
  check(lost, Change::lost, -1, 1, false);
  EXPECT_EQ(shown.inputs.size(), 6U);
}

TEST_F(KnownPoints, LengthsAreInMetres) {
  const NativeRow shown = row();
  EXPECT_EQ(shown.kernel_size, 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(shown.position_m[axis], output[axis], 1.0 / position_one);
    EXPECT_DOUBLE_EQ(shown.voxel_centre_m[axis], 0.5);
    EXPECT_DOUBLE_EQ(shown.voxel_cell_m[axis], 1);
    EXPECT_DOUBLE_EQ(shown.cell_m[axis], 1);
    EXPECT_NEAR(shown.ball_m.value()[axis], 1.861, 0.001);
  }
}

TEST(NativeRowTest, StridesAndCellsScaleTheLocalCells) {
  NativeScene native(NeighbourShape::cube, test::small_room(), Grid{{0.1, 0.2, 0.1}, {}}, 2);
  const NativeRow shown = native_row(*native.scene, *native.map(native.kernel(), 2, 2), 2, 2, 0);
  EXPECT_NEAR(shown.voxel_cell_m[0], 0.2, 1e-12);
  EXPECT_NEAR(shown.voxel_cell_m[1], 0.4, 1e-12);
  EXPECT_NEAR(shown.cell_m[1], 0.8, 1e-12);
  EXPECT_FALSE(shown.ball_m);
}

TEST(NativeRowTest, InputsAreThoseOfTheNativeMapAndOfTheMapOfVoxels) {
  using enum NeighbourShape;
  for (const auto& [shape, cell] : {std::pair{cube, 1}, {ball, 1}, {cube, 3}, {ball, 3}}) {
    NativeScene native(shape, test::small_room(), test::small_grid, cell);
    for (const int out : {1, 2}) {
      const auto map = native.map(native.kernel(), 1, out);
      const auto voxels = native.map(KernelShape(3), 1, out);
      std::set<std::tuple<std::int32_t, int, std::int32_t>> wanted, found;
      for_each_pair(*map, [&](std::int32_t output, int column, std::int32_t input) {
        wanted.emplace(output, column, input);
      });
      std::set<Change> changes;
      for (std::int32_t output = 0; output < map->outputs; ++output) {
        const NativeRow shown = native_row(*native.scene, *map, 1, out, output);
        std::vector<std::int32_t> of_voxels(27, -1);
        for (const NativeInput& input : shown.inputs) {
          changes.insert(input.change());
          if (input.column >= 0) found.emplace(output, input.column, input.row);
          if (input.voxel_column >= 0) of_voxels[static_cast<std::size_t>(input.voxel_column)] = input.row;
        }
        ASSERT_EQ(of_voxels, row_of(*voxels, output))
            << text_of(shape) << ", cell " << cell << ", stride " << out;
      }
      EXPECT_EQ(found, wanted) << text_of(shape) << ", cell " << cell << ", stride " << out;
      // The neighbourhood with cells of 3 contains all inputs of voxels, so none is lost.
      EXPECT_EQ(changes.size(), cell == 1 ? 4U : 3U) << "the scene must contain every kind of change";
    }
  }
}

TEST(NativeRowTest, PositionsOnTheGridChangeNoInput) {
  Grid grid = test::small_grid;
  grid.positions = PositionKind::grid;
  NativeScene native(NeighbourShape::cube, test::small_room(), grid);
  const auto map = native.map(native.kernel(), 1, 1);
  for (std::int32_t output = 0; output < map->outputs; ++output) {
    for (const NativeInput& input : native_row(*native.scene, *map, 1, 1, output).inputs)
      ASSERT_EQ(input.change(), Change::same_column) << "output " << output;
  }
}

TEST(PointsOfVoxels, EveryVoxelHasOneKeptPointWithThePositionOfItsRow) {
  NativeScene native(NeighbourShape::ball, test::small_room(), test::small_grid);
  for (const int stride : {1, 2}) {
    const auto rows = static_cast<std::size_t>(size_of(native.scene->level(stride)));
    const auto points = points_of_voxels(*native.scene, stride, std::vector<bool>(rows, true));
    std::vector<std::int32_t> in_voxel(rows, 0), kept(rows, 0);
    for (const VoxelPoint& point : points) {
      ++in_voxel[static_cast<std::size_t>(point.row)];
      if (!point.kept) continue;
      ++kept[static_cast<std::size_t>(point.row)];
      const Point position = position_m(*native.scene, stride, point.row);
      const Point& original = native.scene->cloud->positions[static_cast<std::size_t>(point.point)];
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(position[axis], original[axis], 0.1 / position_one);
    }
    EXPECT_EQ(in_voxel, points_in_voxels(*native.scene, stride));
    EXPECT_THAT(kept, testing::Each(1));
  }
}

TEST(PointsOfVoxels, PointsOfOtherVoxelsAreOmitted) {
  NativeScene native(NeighbourShape::ball, test::small_room(), test::small_grid);
  std::vector<bool> wanted(static_cast<std::size_t>(size_of(native.scene->level(1))), false);
  wanted[3] = true;
  const auto points = points_of_voxels(*native.scene, 1, wanted);
  EXPECT_EQ(std::ssize(points), native.scene->points_per_voxel[3]);
  for (const VoxelPoint& point : points)
    EXPECT_EQ(point.row, 3);
}

}  // namespace
}  // namespace spira
