#include "engine/run/session.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::SmallSession;
using testing::HasSubstr;
using testing::Not;

ErrorKind kind_of(const std::function<void()>& call, std::string* text = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (text != nullptr) *text = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "the call must throw";
  return ErrorKind::internal;
}

TEST(Session, RunsWhatALayerNeedsFirst) {
  SmallSession inorder, direct;
  inorder.load();
  direct.load();
  Job job;
  inorder.session.run_all(inorder.plan, job, {});
  const int last = direct.index("last");
  const auto result = direct.session.run_layer(last, direct.plan, job);
  EXPECT_EQ(test::values_of(*result->features), test::values_of(*inorder.session.result(last)->features));
  for (int layer = 0; layer <= last; ++layer)
    EXPECT_NE(direct.session.result(layer), nullptr) << layer;
}

TEST(Session, ALayerThatRunsAgainDropsAllThatReadIt) {
  SmallSession some;
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  const auto kept = some.session.result(some.index("last"));
  static_cast<void>(some.session.run_layer(some.index("deep"), some.plan, job));
  for (const char* gone : {"up", "join.shortcut", "join.conv", "last"})
    EXPECT_EQ(some.session.result(some.index(gone)), nullptr) << gone;
  for (const char* there : {"stem", "down", "deep"})
    EXPECT_NE(some.session.result(some.index(there)), nullptr) << there;
  // Code that still holds an old result must be able to read it.
  EXPECT_GT(kept->features->rows, 0);
}

TEST(Session, ResultsHaveTheShapesOfTheirLevels) {
  SmallSession some;
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  const auto scene = some.session.scene();
  const auto fine = size_of(scene->level(1)), coarse = size_of(scene->level(2));
  ASSERT_LT(coarse, fine);
  const auto rows = [&](const char* layer) { return some.session.result(some.index(layer))->features->rows; };
  EXPECT_EQ(rows("stem"), fine);
  EXPECT_EQ(rows("down"), coarse);
  EXPECT_EQ(rows("deep"), coarse);
  EXPECT_EQ(rows("up"), fine);
  EXPECT_EQ(rows("last"), fine);
  EXPECT_THROW(static_cast<void>(scene->level(4)), Error);
}

TEST(Session, LayersThatAgreeShareTheirMap) {
  SmallSession some;
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  const auto result = [&](const char* layer) { return some.session.result(some.index(layer)); };
  EXPECT_FALSE(result("stem")->map_shared);
  EXPECT_TRUE(result("last")->map_shared);
  EXPECT_EQ(result("stem")->map, result("last")->map);
  EXPECT_GE(result("stem")->stages.find("map[stem]"), 0);
  EXPECT_LT(result("last")->stages.find("map[last]"), 0);
  EXPECT_GE(result("last")->stages.find("features[last]"), 0);
  // The down layer runs output-stationary, so its map has no pair lists. Therefore the transposed layer has a
  // separate map.
  EXPECT_FALSE(result("up")->map_shared);
  EXPECT_EQ(result("up")->densities.pairs, result("down")->densities.pairs);
  // If the down layer also runs weight-stationary, the transposed layer shares its map.
  some.plan.layers[static_cast<std::size_t>(some.index("down"))].threshold = 0;
  some.session.run_all(some.plan, job, {});
  EXPECT_TRUE(result("up")->map_shared);
}

TEST(Session, StagesOfLevelsHaveTheirOwnNames) {
  SmallSession some(test::reached_network());
  some.load();
  Job job;
  SamplingProtocol how;
  how.min_samples = how.max_samples = 1;
  const auto measured = some.session.measure(some.plan, how, job);
  EXPECT_GE(measured->indexing.find("downsample[2 (reached)]"), 0);
  EXPECT_GE(measured->indexing.find("downsample[2 (reached #2)]"), 0);
  some.session.run_all(some.plan, job, {});
  std::string text;
  EXPECT_EQ(kind_of([&] { static_cast<void>(some.session.scene()->level(7)); }, &text), ErrorKind::usage);
  EXPECT_EQ(text, "no level has stride 7; available: 1, 2 (reached), 2 (reached #2)");
  EXPECT_EQ(kind_of([&] { static_cast<void>(some.session.scene()->level(1007)); }, &text), ErrorKind::usage);
  EXPECT_THAT(text, Not(HasSubstr("1007"))) << "a number of a level means nothing to a user";
}

TEST(VoxelizedScene, CountsThePointsInsideTheVoxelsOfALevelWithAnotherRule) {
  SmallSession some(test::reached_network());
  some.load();
  const auto scene = some.session.scene();
  for (const SceneLevel& set : some.session.levels().sets) {
    const CoordSet& level = scene->level(set.number);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(size_of(level)), 0);
    for (std::int64_t row = 0; row < size_of(scene->level(1)); ++row) {
      Voxel voxel = voxel_at(scene->level(1), row);
      for (std::size_t axis = 0; axis < 3; ++axis)
        voxel[axis] = voxel[axis] / set.rule.stride()[axis] * set.rule.stride()[axis];
      if (const auto holder = row_of_voxel(level, voxel))
        expected[static_cast<std::size_t>(*holder)] += scene->points_per_voxel[static_cast<std::size_t>(row)];
    }
    EXPECT_EQ(points_in_voxels(*scene, set.number), expected) << level_text(*scene, set.number);
    EXPECT_EQ(mean_colours(*scene, set.number).size(), expected.size());
  }
}

TEST(Session, AFailedLoadKeepsTheLoadedScene) {
  SmallSession some;
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  const auto scene = some.session.scene();
  const auto last = some.session.result(some.index("last"));
  std::string text;
  const auto load = [&](const std::shared_ptr<const PointCloud>& cloud, PackSpec pack) {
    return kind_of([&] { some.load(cloud, pack); }, &text);
  };
  EXPECT_EQ(load(test::small_room(), PackSpec{4, 4, 4}), ErrorKind::does_not_fit);
  EXPECT_THAT(text, HasSubstr("packings that fit"));
  EXPECT_EQ(load(std::make_shared<const PointCloud>(), PackSpec::bits32()), ErrorKind::input);
  std::stop_source stop;
  stop.request_stop();
  Job stopped(stop.get_token());
  EXPECT_EQ(kind_of([&] {
              static_cast<void>(some.session.load(test::small_room(), test::small_grid, PackSpec::bits32(),
                                                  Precision::fp32, stopped));
            }),
            ErrorKind::cancelled);
  EXPECT_EQ(some.session.scene(), scene);
  EXPECT_EQ(some.session.result(some.index("last")), last);
  EXPECT_NO_THROW(static_cast<void>(some.session.run_layer(some.index("last"), some.plan, job)));
}

TEST(Session, WeightsThatDoNotFitMemoryLeaveTheSessionAsItWas) {
  // The fp32 weights need 7 MiB, and the fp16 weights need another 3.5 MiB.
  constexpr std::size_t limit = 10U << 20U;
  Network network = single_layer_network(3, 1, 256, 256);
  SmallSession some(network, app::make_registry().make("cpu", {1, limit}));
  some.load(test::small_room(100));
  const auto scene = some.session.scene();
  Job job;
  EXPECT_EQ(kind_of([&] {
              static_cast<void>(some.session.load(test::small_room(100), test::small_grid, PackSpec::bits32(),
                                                  Precision::fp16, job));
            }),
            ErrorKind::device_memory);
  EXPECT_EQ(some.session.scene(), scene);
  EXPECT_NO_THROW(some.session.run_all(some.plan, job, {}));
}

TEST(Session, StoppingKeepsTheLayersThatWereFinished) {
  SmallSession some;
  some.load();
  std::stop_source stop;
  Job job(stop.get_token());
  int finished = 0;
  EXPECT_EQ(kind_of([&] {
              some.session.run_all(some.plan, job, [&](const std::shared_ptr<const LayerResult>& result) {
                ++finished;
                if (result->layer == 2) stop.request_stop();
              });
            }),
            ErrorKind::cancelled);
  EXPECT_EQ(finished, 3);
  EXPECT_NE(some.session.result(2), nullptr);
  EXPECT_EQ(some.session.result(3), nullptr);
}

TEST(Session, RefusesWhatALayerCannotRun) {
  SmallSession some;
  Job job;
  // No scene is loaded.
  EXPECT_EQ(kind_of([&] { static_cast<void>(some.session.run_layer(0, some.plan, job)); }),
            ErrorKind::internal);
  some.load();
  Plan bad = some.plan;
  bad.layers[static_cast<std::size_t>(some.index("down"))].threshold = 1;
  std::string text;
  EXPECT_EQ(kind_of([&] { some.session.run_all(bad, job, {}); }, &text), ErrorKind::usage);
  EXPECT_THAT(text, HasSubstr("down: "));
  EXPECT_EQ(kind_of([&] { some.session.execute_network(bad, job); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { some.session.execute_layer(some.index("down"), bad.layers[1], job); }),
            ErrorKind::usage);
  Plan half = some.plan;
  half.precision = Precision::fp16;
  EXPECT_EQ(kind_of([&] { static_cast<void>(some.session.run_layer(0, half, job)); }), ErrorKind::usage);
  Plan other = some.plan;
  other.layers.pop_back();
  EXPECT_EQ(kind_of([&] { some.session.execute_network(other, job); }), ErrorKind::internal);
}

TEST(Session, AnotherPrecisionNeedsItsOwnLoad) {
  SmallSession some;
  some.load();
  Job job;
  some.plan.precision = Precision::fp16;
  some.load();
  some.session.run_all(some.plan, job, {});
  EXPECT_EQ(some.session.result(0)->features->precision, Precision::fp16);
}

// Tests trap 8 in docs/architecture.md: scenes with one point, or with all points in one voxel, are valid.
TEST(Session, Trap8_TinyScenesRun) {
  for (const std::size_t points : {1U, 50U}) {
    auto cloud = std::make_shared<PointCloud>();
    for (std::size_t at = 0; at < points; ++at)
      cloud->positions.push_back({0.01, 0.02 + (0.001 * static_cast<double>(at)), 0.03});
    SmallSession some;
    some.load(cloud);
    Job job;
    some.session.run_all(some.plan, job, {});
    const auto last = some.session.result(some.index("last"));
    EXPECT_EQ(last->features->rows, 1);
    EXPECT_EQ(last->densities.pairs, 1);
    EXPECT_EQ(some.session.scene()->points_per_voxel, std::vector<std::int32_t>{static_cast<int>(points)});
  }
}

TEST(Session, EveryThresholdGivesTheSameFeatures) {
  SmallSession some;
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  const auto expected = test::values_of(*some.session.result(some.index("last"))->features);
  for (int t = 0; t <= 4; ++t) {
    set_threshold(some.plan, *some.network, t);
    some.session.run_all(some.plan, job, {});
    const auto got = test::values_of(*some.session.result(some.index("last"))->features);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t at = 0; at < got.size(); ++at)
      ASSERT_NEAR(got[at], expected[at], 1e-4F * (1.0F + std::abs(expected[at]))) << "t = " << t;
  }
}

TEST(VoxelizedScene, HasTheLevelsAndCentresThatWereAskedFor) {
  const auto backend = app::make_registry().make("cpu");
  Job job;
  const auto cloud = test::small_room();
  const auto scene = voxelize_scene(*backend, cloud, test::small_grid, PackSpec::bits32(), {5, 8}, job);
  std::vector<int> strides;
  for (const auto& level : scene->levels)
    strides.push_back(level->stride);
  EXPECT_EQ(strides, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_GE(scene->stages.find("voxelize.sort"), 0);
  EXPECT_GE(scene->stages.find("downsample[8]"), 0);
  for (std::size_t at = 0; at < cloud->positions.size(); at += 97) {
    const auto voxel = voxel_at(scene->level(1), scene->voxel_of_point[at]);
    const Point centre = scene->centre_m(voxel, 1);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(centre.at(axis), cloud->positions[at].at(axis), 0.05 + 1e-9);
  }
  const auto map = map_of_scene(*backend, *scene, {3, 2, 2}, job);
  EXPECT_EQ(map->outputs, size_of(scene->level(2)));
}

}  // namespace
}  // namespace spira
