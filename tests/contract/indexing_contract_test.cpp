// Tests that voxel indexing gives exactly the same keys, counts, features and point lists as the naive
// reference. Varies the number and order of the points, the bounding box, the packing and the number of
// calls.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace spira {
namespace {

const Grid metre{{1.0, 1.0, 1.0}, {}};

/// Returns random points in a box, in random order.
PointCloud scattered(std::int64_t points, const std::array<double, 3>& box_m, std::uint64_t seed,
                     bool intensity = true) {
  Random random(seed);
  PointCloud cloud;
  cloud.name = "scattered";
  for (std::int64_t at = 0; at < points; ++at) {
    Point p{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      p.at(axis) = random.uniform() * box_m.at(axis);
    cloud.positions.push_back(p);
    if (intensity) cloud.intensity.push_back(static_cast<float>(random.normal()));
  }
  return cloud;
}

std::shared_ptr<const PointCloud> shared(PointCloud cloud) {
  return std::make_shared<const PointCloud>(std::move(cloud));
}

bool same_bytes(const Buffer& a, const Buffer& b) {
  const auto left = a.host_span<std::byte>(), right = b.host_span<std::byte>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

class IndexingContract : public testing::Test {
 protected:
  void expect_level(const CoordSet& found, const CoordSet& truth, const std::string& what) {
    ASSERT_EQ(size_of(found), size_of(truth)) << what;
    EXPECT_EQ(all_voxels(found), all_voxels(truth)) << what;
    EXPECT_EQ(found.stride, truth.stride) << what;
    EXPECT_EQ(found.extent, truth.extent) << what;
    EXPECT_EQ(found.count.host_span<std::int64_t>()[0], size_of(truth)) << what;
    EXPECT_LE(size_of(found), found.capacity) << what;
  }
  /// Compares all levels that are coarser than `found` with the levels of the reference.
  void expect_coarser(const CoordSet& found, const CoordSet& truth, const std::string& what) {
    for (int stride = truth.stride; stride <= 16; stride *= 2) {
      expect_level(subject_->downsample(found, stride, job_), reference_->downsample(truth, stride, job_),
                   what + ", stride " + std::to_string(stride));
    }
  }
  void expect_same(const Voxelized& found, const Voxelized& truth, bool lists, const std::string& what) {
    expect_level(found.coords, truth.coords, what);
    EXPECT_EQ(found.shift, truth.shift) << what;
    EXPECT_EQ(found.features.rows, truth.features.rows) << what;
    EXPECT_TRUE(same_bytes(found.features.data, truth.features.data)) << what << ": features";
    EXPECT_EQ(found.points_per_voxel, lists ? truth.points_per_voxel : std::vector<std::int32_t>{}) << what;
    EXPECT_EQ(found.voxel_of_point, lists ? truth.voxel_of_point : std::vector<std::int32_t>{}) << what;
  }
  /// Compares the result with the reference: with and without point lists, in both precisions, and at all
  /// strides.
  void expect_right(const PointCloud& cloud, const Grid& grid, const PackSpec& pack,
                    const std::string& what) {
    for (const auto precision : {Precision::fp32, Precision::fp16}) {
      VoxelizeRequest request{pack, 16, precision};
      const Voxelized truth = reference_->voxelize(cloud, grid, request, job_);
      const Voxelized found = subject_->voxelize(cloud, grid, request, job_);
      const std::string which = what + ", " + pack.text() + ", " + std::string(text_of(precision));
      expect_same(found, truth, true, which);
      request.point_lists = false;
      expect_same(subject_->voxelize(cloud, grid, request, job_), truth, false, which + ", no lists");
      expect_coarser(found.coords, truth.coords, which);
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

TEST_F(IndexingContract, EveryPackingOfSmallAndMiddlingScenes) {
  for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64(), PackSpec{11, 11, 10},
                               PackSpec{20, 6, 6}, PackSpec{27, 9, 9}}) {
    std::uint64_t seed = 70;
    for (const std::int64_t points : {1, 2, 31, 32, 33, 257, 3000})
      expect_right(scattered(points, {40, 50, 45}, ++seed), metre, pack, std::to_string(points) + " points");
  }
}

TEST_F(IndexingContract, NoPointsAndNoPointsInsideTheCrop) {
  const Grid elsewhere{{1, 1, 1}, Bounds{{100, 100, 100}, {101, 101, 101}}};
  expect_right({}, metre, PackSpec::bits32(), "nothing");
  expect_right(scattered(500, {9, 9, 9}, 3), elsewhere, PackSpec::bits32(), "all cropped");
}

TEST_F(IndexingContract, FullVoxelsAloneAndBesideSparseOnes) {
  for (const std::int64_t points : {2, 40, 64, 65, 300, 20'000}) {
    const std::string what = std::to_string(points) + " points of ";
    expect_right(scattered(points, {0.9, 0.9, 0.9}, 11), metre, PackSpec::bits32(), what + "one voxel");
    expect_right(scattered(points, {3, 2, 40}, 12), metre, PackSpec::bits32(), what + "few voxels");
    PointCloud mixed = scattered(points, {0.9, 0.9, 0.9}, 13);
    const PointCloud sparse = scattered(900, {60, 60, 60}, 14);
    // Insert the points of the crowded voxel between the other points of the file.
    for (std::size_t at = 0; at < sparse.positions.size(); ++at) {
      const std::size_t before = (at * 7919) % mixed.positions.size();
      mixed.positions.insert(mixed.positions.begin() + static_cast<std::ptrdiff_t>(before),
                             sparse.positions[at]);
      mixed.intensity.insert(mixed.intensity.begin() + static_cast<std::ptrdiff_t>(before),
                             sparse.intensity[at]);
    }
    expect_right(mixed, metre, PackSpec::bits64(), what + "one voxel among others");
    expect_right(mixed, {{1, 1, 1}, Bounds{{0.2, 0, 0}, {30, 60, 55}}}, PackSpec::bits32(),
                 what + "a part of it");
  }
}

TEST_F(IndexingContract, MeansAreSumsInTheOrderOfThePoints) {
  // The points are mirrored about the display origin, so their exact sums are zero. The computed sums contain
  // only rounding errors, and these depend on the order of the points.
  const Grid wide{{40'000, 40'000, 40'000}, {}};
  for (const int pairs : {20, 32, 33, 150, 3000}) {
    Random random(static_cast<std::uint64_t>(pairs));
    PointCloud cloud;
    cloud.positions = {{0.25, 0.25, 0.25}, {39'999.75, 39'999.75, 39'999.75}};
    for (int at = 0; at < pairs; ++at) {
      const Point p{random.uniform() * 39'999, random.uniform() * 39'999, random.uniform() * 39'999};
      cloud.positions.push_back(p);
      cloud.positions.push_back({40'000 - p[0], 40'000 - p[1], 40'000 - p[2]});
    }
    for (std::size_t at = cloud.positions.size(); at > 1; --at)
      std::swap(cloud.positions[at - 1], cloud.positions[random.below(at)]);
    PointCloud backwards = cloud;
    std::reverse(backwards.positions.begin(), backwards.positions.end());
    const Voxelized one = reference_->voxelize(cloud, wide, {}, job_),
                    other = reference_->voxelize(backwards, wide, {}, job_);
    EXPECT_FALSE(same_bytes(one.features.data, other.features.data))
        << "the test needs a scene in which the order of the points changes the means";
    expect_right(cloud, wide, PackSpec::bits32(), std::to_string(pairs) + " pairs");
    expect_right(backwards, wide, PackSpec::bits32(), std::to_string(pairs) + " pairs backwards");
    expect_right(cloud, {{9000, 13'000, 20'000}, {}}, PackSpec::bits64(), "in several voxels");
  }
}

TEST_F(IndexingContract, CroppedShiftedAndFarAwayScenes) {
  const Grid cropped{{0.5, 1.0, 0.25}, Bounds{{3.3, -1.0, 2.0}, {30.0, 22.2, 9.0}}};
  expect_right(scattered(4000, {40, 40, 12}, 21), cropped, PackSpec::bits32(), "cropped");
  // The last offset is so large that a display origin is used.
  for (const double offset : {-1000.3, 17.9, 500'000.5}) {
    PointCloud moved = scattered(2000, {30, 20, 10}, 22, false);
    for (Point& p : moved.positions)
      p = {p[0] + offset, p[1] - offset, p[2] + 3};
    expect_right(moved, metre, PackSpec::bits32(), "moved by " + std::to_string(offset));
  }
}

TEST_F(IndexingContract, OrderOfPointsDoesNotChangeTheVoxels) {
  PointCloud cloud = scattered(5000, {64, 64, 64}, 31, false);
  const Voxelized one = subject_->voxelize(cloud, metre, {}, job_);
  std::sort(cloud.positions.begin(), cloud.positions.end());
  expect_right(cloud, metre, PackSpec::bits32(), "ascending");
  std::reverse(cloud.positions.begin(), cloud.positions.end());
  expect_right(cloud, metre, PackSpec::bits32(), "descending");
  const Voxelized other = subject_->voxelize(cloud, metre, {}, job_);
  EXPECT_EQ(all_voxels(one.coords), all_voxels(other.coords));
}

TEST_F(IndexingContract, BoxesFromOneCellToMoreThanAGridHolds) {
  struct Box {
    std::array<double, 3> size_m;
    PackSpec pack;
  };
  // A grid word has bits for 32 cells along z; the last 6 cells are also in the next word. Some boxes end at
  // the end of a word. For some boxes, the grid needs some hundred MB at one stride but little memory at
  // another. One grid does not fit in any memory.
  for (const Box& box :
       {Box{{1, 1, 31.9}, PackSpec::bits32()}, Box{{1, 1, 32.9}, PackSpec::bits32()},
        Box{{33, 2, 200}, PackSpec::bits32()}, Box{{2, 4000, 3}, PackSpec::bits32()},
        Box{{4000, 2, 3}, PackSpec::bits32()}, Box{{4000, 4000, 200}, PackSpec::bits32()},
        Box{{9000, 9000, 3}, PackSpec::bits64()}, Box{{300, 300, 60'000}, PackSpec::bits64()},
        Box{{70'000, 60'000, 5000}, PackSpec::bits64()}, Box{{16e6, 16e6, 60'000}, PackSpec::bits64()}}) {
    PointCloud cloud = scattered(1500, box.size_m, 41);
    cloud.positions.front() = {0, 0, 0};
    cloud.positions.back() = {box.size_m[0] - 0.5, box.size_m[1] - 0.5, box.size_m[2] - 0.5};
    const PointCloud dense = scattered(2500, {std::min(box.size_m[0], 30.0), 9, 20}, 42);
    cloud.positions.insert(cloud.positions.end(), dense.positions.begin(), dense.positions.end());
    cloud.intensity.insert(cloud.intensity.end(), dense.intensity.begin(), dense.intensity.end());
    expect_right(cloud, metre, box.pack,
                 std::to_string(box.size_m[0]) + " x " + std::to_string(box.size_m[1]) + " x " +
                     std::to_string(box.size_m[2]) + " cells");
  }
}

TEST_F(IndexingContract, CoarserLevelsOfCoarseLevelsAndOfFullFields) {
  for (const PackSpec& pack : {PackSpec{12, 12, 8}, PackSpec{22, 5, 5}, PackSpec{24, 24, 16},
                               PackSpec{27, 3, 2}, PackSpec{31, 31, 1}, PackSpec{6, 6, 20}}) {
    for (const int stride : {1, 2, 4, 16}) {
      const auto cells = [&](int bits) { return std::int64_t{1} << std::min(bits, 30); };
      const auto voxels =
          test::box_voxels({cells(pack.x_bits), cells(pack.y_bits), cells(pack.z_bits)}, stride, 400, 51);
      CoordSet level = test::coord_set(pack, voxels, stride);
      expect_coarser(level, level, "all of " + pack.text());
      level.extent = {cells(pack.x_bits), cells(pack.y_bits), cells(pack.z_bits)};
      expect_coarser(level, level, "all of " + pack.text() + ", which is known");
    }
  }
}

TEST_F(IndexingContract, CoarserLevelsOfKnownBoxesThatEndWithinAWord) {
  for (const std::int64_t z : {1, 2, 31, 32, 33, 64, 100}) {
    for (const std::int64_t side : {1, 3, 17, 64}) {
      const std::array<std::int64_t, 3> box{side, side + 2, z};
      for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64()}) {
        CoordSet level = test::coord_set(pack, test::box_voxels(box, 1, 3000, 52));
        level.extent = box;
        const CoordSet roomy = test::with_room(level);
        const std::string what = std::to_string(side) + " wide, " + std::to_string(z) + " high";
        expect_coarser(level, level, what);
        for (const int stride : {1, 2, 16})
          expect_level(subject_->downsample(roomy, stride, job_), reference_->downsample(level, stride, job_),
                       what + ", with room");
      }
    }
  }
}

TEST_F(IndexingContract, OneUploadServesManyGridsAndUploadsDoNotInterfere) {
  const auto first = shared(scattered(3000, {50, 50, 50}, 61)),
             second = shared(scattered(1700, {20, 90, 10}, 62, false));
  const UploadedPoints of_first = subject_->upload_points(first, job_);
  const Grid fine{{0.5, 0.5, 0.5}, {}};
  const auto expect = [&](const UploadedPoints& points, const Grid& grid, const std::string& what) {
    VoxelizeRequest request{PackSpec::bits32(), 16, Precision::fp32};
    const Voxelized truth = reference_->voxelize(*points.cloud, grid, request, job_);
    request.range = voxel_range(*points.cloud, grid, job_);
    for (const bool lists : {true, false, true}) {
      request.point_lists = lists;
      const Voxelized found = subject_->voxelize(points, grid, request, job_);
      expect_same(found, truth, lists, what);
      expect_coarser(found.coords, truth.coords, what);
    }
  };
  expect(of_first, metre, "first");
  expect(of_first, fine, "first, finer");
  const UploadedPoints of_second = subject_->upload_points(second, job_);
  expect(of_second, metre, "second");
  expect(of_first, metre, "first again");
  expect(subject_->upload_points(second, job_), fine, "second, uploaded again");
}

TEST_F(IndexingContract, ARequestWithoutTheRangeIsRefused) {
  const UploadedPoints points = subject_->upload_points(shared(scattered(10, {5, 5, 5}, 1)), job_);
  EXPECT_THROW(static_cast<void>(subject_->voxelize(points, metre, VoxelizeRequest{}, job_)), Error);
}

TEST_F(IndexingContract, RealScenesWithThousandsOfPointsInAVoxel) {
  SPIRA_NEED_REAL_SCENES();
  for (const char* file : {"outdoor/gicp_251371071.pcd", "nuscenes/n008_1533151603597909.pcd.bin",
                           "kitti/object_000008_front.bin"}) {
    const auto cloud = load_scene(test::data_folder() / file, {}, job_);
    for (const double voxel_m : {0.1, 0.4})
      expect_right(*cloud, {{voxel_m, voxel_m, voxel_m}, {}}, PackSpec::bits64(), file);
  }
}

TEST(IndexingMemory, PointsAreHeldOnceAndAllOtherMemoryIsReleased) {
  // The test uses a new back end, because its memory use is known.
  const auto backend = app::make_registry().make(test::subject_name());
  Job job;
  const auto cloud = shared(scattered(20'000, {60, 50, 40}, 71));
  const std::size_t before = backend->memory().used_bytes();
  {
    const UploadedPoints points = backend->upload_points(cloud, job);
    const std::size_t held = backend->results_are_host_memory() ? 0 : 20'000 * (3 * sizeof(double) + 4);
    EXPECT_EQ(backend->memory().used_bytes() - before, held);
    VoxelizeRequest request{PackSpec::bits32(), 16, Precision::fp32, voxel_range(*cloud, metre, job)};
    for (const bool lists : {true, false}) {
      request.point_lists = lists;
      const Voxelized level0 = backend->voxelize(points, metre, request, job);
      const CoordSet coarse = backend->downsample(level0.coords, 4, job);
      const std::size_t results = level0.coords.keys.bytes() + level0.coords.count.bytes() +
                                  level0.features.data.bytes() + coarse.keys.bytes() + coarse.count.bytes();
      EXPECT_EQ(backend->memory().used_bytes() - before, held + results);
    }
    EXPECT_EQ(backend->memory().used_bytes() - before, held);
  }
  EXPECT_EQ(backend->memory().used_bytes(), before);
}

}  // namespace
}  // namespace spira
