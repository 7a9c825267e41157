#include "engine/voxel/grid.hpp"

#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/voxel/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;

PointCloud cloud_of(std::vector<Point> points) {
  PointCloud cloud;
  cloud.positions = std::move(points);
  return cloud;
}

TEST(ParseGrid, OneOrThreeSizesInMetres) {
  EXPECT_EQ(parse_grid("0.05").voxel_m, (std::array<double, 3>{0.05, 0.05, 0.05}));
  EXPECT_EQ(parse_grid("0.05,0.1,0.2").voxel_m, (std::array<double, 3>{0.05, 0.1, 0.2}));
}

TEST(ParseGrid, AnythingElseIsAUsageErrorThatShowsTheText) {
  for (const char* text :
       {"", "0", "-0.1", "nan", "inf", "0.1,0.2", "0.1,0.1,0.1,0.1", "0.1m", "1,,1", "0.1,"}) {
    try {
      static_cast<void>(parse_grid(text));
      ADD_FAILURE() << "'" << text << "' must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("'" + std::string(text) + "'"));
    }
  }
}

TEST(MetreDecimals, DistinguishTenthsOfAVoxel) {
  EXPECT_EQ(metre_decimals(0.05), 3);
  EXPECT_EQ(metre_decimals(0.1), 2);
  EXPECT_EQ(metre_decimals(0.0004), 5);
  EXPECT_EQ(metre_decimals(20), 0);
  EXPECT_EQ(metre_decimals(1e-12), 6) << "there must be at most 6 decimals";
}

TEST(Crop, IsHalfOpenAndCountsWhatItKeeps) {
  const PointCloud cloud = cloud_of({{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {0, -0.1, 0}, {0, 0, 2}});
  Job job;
  EXPECT_EQ(count_inside(cloud, {{0, 0, 0}, {1, 1, 1}}, job), 2) << "the point at x = 1 must be outside";
  EXPECT_EQ(count_inside(cloud, {{0, 0, 0}, {0, 0, 0}}, job), 0);
  EXPECT_EQ(count_inside(cloud, {{-1, -1, -1}, {3, 3, 3}}, job), 5);
}

TEST(Crop, TheBoxOfWholeVoxelsKeepsEveryPointWhateverTheVoxelSize) {
  Random random(5);
  for (int turn = 0; turn < 2000; ++turn) {
    const double size = random.uniform(0.001, 3.0);
    const Grid grid{{size, size, size}, {}};
    std::vector<Point> points;
    for (int at = 0; at < 4; ++at) {
      // This coordinate is on a voxel boundary.
      const double whole = std::floor(random.uniform(-500.0, 500.0)) * size;
      points.push_back({whole, random.uniform(-50.0, 50.0), whole + size});
    }
    const PointCloud cloud = cloud_of(points);
    const Bounds box = on_whole_voxels(bounds(cloud), grid);
    Job job;
    ASSERT_EQ(count_inside(cloud, box, job), 4) << "voxels of " << size << " m, attempt " << turn;
    for (std::size_t axis = 0; axis < 3; ++axis)
      ASSERT_LE(box.high[axis] - box.low[axis],
                bounds(cloud).high[axis] - bounds(cloud).low[axis] + (3 * size));
  }
}

TEST(VoxelRange, FloorsTowardsMinusInfinityByDivision) {
  Job job;
  const auto range =
      voxel_range(cloud_of({{-0.01, 0.3, 0.0}, {0.25, -1.0, 0.0}}), {{0.1, 0.1, 0.1}, {}}, job);
  EXPECT_EQ(range.low, (std::array<std::int64_t, 3>{-1, -10, 0}));
  EXPECT_EQ(range.high[0], 2);
  EXPECT_EQ(range.high[1], 2)
      << "the coordinate must be divided: 0.3 / 0.1 is slightly below 3, but 0.3 * 10 is 3";
  EXPECT_EQ(range.points, 2);
}

TEST(VoxelRange, Trap2TheShiftIsAMultipleOfTheCoarsestStride) {
  VoxelRange range;
  range.low = {-17, 5, -16};
  range.high = {3, 40, -1};
  EXPECT_EQ(range.shift(16), (std::array<std::int64_t, 3>{-32, 0, -16}));
  EXPECT_EQ(range.extent(16), (std::array<std::int64_t, 3>{36, 41, 16}))
      << "the extent must be counted from the shifted zero";
  EXPECT_EQ(range.span(), (std::array<std::int64_t, 3>{21, 36, 16}))
      << "the span must be counted from the minimum of the scene";
  EXPECT_EQ(range.shift(1), range.low);
}

TEST(VoxelRange, ACropIsHalfOpenAndAnEmptyRangeHasNoPoints) {
  Job job;
  const Grid grid{{1.0, 1.0, 1.0}, Bounds{{0, 0, 0}, {2, 2, 2}}};
  const auto range = voxel_range(cloud_of({{0, 0, 0}, {2, 0, 0}, {1.9, 1.9, 1.9}}), grid, job);
  EXPECT_EQ(range.points, 2);
  EXPECT_EQ(range.high, (std::array<std::int64_t, 3>{1, 1, 1}));
  EXPECT_EQ(voxel_range(cloud_of({}), grid, job).points, 0);
  EXPECT_EQ(voxel_range(cloud_of({}), grid, job).extent(16), (std::array<std::int64_t, 3>{0, 0, 0}));
}

TEST(VoxelRange, CoordinatesBeyond64BitsAreAnErrorThatNamesTheAxis) {
  Job job;
  try {
    static_cast<void>(voxel_range(cloud_of({{0, 1e30, 0}}), {{0.1, 0.1, 0.1}, {}}, job));
    ADD_FAILURE() << "the coordinate must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
    EXPECT_THAT(error.what(), HasSubstr("axis y"));
  }
}

TEST(SuggestGrid, FitsTheDefaultPackingAndIsOneTwoOrFiveTimesAPowerOfTen) {
  Random random(3);
  for (const double size_m : {0.03, 3.0, 150.0, 4000.0}) {
    PointCloud cloud;
    for (int at = 0; at < 20000; ++at) {
      cloud.positions.push_back(
          {random.uniform(0.0, size_m), random.uniform(0.0, size_m), random.uniform(0.0, size_m * 0.05)});
    }
    const Grid grid = suggest_grid(cloud);
    Job job;
    EXPECT_TRUE(fit(voxel_range(cloud, grid, job).extent(16), PackSpec::bits32(), {5, 16}).fits()) << size_m;
    const double mantissa = grid.voxel_m[0] / std::pow(10.0, std::floor(std::log10(grid.voxel_m[0]) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
                std::abs(mantissa - 5) < 1e-6)
        << grid.voxel_m[0];
    EXPECT_GT(size_m / grid.voxel_m[0], 50.0);
  }
}

TEST(SuggestGrid, TheSurfaceOfASmallObjectIsCloserThanItsPointsAreApart) {
  Random random(5);
  // The points resemble a scanned object in millimetres: 35,000 points on a surface of 290,000
  // square millimetres.
  PointCloud ball;
  while (ball.size() < 35'000) {
    const Point p{random.normal(), random.normal(), random.normal()};
    const double length = std::sqrt((p[0] * p[0]) + (p[1] * p[1]) + (p[2] * p[2]));
    ball.positions.push_back({152 * p[0] / length, 152 * p[1] / length, 120 * p[2] / length});
  }
  EXPECT_EQ(suggest_grid(ball).voxel_m[0], 2.0)
      << "at 0.5 no voxel would have a neighbour, so 2 must be suggested";
}

TEST(SuggestGrid, CloudsWithoutExtentGetTheDefault) {
  EXPECT_EQ(suggest_grid(cloud_of({})).voxel_m, Grid{}.voxel_m);
  EXPECT_EQ(suggest_grid(cloud_of({{1, 2, 3}})).voxel_m, Grid{}.voxel_m);
}

}  // namespace
}  // namespace spira
