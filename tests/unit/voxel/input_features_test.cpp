#include "engine/voxel/input_features.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns three points: two in the voxel (0, 0, 0) and one in (3, 0, -1).
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
  EXPECT_FLOAT_EQ(cloud->features[4], 7.0F);   // 3.5 m in voxels of 0.5 m
  EXPECT_FLOAT_EQ(cloud->features[5], 0.0F);   // -0.75 m is the centre of the voxel from -1 to -0.5 m
  EXPECT_FLOAT_EQ(cloud->features[1], 0.05F);  // 0.3 m; the voxel is from 0 to 0.5 m
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
