// Tests that every mapping algorithm gives exactly the same kernel map as the naive reference, in every
// layout.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

constexpr std::array algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                MapAlgorithm::sorted_query};
constexpr std::array layouts{MapLayout::output_major, MapLayout::offset_major, MapLayout::pair_lists,
                             MapLayout::z_runs};

bool same_bytes(const Buffer& a, const Buffer& b) {
  const auto left = a.host_span<std::byte>(), right = b.host_span<std::byte>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

/// Returns `layers` dense layers of 2,475 voxels each.
CoordSet dense_layers(int layers) {
  std::vector<Voxel> voxels;
  for (std::int32_t x = 0; x < layers; ++x)
    for (std::int32_t y = 0; y < 60; ++y)
      for (std::int32_t z = 0; z < 55; ++z)
        if (((7 * x) + (3 * y) + (5 * z)) % 4 != 0) voxels.push_back({x, y, z});
  return test::coord_set(PackSpec::bits32(), voxels);
}

class MappingContract : public testing::Test {
 protected:
  void expect_same(const CoordSet& in, const CoordSet& out, const MapRequest& request) {
    const KernelMap found = cpu_->build_map(in, out, request, job_);
    const KernelMap truth = reference_->build_map(in, out, request, job_);
    const std::string what = in.pack.text() + " K " + std::to_string(request.offsets->z_cells()) +
                             " stride " + std::to_string(in.stride) + " -> " + std::to_string(out.stride) +
                             " " + std::string(text_of(request.algorithm)) + " " +
                             std::string(text_of(request.parts.at(0).layout)) + " " +
                             std::to_string(request.parts.at(0).splits) + (request.half ? " half" : "");
    ASSERT_EQ(found.parts.size(), truth.parts.size()) << what;
    for (std::size_t at = 0; at < found.parts.size(); ++at) {
      ASSERT_EQ(found.parts[at].columns, truth.parts[at].columns) << what;
      ASSERT_TRUE(same_bytes(found.parts[at].entries, truth.parts[at].entries)) << what;
      ASSERT_TRUE(same_bytes(found.parts[at].counts, truth.parts[at].counts)) << what;
      ASSERT_EQ(found.parts[at].splits, truth.parts[at].splits) << what;
      ASSERT_TRUE(same_bytes(found.parts[at].order, truth.parts[at].order)) << what;
    }
    ASSERT_EQ(found.outputs, truth.outputs);
    ASSERT_EQ(found.inputs, truth.inputs);
    ++compared_;
  }
  void expect_all(const CoordSet& in, const CoordSet& out, int kernel_size) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, in.stride);
    const auto columns = test::all_columns(*offsets);
    for (const auto algorithm : algorithms) {
      for (const auto layout : layouts)
        expect_same(in, out, {offsets, algorithm, {{layout, columns}}, false});
      for (const int splits : {1, 2, 5, 6})
        expect_sorted(in, out, algorithm, offsets, splits);
      if (in.stride == out.stride && offsets->centred())
        expect_same(in, out, {offsets, algorithm, {{MapLayout::pair_lists, columns}}, true});
      const int middle = (offsets->max_threshold() + 1) / 2;
      expect_same(
          in, out,
          request_for_threshold(offsets, algorithm, middle, in.stride == out.stride && offsets->centred()));
    }
  }
  /// Checks a mask_sorted map if the number of splits is possible.
  void expect_sorted(const CoordSet& in, const CoordSet& out, MapAlgorithm algorithm,
                     const std::shared_ptr<const KernelOffsets>& offsets, int splits) {
    if (!why_not_splits(offsets->columns(), splits).empty()) return;
    const MapPartRequest part{MapLayout::mask_sorted, test::all_columns(*offsets), splits};
    expect_same(in, out, {offsets, algorithm, {part}, false});
  }
  /// Checks the submanifold maps of `in`. If there is a next level, also checks the strided maps to this
  /// level.
  void expect_all_levels(const CoordSet& in, std::initializer_list<int> kernel_sizes) {
    for (const int kernel_size : kernel_sizes) {
      expect_all(in, in, kernel_size);
      if (in.stride < 16) expect_all(in, reference_->downsample(in, in.stride * 2, job_), kernel_size);
    }
  }

  Job job_;
  std::shared_ptr<Backend> cpu_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  int compared_ = 0;
};

TEST_F(MappingContract, Trap1BoxesAtTheLimitOfThePacking) {
  std::uint64_t seed = 20;
  for (const PackSpec& pack :
       {PackSpec{12, 12, 8}, PackSpec{22, 5, 5}, PackSpec{24, 24, 16}, PackSpec{27, 3, 2}}) {
    for (const int kernel_size : {1, 2, 3, 5, 7}) {
      const Fit limit = fit({1, 1, 1}, pack, {kernel_size, 16});
      if (!limit.fits()) continue;
      for (const int stride : {1, 2, 16}) {
        const auto voxels = test::box_voxels({limit.axes[0].limit, limit.axes[1].limit, limit.axes[2].limit},
                                             stride, 60, ++seed);
        expect_all_levels(test::coord_set(pack, voxels, stride), {kernel_size});
      }
    }
  }
  EXPECT_GT(compared_, 500);
}

TEST_F(MappingContract, Trap4DenseColumnsAndNeighbouringColumnsAreNotCrossed) {
  std::vector<Voxel> column, wall;
  for (std::int32_t z = 0; z < 700; ++z)
    column.push_back({3, 3, z});
  for (std::int32_t y = 0; y < 12; ++y) {
    for (std::int32_t z = 0; z < 12; ++z)
      wall.push_back({5, y, z % 5 == 0 ? z : 11 - z});
  }
  const PackSpec pack{11, 11, 10};
  expect_all_levels(test::coord_set(pack, column), {1, 2, 3, 5});
  expect_all_levels(test::coord_set(pack, wall), {1, 2, 3, 5, 7});
}

TEST_F(MappingContract, Trap6EvenKernelsOfStridedLayers) {
  const auto voxels = test::box_voxels({40, 40, 20}, 1, 900, 31);
  CoordSet level = test::coord_set(PackSpec::bits32(), voxels);
  for (const int stride : {2, 4, 8, 16}) {
    CoordSet coarse = reference_->downsample(level, stride, job_);
    expect_all(level, coarse, 2);
    const auto offsets = std::make_shared<const KernelOffsets>(2, level.stride);
    const KernelMap map = cpu_->build_map(
        level, coarse,
        {offsets, MapAlgorithm::z_delta, {{MapLayout::z_runs, test::all_columns(*offsets)}}, false}, job_);
    // Each input has exactly one parent, so there is one pair per input.
    std::int64_t pairs = 0;
    for (const auto matches : matches_per_column(map))
      pairs += matches;
    EXPECT_EQ(pairs, size_of(level));
    level = std::move(coarse);
  }
}

TEST_F(MappingContract, Trap8EmptyTinyAndOddSizes) {
  for (const int count : {0, 1, 2, 511, 512, 513, 1025}) {
    auto voxels = test::box_voxels({30, 30, 30}, 1, 4 * count, static_cast<std::uint64_t>(count) + 40);
    std::sort(voxels.begin(), voxels.end());
    voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
    ASSERT_GE(voxels.size(), static_cast<std::size_t>(std::min(count, 8)));
    voxels.resize(std::min(voxels.size(), static_cast<std::size_t>(count)));
    expect_all_levels(test::coord_set(PackSpec::bits32(), voxels), {1, 2, 3});
  }
  PointCloud same;
  same.positions.assign(1000, Point{1.0, 2.0, 3.0});
  const Voxelized one = cpu_->voxelize(same, {}, {}, job_);
  EXPECT_EQ(size_of(one.coords), 1);
  EXPECT_EQ(one.points_per_voxel, std::vector<std::int32_t>{1000});
  const Voxelized none = cpu_->voxelize(PointCloud{}, {}, {}, job_);
  EXPECT_EQ(size_of(none.coords), 0);
  EXPECT_EQ(size_of(cpu_->downsample(none.coords, 2, job_)), 0);
}

/// If there are few outputs, a device may build the lists in a single launch. Some of the tested numbers of
/// outputs are below this limit, and some are above.
TEST_F(MappingContract, ListsOfFewAndOfManyOutputs) {
  for (const auto& [layers, kernel_size] : {std::pair{36, 3}, {30, 3}, {14, 3}, {7, 5}, {6, 5}, {3, 5}}) {
    const CoordSet level = dense_layers(layers);
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    const auto columns = test::all_columns(*offsets);
    expect_same(level, level, {offsets, MapAlgorithm::z_delta, {{MapLayout::pair_lists, columns}}, true});
    expect_same(level, level, {offsets, MapAlgorithm::z_delta, {{MapLayout::pair_lists, columns}}, false});
    expect_same(level, level, request_for_threshold(offsets, MapAlgorithm::z_delta, 1, true));
  }
}

/// If a single launch builds the lists for few outputs, the buffer has capacity for the largest possible
/// number of pairs. pair_list_bytes() must return this size.
TEST_F(MappingContract, PairListsUseTheForecastMemory) {
  const auto device = app::make_registry().make(test::subject_name());
  bool some_with_room = false;
  for (const auto& [layers, kernel_size, half] : {std::tuple{36, 3, true},
                                                  {30, 3, true},
                                                  {14, 3, false},
                                                  {6, 5, true},
                                                  {45, 2, false},
                                                  {30, 2, false}}) {
    const CoordSet level = device->upload(dense_layers(layers));
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    const MapRequest request{
        offsets, MapAlgorithm::z_delta, {{MapLayout::pair_lists, test::all_columns(*offsets)}}, half};
    // These calls allocate the memory that the back end keeps for later calls.
    for (int time = 0; time < 3; ++time)
      static_cast<void>(device->build_map(level, level, request, job_));
    const std::size_t before = device->memory().used_bytes();
    const KernelMap map = device->build_map(level, level, request, job_);
    const KernelMap::Part& part = map.parts.at(0);
    const double pairs = static_cast<double>(part.entries.bytes()) / bytes_of_pair;
    const std::size_t said = device->pair_list_bytes(
        {request.algorithm, kernel_size, map.outputs, part.columns.size(), pairs, true});
    EXPECT_EQ(device->memory().used_bytes() - before, said + part.counts.bytes())
        << layers << " layers, K " << kernel_size;
    some_with_room |= said > part.entries.bytes();
  }
  const bool large = device->facts().kind == BackendKind::cuda && device->facts().threads > 100;
  EXPECT_TRUE(some_with_room || !large) << "at least one map must get its lists from one launch";
}

TEST_F(MappingContract, VoxelizeAndDownsampleEqualTheReference) {
  Random random(50);
  PointCloud cloud;
  for (int at = 0; at < 4000; ++at) {
    cloud.positions.push_back({random.normal() * 9.0, random.normal() * 9.0, random.normal()});
    cloud.intensity.push_back(static_cast<float>(random.uniform()));
  }
  // This point is on voxel boundaries.
  cloud.positions.push_back({-0.1, 0.1, 0.3});
  cloud.intensity.push_back(1.0F);
  const Grid cropped{{0.1, 0.2, 0.05}, Bounds{{-5.0, -5.0, -1.0}, {5.0, 7.0, 1.0}}};
  for (const Grid& grid : {Grid{{0.3, 0.3, 0.3}, {}}, cropped}) {
    for (const auto precision : {Precision::fp32, Precision::fp16}) {
      for (const PackSpec& pack : {PackSpec::bits32(), PackSpec::bits64()}) {
        const VoxelizeRequest request{pack, 16, precision};
        const Voxelized a = cpu_->voxelize(cloud, grid, request, job_);
        const Voxelized b = reference_->voxelize(cloud, grid, request, job_);
        EXPECT_EQ(all_voxels(a.coords), all_voxels(b.coords));
        EXPECT_EQ(a.shift, b.shift);
        EXPECT_EQ(a.points_per_voxel, b.points_per_voxel);
        EXPECT_EQ(a.voxel_of_point, b.voxel_of_point);
        EXPECT_TRUE(same_bytes(a.features.data, b.features.data));
        for (const int stride : {1, 2, 4, 8, 16}) {
          EXPECT_EQ(all_voxels(cpu_->downsample(a.coords, stride, job_)),
                    all_voxels(reference_->downsample(b.coords, stride, job_)));
        }
      }
    }
  }
}

TEST_F(MappingContract, ARealSceneInEveryAlgorithmAndLayout) {
  SPIRA_NEED_REAL_SCENES();
  const auto cloud = load_scene(test::data_folder() / "kitti/object_000008_front.bin", {}, job_);
  const Voxelized level0 = cpu_->voxelize(*cloud, {{0.1, 0.1, 0.1}, {}}, {}, job_);
  expect_all_levels(level0.coords, {3});
  expect_all_levels(reference_->downsample(level0.coords, 4, job_), {5});
}

}  // namespace
}  // namespace spira
