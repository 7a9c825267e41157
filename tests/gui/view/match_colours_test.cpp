// Tests colourings that count matches or compare two scenes. Compares them with a naive count for each voxel.
#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/session.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace spira::ui {
namespace {

class MatchColours : public testing::Test {
 protected:
  static std::shared_ptr<PointCloud> cloud(int points, std::uint64_t seed) {
    Random random(seed);
    auto made = std::make_shared<PointCloud>();
    for (int at = 0; at < points; ++at)
      made->positions.push_back(
          {random.uniform(-1.5, 1.5), random.uniform(2.0, 4.5), random.uniform(-0.4, 0.8)});
    return made;
  }
  std::shared_ptr<const VoxelScene> voxels(std::shared_ptr<const PointCloud> of) {
    return voxelize_scene(*backend_, std::move(of), {{0.1, 0.2, 0.05}, {}}, PackSpec::bits32(), {5, 16},
                          job_);
  }

  Job job_;
  std::shared_ptr<Backend> backend_ = app::make_registry().make("cpu");
};

TEST_F(MatchColours, TheSidesOfTAreSharesOfTheMatchesOfEachVoxel) {
  const auto scene = voxels(cloud(400, 6));
  ColourSources sources;
  sources.map = map_of_scene(*backend_, *scene, {3, 1, 1}, job_);
  sources.sides = {Rgb{0, 0, 200}, Rgb{200, 100, 0}};
  EXPECT_FALSE(colouring_unavailable_reason(ColourBy::threshold_sides, *scene, 1, sources).isEmpty())
      << "the sides of t must require a layer";
  sources.threshold = 2;
  const VoxelValues values = voxel_values(*scene, 1, ColourBy::threshold_sides, sources);
  ASSERT_EQ(std::ssize(values.amount), sources.map->outputs);
  for (std::int32_t row = 0; row < sources.map->outputs; row += 7) {
    int all = 0, sparse = 0;
    const auto inputs = row_of(*sources.map, row);
    for (int column = 0; column < 27; ++column) {
      if (inputs[static_cast<std::size_t>(column)] < 0) continue;
      ++all;
      sparse += sources.map->offsets->l1(column) >= 2 ? 1 : 0;
    }
    EXPECT_FLOAT_EQ(values.amount[static_cast<std::size_t>(row)],
                    100.0F * static_cast<float>(sparse) / static_cast<float>(all));
  }
  const VoxelColours colours = paint(values, ColourMap::bands, values.scale->range);
  sources.threshold = 4;
  const VoxelColours all_dense = paint(voxel_values(*scene, 1, ColourBy::threshold_sides, sources),
                                       ColourMap::viridis, values.scale->range);
  EXPECT_NE(colours.colour, all_dense.colour);
  EXPECT_EQ(all_dense.colour.front(), sources.sides[0]);
  EXPECT_EQ(colours.legend.low_text, "0 %: all OS");
}

TEST_F(MatchColours, DensityIsTheShareOfExistingNeighbours) {
  const auto scene = voxels(cloud(400, 6));
  ColourSources sources;
  sources.map = map_of_scene(*backend_, *scene, {3, 1, 1}, job_);
  const VoxelValues values = voxel_values(*scene, 1, ColourBy::density, sources);
  EXPECT_EQ(values.title, "density, % of 27 neighbours");
  const auto matches = matches_per_output(*sources.map);
  ASSERT_EQ(values.amount.size(), matches.size());
  for (std::size_t row = 0; row < matches.size(); ++row)
    EXPECT_FLOAT_EQ(values.amount[row], 100.0F * static_cast<float>(matches[row]) / 27.0F);
}

TEST_F(MatchColours, OffsetsMatchOneByOneOrByTheNearest) {
  const auto scene = voxels(cloud(400, 6));
  ColourSources sources;
  sources.map = map_of_scene(*backend_, *scene, {3, 1, 1}, job_);
  const KernelMap& map = *sources.map;
  const auto nearest = [&](std::int32_t row, const std::vector<int>& of) {
    const auto inputs = row_of(map, row);
    int best = 0;
    for (const int column : of) {
      const int l1 = map.offsets->l1(column);
      if (inputs[static_cast<std::size_t>(column)] >= 0 && l1 > 0 && (best == 0 || l1 < best)) best = l1;
    }
    return static_cast<std::uint32_t>(best);
  };
  std::vector<int> all(27);
  std::iota(all.begin(), all.end(), 0);
  const VoxelValues any = voxel_values(*scene, 1, ColourBy::offset_match, sources);
  sources.columns = {0, 1, 2, 4, 10};
  const VoxelValues some = voxel_values(*scene, 1, ColourBy::offset_match, sources);
  EXPECT_EQ(some.title, "L1 distance to nearest neighbour (only at the 5 selected offsets)");
  sources.columns = {4, 14};
  const VoxelValues two = voxel_values(*scene, 1, ColourBy::offset_match, sources);
  ASSERT_EQ(two.classes.size(), 4U);
  EXPECT_EQ(two.classes[3].text, "(-1, 0, 0) + (0, 0, 1)");
  for (std::int32_t row = 0; row < map.outputs; row += 3) {
    const auto at = static_cast<std::size_t>(row);
    EXPECT_EQ(any.label[at], nearest(row, all));
    EXPECT_EQ(some.label[at], nearest(row, {0, 1, 2, 4, 10}));
    const auto inputs = row_of(map, row);
    EXPECT_EQ(two.label[at], (inputs[4] >= 0 ? 1U : 0U) + (inputs[14] >= 0 ? 2U : 0U));
  }
  const VoxelColours colours = paint(two, ColourMap::viridis, {});
  EXPECT_TRUE(colours.legend.fixed());
  EXPECT_FALSE(colours.legend.labels) << "the classes of offsets must not be labels that can be hidden";
  std::int64_t counted = 0;
  for (const auto& one : colours.legend.classes)
    counted += one.voxels;
  EXPECT_EQ(counted, map.outputs);
}

TEST_F(MatchColours, ChangesAreFoundRegardlessOfTheShiftsOfTheScenes) {
  auto before = std::make_shared<PointCloud>();
  before->positions = {{-7.05, 0.1, 0.01}, {0.05, 0.1, 0.01}, {0.15, 0.1, 0.06}};
  const auto other = voxels(before);
  ColourSources sources;
  sources.other = other;
  auto after = std::make_shared<PointCloud>();
  after->positions = {{0.05, 0.1, 0.01}, {0.06, 0.1, 0.01}, {0.15, 0.1, 0.06}};
  const auto scene = voxels(after);
  ASSERT_EQ(size_of(scene->level(1)), 2);
  const VoxelValues values = voxel_values(*scene, 1, ColourBy::changed, sources);
  EXPECT_EQ(values.label, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(values.classes.at(2).elsewhere, 1) << "the far point must be the only voxel elsewhere";
  sources.other = scene;
  const VoxelValues back = voxel_values(*other, 1, ColourBy::changed, sources);
  EXPECT_EQ(back.label, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_EQ(back.classes.at(2).elsewhere, 0);
  const VoxelColours colours = paint(back, ColourMap::viridis, {});
  ASSERT_EQ(colours.legend.classes.size(), 2U);
  EXPECT_EQ(colours.legend.classes[1].text, "only in this scene");
  EXPECT_TRUE(colouring_unavailable_reason(ColourBy::changed, *other, 1, sources).isEmpty());
  const int coarser = 2 * scene->levels.back()->stride;
  EXPECT_FALSE(has_level(*scene, coarser));
  EXPECT_FALSE(colouring_unavailable_reason(ColourBy::changed, *other, coarser, sources).isEmpty());
}

}  // namespace
}  // namespace spira::ui
