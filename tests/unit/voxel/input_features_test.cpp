#include "engine/voxel/input_features.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns three points. Two are in the voxel (0, 0, 0), and one is in the voxel (3, 0, -1).
PointCloud three_points() {
  PointCloud cloud;
  cloud.name = "three";
  cloud.positions = {{0.1, 0.2, 0.3}, {0.3, 0.4, 0.5}, {3.5, 0.25, -0.75}};
  cloud.intensity = {1, 3, 5};
  cloud.colour = {{255, 0, 51}, {0, 255, 51}, {10, 20, 30}};
  cloud.label = {7, 8, 9};
  return cloud;
}
const Grid unit_grid{{1, 1, 1}, {}};

std::vector<float> values(const std::vector<InputFeature>& features) {
  Job job;
  return with_input_features(three_points(), unit_grid, features, job)->features;
}

TEST(InputFeatures, AreAttributesWithScaleAndOffset) {
  EXPECT_THAT(values({{PointValue::intensity, {}, 2, 1}}), ElementsAre(3, 7, 11));
  EXPECT_THAT(values({{PointValue::red, {}, 1.0 / 255, 0}, {PointValue::blue}}),
              ElementsAre(1, 51, 0, 51, testing::FloatEq(10.0F / 255), 30));
  EXPECT_THAT(values({{PointValue::label}, {PointValue::one}}), ElementsAre(7, 1, 8, 1, 9, 1));
}

TEST(InputFeatures, CountTheirVoxel) {
  EXPECT_THAT(values({{PointValue::count}}), ElementsAre(2, 2, 1));
}

TEST(InputFeatures, HavePositionsInThreeFrames) {
  EXPECT_THAT(values({{PointValue::z}}), ElementsAre(0.3F, 0.5F, -0.75F));
  Job job;
  const Grid half{{0.5, 0.5, 0.5}, {}};
  const std::vector<InputFeature> features{{PointValue::x, PointFrame::grid},
                                           {PointValue::z, PointFrame::voxel}};
  const auto cloud = with_input_features(three_points(), half, features, job);
  EXPECT_FLOAT_EQ(cloud->features[4], 7.0F);   // This is 3.5 m in voxels of 0.5 m.
  EXPECT_FLOAT_EQ(cloud->features[5], 0.0F);   // -0.75 m is the centre of the voxel from -1 m to -0.5 m.
  EXPECT_FLOAT_EQ(cloud->features[1], 0.05F);  // The point is at 0.3 m, in the voxel from 0 to 0.5 m.
}

TEST(InputFeatures, NameAMissingAttribute) {
  PointCloud cloud = three_points();
  cloud.colour.clear();
  Job job;
  const std::vector<InputFeature> features{{PointValue::green}};
  try {
    static_cast<void>(with_input_features(cloud, unit_grid, features, job));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("three: the scene has no colours"));
  }
}

/// Returns a grid of 4 x 4 x 2 cells with voxels of 1 x 1 x 2 m. Its low corner is (-0.5, 0, -1).
InputGrid small_grid() {
  InputGrid grid;
  grid.voxel_m = {1, 1, 2};
  grid.low_m = {-0.5, 0, -1};
  grid.cells = {4, 4, 2};
  return grid;
}

std::shared_ptr<const PointCloud> on_grid(const PointCloud& cloud, const InputGrid& grid,
                                          const std::vector<InputFeature>& features) {
  Job job;
  return on_input_grid(cloud, grid, features, job);
}

TEST(InputGrids, CountCellsFromTheirLowCorner) {
  InputGrid grid = small_grid();
  const auto cloud =
      on_grid(three_points(), grid,
              {{PointValue::x}, {PointValue::x, PointFrame::grid}, {PointValue::x, PointFrame::voxel}});
  // The third point has x = 3.5 m, so it is outside the cells from -0.5 to 3.5 m.
  ASSERT_EQ(cloud->size(), 2);
  EXPECT_NEAR(cloud->positions[0][0], 0.6, 1e-12);
  EXPECT_NEAR(cloud->positions[0][2], 1.3, 1e-12);
  EXPECT_THAT(cloud->features, ElementsAre(0.1F, 0.6F, testing::FloatNear(0.1F, 1e-6F), 0.3F, 0.8F,
                                           testing::FloatNear(0.3F, 1e-6F)));
  EXPECT_THAT(cloud->intensity, ElementsAre(1, 3));
  EXPECT_THAT(cloud->label, ElementsAre(7, 8));
  EXPECT_THAT(cloud->notes,
              ElementsAre("1 of 3 points are outside the input grid of the network (4 x 4 x 2 cells of "
                          "1,1,2 m from (-0.5, 0, -1)) and were dropped"));
  grid.cells = {};
  EXPECT_EQ(on_grid(three_points(), grid, {{PointValue::one}})->size(), 3);
}

TEST(InputGrids, RoundToTheNearestCell) {
  InputGrid grid;
  grid.voxel_m = {1, 1, 1};
  grid.rounding = CellRounding::nearest;
  PointCloud cloud;
  cloud.positions = {{0.4, 0.6, -0.6}, {0.5, 1.5, 2.5}};
  const auto placed = on_grid(cloud, grid, {{PointValue::z, PointFrame::voxel}});
  const auto cell = [&](std::size_t at, std::size_t axis) { return std::floor(placed->positions[at][axis]); };
  EXPECT_THAT((std::vector{cell(0, 0), cell(0, 1), cell(0, 2)}), ElementsAre(0, 1, -1));
  EXPECT_THAT((std::vector{cell(1, 0), cell(1, 1), cell(1, 2)}), ElementsAre(0, 2, 2))
      << "halves become even";
  EXPECT_THAT(placed->features, ElementsAre(testing::FloatNear(0.4F, 1e-6F), 0.5F));
}

TEST(InputGrids, ComputeCellsInFloat32) {
  // In double precision, both quotients are slightly above or below a whole number.
  InputGrid grid;
  grid.voxel_m = {0.05, 0.05, 0.05};
  PointCloud cloud;
  for (int at = 0; at < 1'400; ++at) {
    const auto x = static_cast<double>(static_cast<float>(at * 0.05));
    cloud.positions.push_back({x, x, x});
  }
  const auto placed = on_grid(cloud, grid, {{PointValue::one}});
  std::size_t other = 0;
  for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
    const float wanted = std::floor(static_cast<float>(cloud.positions[at][0]) / 0.05F);
    EXPECT_EQ(std::floor(placed->positions[at][0] / 0.05), static_cast<double>(wanted)) << at;
    if (std::floor(cloud.positions[at][0] / 0.05) != static_cast<double>(wanted)) ++other;
  }
  EXPECT_GT(other, 0U) << "no point distinguishes float32 from double";
}

TEST(InputGrids, ReadTheFirstPointsOrTheLargestValuesOfAVoxel) {
  InputGrid grid;
  grid.voxel_m = {1, 1, 1};
  const std::vector<InputFeature> features{{PointValue::intensity}, {PointValue::count}, {PointValue::red}};
  PointCloud cloud = three_points();
  cloud.positions.push_back({0.9, 0.9, 0.9});
  cloud.intensity.push_back(0.5F);
  cloud.colour.push_back({9, 9, 9});
  cloud.label.push_back(1);
  EXPECT_THAT(on_grid(cloud, grid, features)->features,
              ElementsAre(1, 3, 255, 3, 3, 0, 5, 1, 10, 0.5F, 3, 9));
  grid.most_points = 2;
  auto used = on_grid(cloud, grid, features);
  EXPECT_THAT(used->features, ElementsAre(1, 2, 255, 3, 2, 0, 5, 1, 10));
  EXPECT_THAT(
      used->notes,
      ElementsAre("1 point was not kept, because the network reads only the first 2 points of each voxel"));
  grid.reduction = VoxelReduction::max;
  EXPECT_THAT(on_grid(cloud, grid, features)->features, ElementsAre(3, 2, 255, 5, 1, 10));
  grid.reduction = VoxelReduction::first;
  used = on_grid(cloud, grid, features);
  EXPECT_THAT(used->features, ElementsAre(1, 1, 255, 5, 1, 10));
  EXPECT_THAT(used->label, ElementsAre(7, 9));
}

TEST(InputGrids, NameAMissingIntensityAndAScanOutside) {
  const auto fault = [](const PointCloud& cloud, const InputGrid& grid) -> std::string {
    try {
      static_cast<void>(on_grid(cloud, grid, {}));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  PointCloud cloud = three_points();
  InputGrid grid = small_grid();
  grid.low_m = {100, 0, 0};
  EXPECT_THAT(fault(cloud, grid),
              HasSubstr("three: no point lies inside the input grid of the network, 4 x 4 x 2"));
  grid = small_grid();
  grid.cells = {};
  cloud.positions[1][1] = 1e300;
  EXPECT_THAT(fault(cloud, grid), HasSubstr("three: a point is more than 2^30 voxels"));
  cloud.intensity.clear();
  EXPECT_THAT(fault(cloud, grid), HasSubstr("three: the scene has no intensity"));
}

TEST(InputFeatures, AreMeansOnEveryBackEnd) {
  Job job;
  const std::vector<InputFeature> features{{PointValue::intensity}, {PointValue::count}, {PointValue::blue}};
  const auto cloud = with_input_features(three_points(), unit_grid, features, job);
  for (const char* name : {"reference", "cpu"}) {
    const auto backend = app::make_registry().make(name);
    for (const auto precision : {Precision::fp32, Precision::fp16}) {
      VoxelizeRequest request;
      request.pack = PackSpec::bits32();
      request.precision = precision;
      const Voxelized voxels = backend->voxelize(*cloud, unit_grid, request, job);
      ASSERT_EQ(voxels.features.rows, 2) << name;
      ASSERT_EQ(voxels.features.channels, 3) << name;
      const float expected[2][3] = {{2, 2, 51}, {5, 1, 30}};
      for (int row = 0; row < 2; ++row) {
        for (int channel = 0; channel < 3; ++channel)
          EXPECT_EQ(feature_at(voxels.features, row, channel), expected[row][channel]) << name;
      }
    }
  }
}

}  // namespace
}  // namespace spira
