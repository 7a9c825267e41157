// Tests properties that the levels and kernel maps of all scenes must have. Uses the CPU back end.
#include "engine/backend/host_read.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spira {
namespace {

class MapProperty : public testing::Test {
 protected:
  static PointCloud cloud(int points, std::uint64_t seed, double extent_m = 3.0) {
    Random random(seed);
    PointCloud made;
    for (int at = 0; at < points; ++at) {
      made.positions.push_back({random.uniform(-extent_m, extent_m), random.uniform(-extent_m, extent_m),
                                random.uniform(-0.5, 0.5)});
      made.intensity.push_back(static_cast<float>(random.uniform()));
    }
    return made;
  }
  Voxelized voxelize(const PointCloud& from, double voxel_m = 0.1) {
    return backend_->voxelize(from, {{voxel_m, voxel_m, voxel_m}, {}}, {}, job_);
  }
  KernelMap map(const CoordSet& in, const CoordSet& out, const MapRequest& request) {
    return backend_->build_map(in, out, request, job_);
  }
  static MapRequest request(const CoordSet& in, int kernel_size, int threshold, bool half = true) {
    return request_for_threshold(std::make_shared<const KernelOffsets>(kernel_size, in.stride),
                                 MapAlgorithm::z_delta, threshold, half);
  }

  Job job_;
  std::shared_ptr<Backend> backend_ = test::make_subject();
};

TEST_F(MapProperty, Trap2EveryLevelEqualsThatOfTheUnshiftedScene) {
  const PointCloud points = cloud(3000, 1);
  const Voxelized level0 = voxelize(points);
  for (const int stride : {2, 4, 8, 16}) {
    std::set<Voxel> expected;
    for (const Point& p : points.positions) {
      Voxel v{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double cell = std::floor(p.at(axis) / 0.1);
        v.at(axis) = static_cast<std::int32_t>(std::floor(cell / stride) * stride);
      }
      expected.insert(v);
    }
    std::set<Voxel> found;
    for (Voxel v : all_voxels(backend_->downsample(level0.coords, stride, job_))) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        v.at(axis) += static_cast<std::int32_t>(level0.shift.at(axis));
      found.insert(v);
    }
    EXPECT_EQ(found, expected) << "stride " << stride;
  }
}

TEST_F(MapProperty, ClosedFormEqualsRecursiveDownSampling) {
  const Voxelized level0 = voxelize(cloud(4000, 2));
  CoordSet step = backend_->download(level0.coords);
  for (const int stride : {2, 4, 8, 16}) {
    step = backend_->downsample(step, stride, job_);
    const CoordSet direct = backend_->downsample(level0.coords, stride, job_);
    EXPECT_EQ(all_voxels(step), all_voxels(direct)) << "stride " << stride;
    EXPECT_EQ(direct.stride, stride);
    EXPECT_LT(size_of(direct), size_of(level0.coords));
  }
}

TEST_F(MapProperty, Trap3KeysAreSortedAndUniqueAndFeaturesAreMeansWithCounts) {
  PointCloud points;
  points.positions = {{0.25, 0.05, 0.05}, {0.01, 0.02, 0.03}, {0.03, 0.04, 0.05}, {0.05, 0.06, 0.01}};
  points.intensity = {9.0F, 1.0F, 2.0F, 6.0F};
  const Voxelized made = voxelize(points);
  ASSERT_EQ(size_of(made.coords), 2);
  EXPECT_EQ(made.points_per_voxel, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(made.voxel_of_point, (std::vector<std::int32_t>{1, 0, 0, 0}));
  EXPECT_FLOAT_EQ(feature_at(made.features, 0, 0), 0.03F);
  EXPECT_FLOAT_EQ(feature_at(made.features, 0, 3), 3.0F);
  EXPECT_FLOAT_EQ(feature_at(made.features, 1, 3), 9.0F);
  const Voxelized many = voxelize(cloud(5000, 3));
  for (std::int64_t row = 1; row < size_of(many.coords); ++row)
    ASSERT_LT(key_at(many.coords, row - 1), key_at(many.coords, row));
  std::int64_t sum = 0;
  for (const std::int32_t count : many.points_per_voxel)
    sum += count;
  EXPECT_EQ(sum, 5000);
}

TEST_F(MapProperty, PermutingThePointsChangesNothingAndTranslatingByCoarseVoxelsOnlyTheShift) {
  PointCloud points = cloud(2000, 4);
  const Voxelized before = voxelize(points, 0.125);
  std::reverse(points.positions.begin(), points.positions.end());
  std::reverse(points.intensity.begin(), points.intensity.end());
  EXPECT_EQ(all_voxels(voxelize(points, 0.125).coords), all_voxels(before.coords));
  for (Point& p : points.positions)
    p = {p[0] + 16 * 0.125 * 3, p[1] - 16 * 0.125 * 5, p[2] + 16 * 0.125};
  const Voxelized moved = voxelize(points, 0.125);
  EXPECT_EQ(all_voxels(moved.coords), all_voxels(before.coords));
  EXPECT_EQ(moved.shift[0] - before.shift[0], 48);
  EXPECT_EQ(moved.shift[1] - before.shift[1], -80);
  EXPECT_EQ(moved.shift[2] - before.shift[2], 16);
}

TEST_F(MapProperty, Trap5SubmanifoldMapsAreSymmetricAndTheCentreIsTheIdentity) {
  const Voxelized level0 = voxelize(cloud(3000, 5));
  for (const int kernel_size : {3, 5, 7}) {
    const KernelMap whole = map(level0.coords, level0.coords, request(level0.coords, kernel_size, 99));
    const auto pairs = test::pairs_of(whole);
    for (const auto& [output, column, input] : pairs)
      ASSERT_TRUE(pairs.contains({input, whole.offsets->partner(column), output}));
    const auto centre = column_of(whole, whole.offsets->centre());
    for (std::size_t row = 0; row < centre.size(); ++row)
      ASSERT_EQ(centre[row], static_cast<std::int32_t>(row));
    const KernelMap half = map(level0.coords, level0.coords, request(level0.coords, kernel_size, 0));
    EXPECT_TRUE(half.half);
    EXPECT_EQ(half.parts.at(0).columns.size(),
              std::size_t(pairs.empty() ? 1 : whole.offsets->columns() / 2 + 1));
    EXPECT_EQ(test::pairs_of(half), pairs) << "the half map must have the pairs of the whole map";
  }
}

TEST_F(MapProperty, PartsAreDisjointAndCompleteForEveryThreshold) {
  const Voxelized level0 = voxelize(cloud(1500, 6));
  for (const int kernel_size : {2, 3, 5}) {
    const KernelOffsets offsets(kernel_size, 1);
    const bool half = offsets.centred();
    const auto all = test::pairs_of(map(level0.coords, level0.coords,
                                        request(level0.coords, kernel_size, offsets.max_threshold(), half)));
    for (int threshold = 0; threshold <= offsets.max_threshold(); ++threshold) {
      const KernelMap cut =
          map(level0.coords, level0.coords, request(level0.coords, kernel_size, threshold, half));
      EXPECT_EQ(test::pairs_of(cut), all) << "K " << kernel_size << " t " << threshold;
      std::set<int> columns;
      std::size_t stored = 0;
      for (const auto& part : cut.parts) {
        for (const int column : part.columns) {
          columns.insert(column);
          if (cut.half && part.layout == MapLayout::pair_lists) columns.insert(offsets.partner(column));
        }
        stored += part.columns.size();
      }
      EXPECT_EQ(columns.size(), static_cast<std::size_t>(offsets.columns()));
      EXPECT_LE(stored, columns.size());
    }
  }
}

TEST_F(MapProperty, HalfMapsNeedBothColumnsOfAPairInOnePart) {
  const Voxelized level0 = voxelize(cloud(50, 7));
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  MapRequest torn{
      offsets, MapAlgorithm::z_delta, {{MapLayout::output_major, {}}, {MapLayout::pair_lists, {}}}, true};
  for (int column = 0; column < offsets->columns(); ++column)
    torn.parts.at(column < 5 ? 0 : 1).columns.push_back(column);
  EXPECT_THROW(static_cast<void>(map(level0.coords, level0.coords, torn)), Error);
}

TEST_F(MapProperty, EveryCallCanBeCancelled) {
  const PointCloud points = cloud(2000, 8);
  const Voxelized level0 = voxelize(points);
  std::stop_source stop;
  stop.request_stop();
  Job stopped(stop.get_token());
  const auto kind_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { static_cast<void>(backend_->voxelize(points, {}, {}, stopped)); }),
            ErrorKind::cancelled);
  EXPECT_EQ(kind_of([&] { static_cast<void>(backend_->downsample(level0.coords, 2, stopped)); }),
            ErrorKind::cancelled);
  EXPECT_EQ(kind_of([&] {
              static_cast<void>(
                  backend_->build_map(level0.coords, level0.coords, request(level0.coords, 3, 0), stopped));
            }),
            ErrorKind::cancelled);
}

}  // namespace
}  // namespace spira
