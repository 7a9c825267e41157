// Tests the detection of outliers, and the values that are computed from the extents without outliers: the
// display origin, the suggested voxel size and the notes about a scene.
#include "engine/base/hash_and_random.hpp"
#include "engine/scene/extents.hpp"
#include "engine/voxel/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace spira {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns random points, like a LiDAR sweep, in a box of 30 x 30 x 3 m around `centre`.
PointCloud sweep(std::int64_t points = 480, const Point& centre = {0, 0, 0}) {
  Random random(1);
  PointCloud cloud;
  for (std::int64_t at = 0; at < points; ++at)
    cloud.positions.push_back({centre[0] + random.uniform(-15.0, 15.0),
                               centre[1] + random.uniform(-15.0, 15.0),
                               centre[2] + random.uniform(0.0, 3.0)});
  return cloud;
}

PointCloud with(PointCloud cloud, const std::vector<Point>& more) {
  cloud.positions.insert(cloud.positions.end(), more.begin(), more.end());
  return cloud;
}

/// Returns points at all multiples of `step` from 0 to `last`. The coordinates have single precision.
PointCloud lattice(int last, double step) {
  PointCloud cloud;
  const auto stored = [&](int index) { return static_cast<double>(static_cast<float>(index * step)); };
  for (int x = 0; x <= last; ++x) {
    for (int y = 0; y <= last; ++y) {
      for (int z = 0; z <= last; ++z)
        cloud.positions.push_back({stored(x), stored(y), stored(z)});
    }
  }
  return cloud;
}

struct OutlierCase {
  const char* name;
  std::vector<Point> strays;
  std::int64_t outliers;
};

TEST(Extents, OutliersLieBehindAWideGap) {
  const std::vector<OutlierCase> cases{
      {"none", {}, 0},
      {"100 km away", {{100'000, 3, 2}}, 1},
      {"below the ground", {{0, 0, -200}}, 1},
      {"on both sides", {{1e5, 0, 0}, {-2e5, 0, 0}, {0, 3e6, 0}}, 3},
      {"at growing distances", {{1e3, 0, 0}, {1e4, 0, 0}, {1e6, 0, 0}}, 3},
      {"next to the scene", {{40, 0, 0}}, 0},
      {"the last returns of a sweep", {{40, 0, 0}, {0, 100, 0}}, 0},
      {"at the origin of the sensor", std::vector<Point>(400, Point{0, 0, 0}), 0},
  };
  const Extents alone = extents_of(sweep(), {});
  for (const OutlierCase& one : cases) {
    const PointCloud cloud = with(sweep(), one.strays);
    const Extents found = extents_of(cloud, {});
    EXPECT_EQ(found.outliers, one.outliers) << one.name;
    EXPECT_EQ(found.points + found.outliers, cloud.size()) << one.name;
    if (one.outliers > 0) {
      EXPECT_EQ(found.box, alone.box) << one.name;
    }
  }
}

TEST(Extents, MissingReturnsAtTheOriginOfAMapAreAlwaysOutliers) {
  const PointCloud map = sweep(480, {627'000, 4'841'000, 120});
  const Extents found = extents_of(with(map, std::vector<Point>(900, Point{0, 0, 0})), {});
  EXPECT_EQ(found.outliers, 900);
  EXPECT_EQ(found.box, extents_of(map, {}).box);
}

TEST(Extents, TwoScansFarApartAreOneScene) {
  const PointCloud both = with(sweep(480), sweep(400, {5'000, 0, 0}).positions);
  EXPECT_EQ(extents_of(both, {}).outliers, 0);
}

TEST(Extents, FewPointsAndEqualPointsHaveNoOutliers) {
  PointCloud few;
  few.positions = {{0, 0, 1}, {0, 1, 0}, {1'000, 0, 0}};
  EXPECT_EQ(extents_of(few, {}).outliers, 0);
  PointCloud equal;
  equal.positions.assign(100, {1, 2, 3});
  EXPECT_EQ(extents_of(with(equal, {{9, 9, 9}}), {}).outliers, 0);
  EXPECT_EQ(extents_of({}, {}).points, 0);
  PointCloud zeros;
  zeros.positions.assign(20, {0, 0, 0});
  EXPECT_EQ(extents_of(zeros, {}).points, 20);
}

TEST(Extents, PointsOutsideTheCropDoNotCount) {
  const Extents found = extents_of(with(sweep(), {{100'000, 3, 2}}), Bounds{{-5, -5, -5}, {5, 5, 5}});
  EXPECT_EQ(found.outliers, 0);
  EXPECT_GT(found.points, 20);
  EXPECT_LE(found.box.high[0], 5.0);
}

TEST(Extents, TheNoteGivesTheNumberAndDistanceOfOutliers) {
  PointCloud cloud = sweep(478);
  cloud.positions.push_back({15, 15, 0});
  cloud.positions.push_back({-15, -15, 3});
  EXPECT_EQ(outlier_note(extents_of(cloud, {})), "");
  const std::string one = outlier_note(extents_of(with(cloud, {{100'000, 3, 2}}), {}));
  EXPECT_THAT(one, HasSubstr("1 point is an outlier, at least 99,985 m away from the other 480 points"));
  const std::string two = outlier_note(extents_of(with(cloud, {{100'000, 3, 2}, {0, -3'015, 0}}), {}));
  EXPECT_THAT(two, HasSubstr("2 points are outliers, at least 3,000 m away from the other 480 points"));
}

TEST(DisplayOrigin, ShiftsOnlyScenesFarFromZero) {
  const auto origin_of = [](const PointCloud& cloud) { return display_origin(extents_of(cloud, {})); };
  EXPECT_EQ(origin_of(sweep()), (Point{0, 0, 0}));
  PointCloud far;
  far.positions = {{500'000.4, 5'400'000, 100}};
  EXPECT_EQ(origin_of(far), (Point{500'000, 5'400'000, 100}));
  EXPECT_EQ(origin_of(with(sweep(), {{100'000, 3, 2}})), (Point{0, 0, 0}))
      << "an outlier must not shift the origin";
  const PointCloud map = sweep(480, {627'000, 4'841'000, 120});
  EXPECT_EQ(origin_of(with(map, {{0, 0, 0}})), origin_of(map));
  const PointCloud two = with(map, sweep(480, {630'000, 4'841'000, 120}).positions);
  const Bounds crop{{626'000, 4'840'000, 0}, {628'000, 4'842'000, 200}};
  EXPECT_EQ(display_origin(extents_of(two, crop)), origin_of(map))
      << "only points inside the crop must count";
}

TEST(SuggestGrid, IgnoresOutliersAndPointsOutsideTheCrop) {
  const double alone = suggest_grid(sweep()).voxel_m[0];
  for (const Point& stray : {Point{100'000, 3, 2}, Point{0, 0, -200}, Point{0, 1e9, 0}})
    EXPECT_EQ(suggest_grid(with(sweep(), {stray})).voxel_m[0], alone) << stray[0] << " " << stray[1];
  const PointCloud far_scan = with(sweep(), sweep(400, {50'000, 0, 0}).positions);
  ASSERT_NE(suggest_grid(far_scan).voxel_m[0], alone);
  const Bounds crop{{-20, -20, -20}, {20, 20, 20}};
  EXPECT_EQ(suggest_grid(far_scan, crop).voxel_m[0], alone);
  EXPECT_EQ(suggest_grid(far_scan, crop).crop_m, crop);
}

TEST(SuggestGrid, VoxelsOfARegularGridOfPointsHaveNeighbours) {
  for (const double step : {0.1, 0.25, 0.3, 1.0, 7.0}) {
    for (const int last : {7, 10, 20}) {
      const double voxel_m = suggest_grid(lattice(last, step)).voxel_m[0];
      EXPECT_GT(voxel_m, step / 2) << "no voxel has a neighbour; step " << step << ", last " << last;
      EXPECT_LE(voxel_m, step * 1.0001) << "points share voxels; step " << step << ", last " << last;
    }
  }
}

TEST(SuggestGrid, ExtremeExtentsGetASizeThatCanBeUsed) {
  for (const double scale : {1e-310, 1e-300, 1e-30, 1e30, 1e308}) {
    PointCloud cloud;
    cloud.positions = {{-scale, 0, 0}, {scale, scale / 2, 0}, {0, scale / 3, scale / 7}};
    const double voxel_m = suggest_grid(cloud).voxel_m[0];
    EXPECT_TRUE(std::isfinite(voxel_m) && voxel_m > 0) << scale;
  }
}

std::vector<std::string> notes_of(const PointCloud& cloud, double voxel_m) {
  return grid_notes(cloud, Grid{{voxel_m, voxel_m, voxel_m}, {}}, extents_of(cloud, {}));
}

TEST(GridNotes, PointsOnVoxelBoundariesAreCountedInBothPrecisions) {
  EXPECT_THAT(notes_of(lattice(10, 0.1), 0.1),
              ElementsAre("1,330 of 1,331 points lie on a voxel boundary within the precision of the file: "
                          "729 voxels in double precision (used here), 1,331 in single precision"));
  EXPECT_THAT(notes_of(lattice(10, 0.25), 0.25), IsEmpty())
      << "coordinates that are exact in both precisions must give no note";
  EXPECT_THAT(notes_of(lattice(10, 1), 0.5), IsEmpty());
  PointCloud in_double;
  for (int at = 1; at <= 40; ++at)
    in_double.positions.push_back({at * 0.1, 0.05, 0.05});
  EXPECT_THAT(notes_of(in_double, 0.1), Contains(HasSubstr("of 40 points lie on a voxel boundary")));
  EXPECT_THAT(notes_of(sweep(), 0.1), IsEmpty());
}

TEST(GridNotes, StepsOfTheFileThatAreLargerThanAVoxel) {
  PointCloud map = sweep(480, {627'000, 4'841'000, 120});
  for (Point& p : map.positions) {
    for (double& c : p)
      c = static_cast<double>(static_cast<float>(c));
  }
  EXPECT_THAT(notes_of(map, 0.05),
              Contains("the file stores single-precision coordinates, in steps of up to x 0.0625 m, y 0.5 m, "
                       "which are coarser than the voxel size 0.05 m"));
  EXPECT_THAT(notes_of(map, 0.1), Contains(HasSubstr("in steps of up to y 0.5 m, which are coarser")));
  EXPECT_THAT(notes_of(map, 1.0), testing::Not(Contains(HasSubstr("coarser"))));
  EXPECT_THAT(notes_of(sweep(480, {627'000, 4'841'000, 120}), 0.05), IsEmpty())
      << "coordinates in double precision must give no note";
}

TEST(GridNotes, FeaturesBeyondFp16) {
  PointCloud cloud = sweep();
  cloud.intensity.assign(480, 65'504.0F);
  EXPECT_THAT(notes_of(cloud, 0.2), IsEmpty()) << "the largest value of fp16 must give no note";
  cloud.intensity[0] = 65'520.0F;
  cloud.intensity[1] = -90'000.0F;
  EXPECT_THAT(notes_of(cloud, 0.2), ElementsAre(HasSubstr("2 intensities beyond 65,504")));
  cloud.positions[0] = {40, 0, 0};
  const Grid cropped{{0.2, 0.2, 0.2}, Bounds{{-20, -20, -20}, {20, 20, 20}}};
  EXPECT_THAT(grid_notes(cloud, cropped, extents_of(cloud, cropped.crop_m)),
              ElementsAre(HasSubstr("1 intensity beyond 65,504")));
  EXPECT_THAT(notes_of(with(sweep(), {{100'000, 3, 2}}), 0.2),
              Contains(HasSubstr("1 position beyond 65,504")));
}

}  // namespace
}  // namespace spira
