// Tests that voxel counts, extents, bits and densities of real scenes equal the ground truth exactly. The
// ground truth was computed by an independent program.
#include "engine/backend/host_read.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

using nlohmann::json;

int bits_for(std::int64_t cells) {
  int bits = 1;
  while ((std::int64_t{1} << bits) < cells)
    ++bits;
  return bits;
}

void check_densities(Backend& backend, const VoxelScene& scene, const json& truth, int kernel_size) {
  Job job;
  const Densities found = densities(*map_of_scene(backend, scene, {kernel_size, 1, 1}, job));
  EXPECT_EQ(found.pairs, truth["map_entries"].get<std::int64_t>()) << "K = " << kernel_size;
  ASSERT_EQ(found.groups.size(), truth["density_by_l1"].size());
  for (const L1Density& group : found.groups) {
    const auto at = static_cast<std::size_t>(group.l1);
    EXPECT_NEAR(group.mean, truth["density_by_l1"][at].get<double>(), 1e-12)
        << "K = " << kernel_size << ", L1 = " << group.l1;
    EXPECT_EQ(group.offsets, truth["offsets_by_l1"][at].get<int>());
  }
}

void check_grid(Backend& backend, const std::shared_ptr<const PointCloud>& cloud, const json& truth) {
  Job job;
  const double size = truth["grid"].get<double>();
  const Grid grid{{size, size, size}, {}};
  const VoxelRange range = voxel_range(*cloud, grid, job);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(bits_for(range.high[axis] - range.low[axis] + 1), truth["bits"][axis].get<int>());
  }
  const auto packs = packings_that_fit(range.extent(16), {5, 16});
  ASSERT_FALSE(packs.empty());
  const auto scene = voxelize_scene(backend, cloud, grid, packs.front(), {5, 16}, job);
  EXPECT_EQ(size_of(scene->level(1)), truth["voxels"].get<std::int64_t>());
  for (const int kernel_size : {3, 5}) {
    const auto key = "K" + std::to_string(kernel_size);
    if (truth.contains(key)) check_densities(backend, *scene, truth[key], kernel_size);
  }
}

TEST(GroundTruth, EveryRealSceneHasTheExpectedVoxelsAndDensities) {
  SPIRA_NEED_REAL_SCENES();
  const auto backend = test::make_subject();
  int scenes = 0;
  const json all = test::ground_truth();
  for (const auto& [name, truth] : all.items()) {
    if (test::unsupported(name)) continue;
    SCOPED_TRACE(name);
    Job job;
    const auto cloud = load_scene(test::data_folder() / name, {}, job);
    EXPECT_EQ(cloud->size() + cloud->dropped_non_finite, truth["points"].get<std::int64_t>())
        << cloud->reading;
    EXPECT_EQ(cloud->dropped_non_finite, truth["non_finite"].get<std::int64_t>());
    for (const auto& grid : truth["grids"])
      check_grid(*backend, cloud, grid);
    ++scenes;
  }
  EXPECT_GE(scenes, 20);
}

TEST(GroundTruth, UnsupportedFormatsAreRefused) {
  SPIRA_NEED_REAL_SCENES();
  const json all = test::ground_truth();
  for (const auto& [name, truth] : all.items()) {
    if (!test::unsupported(name)) continue;
    Job job;
    try {
      static_cast<void>(load_scene(test::data_folder() / name, {}, job));
      ADD_FAILURE() << name << " must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find("not supported yet"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace spira
