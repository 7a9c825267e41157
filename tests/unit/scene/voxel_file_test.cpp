// Tests voxel files, which contain coordinates and features of voxels that another library has computed.
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/grid.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Voxels {
  std::vector<std::int32_t> coords{1, 2, 3, -4, 5, 6};
  std::vector<std::int64_t> coords_shape{2, 3};
  std::vector<float> features{0.5F, 1.5F, 2.5F, 3.5F};
  std::vector<std::int64_t> features_shape{2, 2};
  std::vector<float> points{}, point_features{};  ///< Not in the file if they are empty.
  std::vector<std::int64_t> points_shape{0, 3}, point_features_shape{0, 1};
};

class VoxelFile : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<const PointCloud> read(const Voxels& voxels, const LoadOptions& options = {}) {
    std::vector<NamedArray> arrays{
        {"coords", ArrayType::i32, voxels.coords_shape, std::as_bytes(std::span(voxels.coords))},
        {"features", ArrayType::f32, voxels.features_shape, std::as_bytes(std::span(voxels.features))}};
    if (!voxels.points.empty())
      arrays.push_back(
          {"points", ArrayType::f32, voxels.points_shape, std::as_bytes(std::span(voxels.points))});
    if (!voxels.point_features.empty())
      arrays.push_back({"point_features", ArrayType::f32, voxels.point_features_shape,
                        std::as_bytes(std::span(voxels.point_features))});
    const std::filesystem::path file = folder_.path() / (std::string("voxels") + GetParam());
    write_file(file, file.extension() == ".npz" ? npz_bytes(arrays, {}, file.string())
                                                : safetensors_bytes(arrays, {}));
    Job job;
    return load_scene(file, options, job);
  }
  std::string fault(const Voxels& voxels, const LoadOptions& options = {}) {
    try {
      static_cast<void>(read(voxels, options));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  test::TempFolder folder_;
};

TEST_P(VoxelFile, GivesOnePointPerVoxelWithItsFeatures) {
  const auto cloud = read({});
  EXPECT_THAT(cloud->positions, ElementsAre(Point{1.5, 2.5, 3.5}, Point{-3.5, 5.5, 6.5}));
  EXPECT_EQ(cloud->feature_channels, 2);
  EXPECT_THAT(cloud->features, ElementsAre(0.5F, 1.5F, 2.5F, 3.5F));
  EXPECT_THAT(cloud->reading, HasSubstr("2 voxels"));
  EXPECT_THAT(suggest_grid(*cloud).voxel_m, ElementsAre(1, 1, 1));
}

TEST_P(VoxelFile, HasCellsInsteadOfMetres) {
  const auto cloud = read({});
  EXPECT_EQ(cloud->unit(), LengthUnit::cells);
  EXPECT_EQ(text_of(bounds(*cloud), cloud->unit()), "x -3.50 to 1.50, y 2.50 to 5.50, z 3.50 to 6.50 cells");
  const std::vector<std::shared_ptr<const PointCloud>> both{cloud, cloud};
  EXPECT_EQ(batch_of(both, {})->unit(), LengthUnit::cells);
  EXPECT_EQ(PointCloud{}.unit(), LengthUnit::metres);
}

TEST(LengthUnits, AreInTheTextsOfLengthsAndVoxels) {
  EXPECT_EQ(with_unit("0.05", LengthUnit::metres), "0.05 m");
  EXPECT_EQ(with_unit("1", LengthUnit::cells), "1 cell");
  EXPECT_EQ(with_unit("20", LengthUnit::cells), "20 cells");
  EXPECT_EQ(voxels_text(280, {0.05, 0.05, 0.1}, LengthUnit::metres), "280 voxels of 0.05,0.05,0.1 m");
  EXPECT_EQ(voxels_text(280, {1, 1, 1}, LengthUnit::metres), "280 voxels of 1 m");
  EXPECT_EQ(voxels_text(280, {1, 1, 1}, LengthUnit::cells), "280 voxels");
  EXPECT_EQ(voxels_text(1, {2, 2, 2}, LengthUnit::cells), "1 voxel of 2 cells");
}

TEST_P(VoxelFile, AcceptsABatchIndexOfOneScene) {
  Voxels voxels;
  voxels.coords = {7, 1, 2, 3, 7, 4, 5, 6};
  voxels.coords_shape = {2, 4};
  EXPECT_THAT(read(voxels)->positions, ElementsAre(Point{1.5, 2.5, 3.5}, Point{4.5, 5.5, 6.5}));
  EXPECT_EQ(read(voxels)->batch(), 1);
}

TEST_P(VoxelFile, ReadsABatchInAnyOrderAndWithEmptyFrames) {
  Voxels voxels;
  voxels.coords = {3, 4, 5, 6, 0, 1, 2, 3, 3, 1, 2, 3, 0, 9, 9, 9};
  voxels.coords_shape = {4, 4};
  voxels.features = {1, 2, 3, 4};
  voxels.features_shape = {4, 1};
  const auto cloud = read(voxels);
  EXPECT_EQ(cloud->batch(), 4);
  EXPECT_THAT(cloud->frame_starts, ElementsAre(0, 2, 2, 2, 4));
  EXPECT_THAT(cloud->positions, ElementsAre(Point{1.5, 2.5, 3.5}, Point{9.5, 9.5, 9.5}, Point{4.5, 5.5, 6.5},
                                            Point{1.5, 2.5, 3.5}));
  EXPECT_THAT(cloud->features, ElementsAre(2, 4, 1, 3));
  EXPECT_THAT(cloud->reading, HasSubstr("4 voxels in a batch of 4"));
}

Voxels with_points() {
  Voxels voxels;
  voxels.points = {1.5F, 2.25F, 3, -1e6F, 0, 0, 1.5F, 2.25F, 3};
  voxels.points_shape = {3, 3};
  voxels.point_features = {1, 2, 3, 4, 5, 6};
  voxels.point_features_shape = {3, 2};
  return voxels;
}

TEST_P(VoxelFile, ContainsPointsAndTheirFeatures) {
  const auto cloud = read(with_points());
  ASSERT_NE(cloud->point_rows, nullptr);
  EXPECT_THAT(cloud->point_rows->positions,
              ElementsAre(Point{1.5, 2.25, 3}, Point{-1e6, 0, 0}, Point{1.5, 2.25, 3}));
  EXPECT_THAT(cloud->point_rows->features, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(cloud->point_rows->channels, 2);
  EXPECT_THAT(cloud->reading, HasSubstr("2 voxels and 3 points"));
  Voxels bare = with_points();
  bare.point_features.clear();
  EXPECT_EQ(read(bare)->point_rows->channels, 0);
  EXPECT_EQ(read({})->point_rows, nullptr);
}

TEST_P(VoxelFile, OrdersNoPointsOfABatch) {
  Voxels voxels = with_points();
  voxels.coords = {1, 1, 2, 3, 0, 4, 5, 6};
  voxels.coords_shape = {2, 4};
  voxels.points = {1, 1, 2, 3, 0, 4, 5, 6, 1, 7, 7, 7};
  voxels.points_shape = {3, 4};
  const auto cloud = read(voxels);
  EXPECT_THAT(cloud->point_rows->frames, ElementsAre(1, 0, 1));
  EXPECT_THAT(cloud->point_rows->positions, ElementsAre(Point{1, 2, 3}, Point{4, 5, 6}, Point{7, 7, 7}));
  voxels.points[0] = 2;
  EXPECT_THAT(fault(voxels), HasSubstr("points[0] has batch index 2, but no row of coords has this index"));
  voxels.points[0] = 0.5;
  EXPECT_THAT(fault(voxels), HasSubstr("points[0] has batch index 0.5, but no row of coords has this index"));
  voxels.points_shape = {4, 3};
  EXPECT_THAT(fault(voxels), HasSubstr("points has 3 columns, but coords has 4"));
}

TEST_P(VoxelFile, NamesTheFaultOfPoints) {
  const auto fault_of = [this](const auto& change) {
    Voxels voxels = with_points();
    change(voxels);
    return fault(voxels);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points[4] = nan; }),
              HasSubstr("points[1] has a value that is NaN or infinite"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points[8] = -infinite; }),
              HasSubstr("points[2] has a value that is NaN or infinite"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points[0] = 4e9F; }),
              HasSubstr("points[0] is 4000000000; coordinates are limited to 2^30"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.point_features[3] = nan; }),
              HasSubstr("point_features[1] has a value that is NaN or infinite"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points_shape = {9, 1}; }), HasSubstr("expected"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points_shape = {9}; }), HasSubstr("expected"));
  EXPECT_THAT(fault_of([&](Voxels& v) {
                v.point_features_shape = {2, 3};
              }),
              HasSubstr("3 rows of points, but 2 rows of point_features"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.point_features_shape = {6}; }), HasSubstr("expected"));
  EXPECT_THAT(fault_of([&](Voxels& v) { v.points.clear(); }), HasSubstr("point_features needs the "));
}

TEST_P(VoxelFile, NamesTheFaultOfABatchIndex) {
  Voxels voxels;
  voxels.coords_shape = {2, 4};
  for (const std::int32_t index : {-1, 256, 300}) {
    voxels.coords = {0, 1, 2, 3, index, 4, 5, 6};
    EXPECT_THAT(fault(voxels),
                HasSubstr("coords[1] has batch index " + std::to_string(index) + "; expected 0 to 255"));
  }
  voxels.coords = {5, 1, 2, 3, 5, 1, 2, 3};
  EXPECT_THAT(fault(voxels), HasSubstr("the voxel of row 0 occurs again in row 1"));
  voxels.coords = {5, 1, 2, 3, 4, 1, 2, 3};
  EXPECT_EQ(fault(voxels), "accepted") << "a voxel may occur in several frames";
}

TEST_P(VoxelFile, NamesTheFault) {
  Voxels voxels;
  voxels.coords = {1, 2, 3, 1, 2, 3};
  EXPECT_THAT(fault(voxels), HasSubstr("the voxel of row 0 occurs again in row 1"));
  voxels = {};
  voxels.features[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(fault(voxels), HasSubstr("features[1] has a value that is NaN or infinite"));
  voxels = {};
  voxels.coords[3] = -(1 << 30) - 1;
  EXPECT_THAT(fault(voxels), HasSubstr("coords[1] is -1073741825; coordinates are limited to 2^30"));
  voxels = {};
  voxels.features_shape = {4, 1};
  EXPECT_THAT(fault(voxels), HasSubstr("2 rows of coords, but 4 rows of features"));
  voxels = {};
  voxels.coords_shape = {3, 2};
  EXPECT_THAT(fault(voxels), HasSubstr("shape"));
  voxels = {{}, {0, 3}, {}, {0, 2}};
  EXPECT_THAT(fault(voxels), HasSubstr("no voxels"));
  LoadOptions every;
  every.limits.every = 2;
  EXPECT_THAT(fault({}, every), HasSubstr("a voxel file is read completely"));
}

TEST(VoxelCoordinates, MayBeTheSmallestNumberOfTheirType) {
  const std::vector<std::int64_t> coords{std::numeric_limits<std::int64_t>::min(), 0, 0};
  const float feature = 1;
  std::string bytes(8, '\0');
  const std::string header = R"({"coords":{"dtype":"I64","shape":[1,3],"data_offsets":[0,24]},)"
                             R"("features":{"dtype":"F32","shape":[1,1],"data_offsets":[24,28]}})";
  bytes[0] = static_cast<char>(header.size());
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(coords.data()), 24);
  bytes.append(reinterpret_cast<const char*>(&feature), 4);
  const test::TempFolder folder;
  Job job;
  try {
    static_cast<void>(load_scene(folder.write("v.safetensors", bytes), {}, job));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("coords[0] is -9223372036854775808; coordinates are limited to 2^30"));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, VoxelFile, testing::Values(".safetensors", ".npz"),
                         [](const auto& info) { return std::string(info.param).substr(1); });

}  // namespace
}  // namespace spira
