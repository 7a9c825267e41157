#include "engine/tune/scene_densities.hpp"

#include "engine/tune/tuning_profile.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::tuned_profile;
using testing::DoubleNear;
using testing::Pointwise;

class SceneDensitiesTest : public testing::Test {
 protected:
  SceneDensitiesTest() { some_.load(test::small_room(2000, 1)); }
  [[nodiscard]] Densities of_map(MapKey key) {
    Job job;
    return densities(*map_of_scene(*some_.backend, *some_.session.scene(), key, job));
  }

  test::SmallSession some_;
};

TEST_F(SceneDensitiesTest, AreThoseOfTheKernelMap) {
  const SceneDensities counted = scene_densities(some_.session.scene()->level(1));
  const Densities map = of_map({3, 1, 1});
  ASSERT_EQ(map.groups.size(), counted.size());
  for (std::size_t l1 = 0; l1 < counted.size(); ++l1)
    EXPECT_NEAR(counted[l1], map.groups[l1].mean, 1e-12) << "L1 norm " << l1;
  EXPECT_GT(counted[1], 0);
}

TEST_F(SceneDensitiesTest, AreTheInnerPartOfALargerKernelAndOfNoOther) {
  const SceneDensities counted = scene_densities(some_.session.scene()->level(1));
  for (const int kernel : {3, 5}) {
    const auto known = scene_densities(of_map({kernel, 1, 1}));
    ASSERT_TRUE(known.has_value()) << kernel;
    EXPECT_THAT(*known, Pointwise(DoubleNear(1e-12), counted)) << kernel;
  }
  EXPECT_FALSE(scene_densities(of_map({3, 2, 2})).has_value())
      << "a map of another stride must give no densities";
  EXPECT_FALSE(scene_densities(of_map({2, 1, 1})).has_value()) << "an even kernel must give no densities";
}

TEST(DensityDistance, IsTheLargestDifferenceOfTheMeans) {
  EXPECT_DOUBLE_EQ(density_distance({1, 0.5, 0.25, 0.125}, {1, 0.25, 0.75, 0.125}), 0.5);
  EXPECT_EQ(density_distance({1, 0.5, 0, 0}, {1, 0.5, 0, 0}), 0);
}

TEST(NearestScene, IsTheNearestSceneWithAWeight) {
  TuningProfile profile = tuned_profile();
  ASSERT_TRUE(profile.scenes.at(0).densities && profile.scenes.at(1).densities)
      << "the tuner must store the densities of both scenes";
  profile.scenes[0].densities = {1, 0.5, 0.4, 0.3};
  profile.scenes[1].densities = {1, 0.8, 0.6, 0.5};
  const SceneDensities here{1, 0.7, 0.6, 0.5};
  EXPECT_EQ(nearest_scene(profile, here)->scene, 1);
  EXPECT_NEAR(nearest_scene(profile, here)->distance, 0.1, 1e-12);
  profile.scenes[1].weight = 0;
  EXPECT_EQ(nearest_scene(profile, here)->scene, 0);
  profile.scenes[0].densities.reset();
  EXPECT_FALSE(nearest_scene(profile, here).has_value());
}

TEST(ExpectedGain, IsOfAllScenesByWeightRoundByRound) {
  TuningProfile profile = tuned_profile();
  profile.scenes[0].weight = 3;
  profile.scenes[1].weight = 1;
  PlanCheck first, second;
  second.scene = 1;
  first.tuned.ms = {1, 1, 1, 1, 1, 1};
  first.all_output_stationary.ms = {2, 2, 2, 2, 2, 2};
  second.tuned.ms = {5, 5, 5, 5, 5};
  second.all_output_stationary.ms = {4, 4, 4, 4, 4};
  profile.checks = {first, second};
  const auto gain = expected_gain(profile, &PlanCheck::all_output_stationary);
  ASSERT_TRUE(gain.has_value());
  EXPECT_DOUBLE_EQ(gain->current_ms, 8);
  EXPECT_DOUBLE_EQ(gain->baseline_ms, 10);
  EXPECT_DOUBLE_EQ(gain->low, 0.8);
  EXPECT_FALSE(expected_gain(profile, &PlanCheck::all_weight_stationary).has_value())
      << "a plan without times must have no expected gain";
  profile.checks = {first};
  profile.checks[0].tuned.ms.push_back(100);
  profile.checks[0].all_output_stationary.ms = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto alone = expected_gain(profile, &PlanCheck::all_output_stationary);
  ASSERT_TRUE(alone.has_value());
  EXPECT_DOUBLE_EQ(alone->baseline_ms, 5) << "if only one scene counts, all of its samples must count";
  EXPECT_DOUBLE_EQ(alone->current_ms, 1);
  profile.checks.clear();
  EXPECT_FALSE(expected_gain(profile, &PlanCheck::all_output_stationary).has_value());
}

}  // namespace
}  // namespace spira
