#include "engine/base/host_facts.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/voxel/grid.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace spira::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::int64_t counted(const PointCloud& cloud, const Grid& grid) {
  std::set<std::array<std::int64_t, 3>> voxels;
  for (const Point& p : cloud.positions) {
    if (grid.crop_m && !inside(*grid.crop_m, p)) continue;
    std::array<std::int64_t, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      at[axis] = static_cast<std::int64_t>(std::floor(p[axis] / grid.voxel_m[axis]));
    voxels.insert(at);
  }
  return static_cast<std::int64_t>(voxels.size());
}

TEST(VoxelEstimate, IsExactForFewAndCloseForMany) {
  Job job;
  Grid grid;
  grid.voxel_m = {0.1, 0.1, 0.1};
  const auto few = small_room(5000);
  EXPECT_EQ(estimate_voxels(*few, grid, job), counted(*few, grid));
  grid.crop_m = Bounds{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_EQ(estimate_voxels(*few, grid, job), counted(*few, grid));
  grid.crop_m.reset();
  const auto many = generate_scene("street", 150'000, 3, job);
  const auto exact = static_cast<double>(counted(*many, grid));
  EXPECT_NEAR(static_cast<double>(estimate_voxels(*many, grid, job)), exact, 0.1 * exact);
}

TEST(SceneMemory, IsRefusedWithTheNeededAndFreeMemoryAndARemedy) {
  Job job;
  Grid grid;
  grid.voxel_m = {0.02, 0.02, 0.02};
  const auto room = small_room(20'000);
  const SceneUse use{3, true};
  const std::uint64_t all = scene_bytes(room->size(), counted(*room, grid), use);
  EXPECT_NO_THROW(require_memory(*room, grid, use, all, job));
  try {
    require_memory(*room, grid, use, all / 3, job);
    FAIL() << "a third of the required memory must be refused";
  } catch (const NotEnoughMemory& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("voxels of "), HasSubstr(" points need"),
                                    HasSubstr(", but only "), HasSubstr("is free")));
    EXPECT_GE(error.every(), 3);
    EXPECT_LE(error.every(), 4);
  }
}

TEST(FreeMemory, IsTheMemoryOfTheSystemUpToTheLimit) {
  EXPECT_EQ(free_memory_bytes(1000), 1000U);
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  EXPECT_LT(free_memory_bytes(all), all) << "a limit must not increase the free memory";
}

TEST(SceneMemory, FewerVoxelsOfTheSamePointsTakeLess) {
  EXPECT_LT(scene_bytes(1000, 100, {3, true}), scene_bytes(1000, 1000, {3, true}));
  EXPECT_LT(scene_bytes(1000, 1000, {3, false}), scene_bytes(1000, 1000, {3, true}));
  EXPECT_LT(scene_bytes(1000, 1000, {3, true}), scene_bytes(1000, 1000, {5, true}));
  const std::uint64_t lists = (8 - 4) * 9 * 1000;  // More than the words of z-runs.
  EXPECT_LT(scene_bytes(1000, 1000, {3, true}) + lists, scene_bytes(1000, 1000, {3, true, true}));
}

}  // namespace
}  // namespace spira::test
