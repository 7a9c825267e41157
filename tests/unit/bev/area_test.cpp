// Tests the area of a bird's-eye view: its limits, its size and the cells of its points.
#include "engine/bev/area.hpp"

#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace spira {
namespace {

using test::cloud_of;
using test::error_of;
using testing::HasSubstr;

Bounds crop(double x0, double y0, double x1, double y1) {
  return {{x0, y0, -3}, {x1, y1, 1}};
}

TEST(Area, LimitsThatAreWholeCellsAreNotRounded) {
  // None of these quotients is a whole number in floating point.
  const Area area = area_of({}, {.crop_m = crop(-70.4, -40, 70.4, 40)});
  EXPECT_EQ(area.first, (std::array<std::int64_t, 2>{-704, -400}));
  EXPECT_EQ(area.cells, (std::array<std::int64_t, 2>{1408, 800}));
  EXPECT_EQ(text_of(area), "1,408 x 800 cells of 0.1 m, x -70.4 to 70.4, y -40 to 40 m");
  EXPECT_EQ(enlargement_note({}, {.crop_m = crop(-70.4, -40, 70.4, 40)}), "");
  const Area front = area_of({}, {.crop_m = crop(0, -40, 70.4, 40)});
  EXPECT_EQ(text_of(front), "704 x 800 cells of 0.1 m, x 0 to 70.4, y -40 to 40 m");
  for (int cells = 1; cells < 5'000; ++cells) {
    const double limit = cells * 0.1;
    const Area one = area_of({}, {.crop_m = crop(-limit, 0, limit, 1), .coarsest_stride = 1});
    ASSERT_EQ(one.first[0], -cells);
    ASSERT_EQ(one.cells[0], 2 * cells);
  }
}

TEST(Area, OtherLimitsAreRoundedOutwards) {
  const Area area = area_of({}, {.crop_m = crop(-0.05, 0.01, 0.05, 0.99), .coarsest_stride = 1});
  EXPECT_EQ(area.first, (std::array<std::int64_t, 2>{-1, 0}));
  EXPECT_EQ(area.cells, (std::array<std::int64_t, 2>{2, 10}));
}

TEST(Area, SizesBecomeMultiplesOfTheCoarsestStride) {
  for (const int stride : {1, 2, 8, 16, 64}) {
    const AreaRequest request{.crop_m = crop(-1, -1, 9.1, 0.5), .coarsest_stride = stride};
    const Area area = area_of({}, request);
    EXPECT_EQ(area.cells[0] % stride, 0);
    EXPECT_EQ(area.cells[1] % stride, 0);
    EXPECT_LT(area.cells[0] - 101, stride);
    EXPECT_LT(area.cells[1] - 15, stride);
    EXPECT_EQ(area.first, (std::array<std::int64_t, 2>{-10, -10}));
    EXPECT_EQ(enlargement_note({}, request).empty(), stride == 1);
  }
  EXPECT_EQ(enlargement_note({}, {.crop_m = crop(-1, -1, 9.1, 0.5)}),
            "enlarged from 101 x 15 to 112 x 16 cells, multiples of the stride 16");
}

TEST(Area, RowsAreRowMajorAtEveryStride) {
  const Area area = area_of({}, {.crop_m = crop(0, -40, 70.4, 40)});
  EXPECT_EQ(area.size(), 704 * 800);
  EXPECT_EQ(area.size(16), 44 * 50);
  EXPECT_EQ(area.rows(2), 352);
  EXPECT_EQ(area.columns(2), 400);
  EXPECT_EQ(area.row_of({0.05, -39.95, 0}), 0);
  EXPECT_EQ(area.row_of({0.05, -39.85, 0}), 1);
  EXPECT_EQ(area.row_of({0.15, -39.95, 100}), 800) << "z must be ignored";
  EXPECT_EQ(area.row_of({70.35, 39.95, 0}), area.size() - 1);
}

TEST(Area, PointsOnEdgesBelongToTheHigherCell) {
  const Area area{.cell_m = 0.5, .first = {-2, -2}, .cells = {4, 4}};
  EXPECT_EQ(area.row_of({-1, -1, 0}), 0);
  EXPECT_EQ(area.row_of({-0.5, -1, 0}), 4);
  EXPECT_EQ(area.row_of({0, 0, 0}), 2 * 4 + 2);
  EXPECT_EQ(area.row_of({-0.0, -0.0, 0}), 2 * 4 + 2);
  EXPECT_EQ(area.row_of({1, 0, 0}), -1) << "the high edge is outside";
  EXPECT_EQ(area.row_of({0, 1, 0}), -1);
  EXPECT_EQ(area.row_of({std::nextafter(-1.0, -2.0), 0, 0}), -1);
  EXPECT_EQ(area.row_of({std::numeric_limits<double>::quiet_NaN(), 0, 0}), -1);
  EXPECT_EQ(area.row_of({1e300, 0, 0}), -1);
  EXPECT_EQ(area.row_of({0, -std::numeric_limits<double>::infinity(), 0}), -1);
}

TEST(Area, BlockTrap2PointsAtAllHeightsOfACellHaveOneCell) {
  const Area area{.cell_m = 0.1, .first = {0, 0}, .cells = {16, 16}};
  EXPECT_EQ(area.row_of({0.55, 0.55, -1}), area.row_of({0.55, 0.55, 1}));
}

TEST(Area, WithoutACropItContainsAllPointsInTheRangeOfZ) {
  // The tiny negative coordinate is within the tolerance for limits, but its cell is -1.
  const PointCloud cloud = cloud_of({{-1e-9, 0, 0}, {3.2, 1.1, 0.5}, {1.6, 9, 1.0}, {1, -9, -3.5}});
  const Area area = area_of(cloud, {.coarsest_stride = 1});
  EXPECT_EQ(area.first, (std::array<std::int64_t, 2>{-1, 0}));
  EXPECT_EQ(area.cells, (std::array<std::int64_t, 2>{34, 12})) << "z = 1 and z = -3.5 are outside [-3, 1)";
  EXPECT_GE(area.row_of(cloud.positions[0]), 0);
  EXPECT_GE(area.row_of(cloud.positions[1]), 0);
  const Area higher = area_of(cloud, {.z_m = {-4, 2}, .coarsest_stride = 1});
  EXPECT_EQ(higher.cells[1], 181);
  for (const Point& point : cloud.positions)
    EXPECT_GE(higher.row_of(point), 0);
}

TEST(Area, OfOnePointHasOneCell) {
  const PointCloud cloud = cloud_of({{-0.05, 7.25, 0}});
  const Area area = area_of(cloud, {.coarsest_stride = 1});
  EXPECT_EQ(area.cells, (std::array<std::int64_t, 2>{1, 1}));
  EXPECT_EQ(area.row_of(cloud.positions[0]), 0);
  EXPECT_EQ(area_of(cloud, {}).cells, (std::array<std::int64_t, 2>{16, 16}));
}

TEST(Area, IgnoresOutliers) {
  PointCloud cloud = cloud_of({});
  for (int at = 0; at < 100; ++at)
    cloud.positions.push_back({at * 0.1 + 0.05, at * 0.05 + 0.02, 0});
  const Area plain = area_of(cloud, {});
  cloud.positions.push_back({5'000, 5'000, 0});
  EXPECT_EQ(area_of(cloud, {}), plain);
}

TEST(Area, OfAnEmptyCloudNeedsACrop) {
  const PointCloud cloud = cloud_of({{0, 0, 5}});
  for (const auto& one : {cloud_of({}), cloud})
    EXPECT_EQ(error_of(ErrorKind::input, [&] { return area_of(one, {}); }),
              "made.ply: no points between z = -3 and 1 m; use --z LOW,HIGH or --crop");
  EXPECT_EQ(area_of(cloud_of({}), {.crop_m = crop(0, 0, 1, 1)}).size(), 256);
}

TEST(Area, BlockTrap9AKilometreIsAllowedAndAContinentIsRefused) {
  const Area area = area_of({}, {.crop_m = crop(-500, -500, 500, 500)});
  EXPECT_EQ(area.size(), 10'000LL * 10'000);
  EXPECT_EQ(area.row_of({499.95, 499.95, 0}), area.size() - 1);
  // 46,336 x 46,336 cells are the largest square with a stride of 16.
  EXPECT_EQ(area_of({}, {.cell_m = 1, .crop_m = crop(0, 0, 46'336, 46'336)}).size(), 46'336LL * 46'336);
  EXPECT_THROW(static_cast<void>(area_of({}, {.cell_m = 1, .crop_m = crop(0, 0, 46'337, 46'337)})), Error);
}

TEST(Area, TooManyCellsNameACellThatFits) {
  const std::string text =
      error_of(ErrorKind::usage, [] { return area_of({}, {.crop_m = crop(0, 0, 10'000, 10'000)}); });
  EXPECT_EQ(
      text,
      "an area of 100000 x 100000 cells of 0.1 m has more than 2^31 cells; use cells of 0.4 m or --crop");
  EXPECT_NO_THROW(static_cast<void>(area_of({}, {.cell_m = 0.4, .crop_m = crop(0, 0, 10'000, 10'000)})));
  // The enlargement of a thin area counts too.
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] { return area_of({}, {.cell_m = 1, .crop_m = crop(0, 0, 1, 200'000'000)}); }),
              HasSubstr("use cells of 2 m or"));
  EXPECT_THAT(error_of(ErrorKind::usage, [] { return area_of({}, {.crop_m = crop(1e30, 0, 2e30, 1)}); }),
              HasSubstr("more than 2^31 cells"));
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         return area_of(cloud_of({{1e30, 0, 0}}), {.coarsest_stride = 1});
                       }),
              HasSubstr("the area begins 1e+31 cells of 0.1 m from the origin"));
}

TEST(Area, ParsesRangesOfZ) {
  EXPECT_EQ(parse_z_range("-3,1"), (std::array<double, 2>{-3, 1}));
  EXPECT_EQ(parse_z_range("0.25,1e1"), (std::array<double, 2>{0.25, 10}));
  for (const char* text : {"", "1", "1,1", "2,1", "a,1", "1,b", "1,2,3", "nan,1", "0,inf", "-3;1"})
    EXPECT_EQ(
        error_of(ErrorKind::usage, [&] { return parse_z_range(text); }),
        "z range '" + std::string(text) + "': expected two numbers in metres, low then high, such as -3,1");
}

}  // namespace
}  // namespace spira
