// Tests the order of the tuning steps and the estimated time of tuning. All times are synthetic.
#include "engine/tune/tune_estimate.hpp"

#include "engine/tune/sweep.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The times of the layers stem, down, deep, up, join.shortcut, join.conv and last.
const PassTimes pass{{10, 4, 100, 3, 1, 20, 30}, {2, 1, 5, 0, 0.5, 0, 0}, 1000};

TuneRequest request() {
  TuneRequest wanted;
  wanted.network = std::make_shared<const Network>(test::little_unet());
  wanted.scenes.push_back({test::small_room(2000), test::small_grid, PackSpec::bits32(), 1.0});
  wanted.protocol.min_samples = 5;
  wanted.protocol.warmup = 1;
  return wanted;
}
std::vector<std::string> first_layers(const std::vector<TuneStep>& steps) {
  std::vector<std::string> names;
  for (const TuneStep& step : steps)
    names.push_back(step.layers.front());
  return names;
}
std::vector<double> costs(const std::vector<TuneStep>& steps) {
  std::vector<double> all;
  for (const TuneStep& step : steps)
    all.push_back(step.cost_ms);
  return all;
}

TEST(TuneSteps, TheLargestGainForEachSecondIsFirst) {
  const std::vector<TuneStep> steps = tune_steps(request(), pass, {}, -1);
  EXPECT_THAT(first_layers(steps), ElementsAre("down", "join.shortcut", "deep", "last", "join.conv", "stem"));
  // The features cost settings x (6 runs x time + map). The maps cost settings x 6 runs x time, in the first
  // step of a group.
  EXPECT_THAT(costs(steps), ElementsAre((2 * (24 + 1)) + 12, (2 * (6 + 0.5)) + 6, (5 * (600 + 5)) + 150,
                                        (5 * (180 + 2)) + 60, 5 * (120 + 2), 5 * (60 + 2)));
  EXPECT_EQ(steps[2].possible_gain_ms, 100);
  EXPECT_THAT(steps[0].layers, ElementsAre("down", "up")) << "a transposed layer is decided with its map";
  EXPECT_TRUE(steps[3].with_maps);
  EXPECT_FALSE(steps[4].with_maps) << "the layers of a map must share its samples";
}

TEST(TuneSteps, LayersOfOneShapeShareAStep) {
  TuneRequest wanted = request();
  wanted.network = std::make_shared<const Network>(parse_network(
      R"({"name": "n", "layers": [{"name": "a", "out_channels": 4}, {"name": "b", "out_channels": 4},
          {"name": "c", "out_channels": 8}]})",
      "n.json"));
  const std::vector<TuneStep> steps = tune_steps(wanted, {{10, 10, 15}, {0, 0, 0}, 0}, {}, -1);
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_THAT(steps[0].layers, ElementsAre("a", "b"));
  EXPECT_EQ(steps[0].possible_gain_ms, 20);
  EXPECT_EQ(steps[0].cost_ms, 5 * 6 * 10);
}

TEST(TuneSteps, EqualStepsKeepTheNetworkOrder) {
  const PassTimes equal{{1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0}, 0};
  EXPECT_THAT(first_layers(tune_steps(request(), equal, {}, -1)),
              ElementsAre("down", "join.shortcut", "stem", "join.conv", "last", "deep"))
      << "two settings cost less than five, and groups follow in network order";
}

TEST(TuneSteps, FewerSettingsCostLess) {
  TuneRequest wanted = request();
  wanted.thresholds = {1};
  wanted.algorithms = {MapAlgorithm::z_delta, MapAlgorithm::hash};
  const std::vector<TuneStep> steps = tune_steps(wanted, pass, {}, -1);
  const auto deep = std::find_if(steps.begin(), steps.end(),
                                 [](const TuneStep& step) { return step.layers.front() == "deep"; });
  EXPECT_EQ(deep->cost_ms, (2 * (600 + 5)) + (2 * 2 * 6 * 5)) << "t = 1 and t = max, two algorithms";
}

TEST(TuneSteps, KnownSettingsCostNothing) {
  TuningProfile known;
  for (const int t : {0, 1, 2, 3, 4}) {
    known.features.push_back({0, {3, 2, 2, 8, 16}, t, std::vector<double>(t == 1 ? 4 : 5, 1.0), t == 1, {}});
    known.maps.push_back(
        {0, {3, 2, 2}, PackSpec::bits32(), t, MapAlgorithm::z_delta, {1, 1, 1, 1, 1}, false});
  }
  EXPECT_EQ(tune_steps(request(), pass, known, 0)[0].layers.front(), "deep");
  EXPECT_EQ(tune_steps(request(), pass, known, 0)[0].cost_ms, 0);
  EXPECT_EQ(costs(tune_steps(request(), pass, known, 1)), costs(tune_steps(request(), pass, {}, -1)))
      << "samples of another scene must not count";
}

constexpr double steps_ms = 62 + 19 + 3175 + 970 + 610 + 310;
constexpr double check_ms = 168 + 8.5;  // Features and maps of one pass.

TEST(TuneEstimate, ListsTheLayersThatABudgetCovers) {
  const TuneEstimate estimate = estimate_tuning(request(), pass);
  EXPECT_EQ(estimate.layers, 7);
  EXPECT_EQ(estimate.reserve_ms, check_ms);
  EXPECT_THAT(estimate.all_ms, DoubleNear(1000 + steps_ms + check_ms, 1e-6));
  EXPECT_THAT(estimate.covered(1000), IsEmpty());
  EXPECT_THAT(estimate.covered(4400), ElementsAre("down", "up", "join.shortcut"))
      << "3,223 ms are left for settings, and deep needs 3,175 ms after 81 ms for the first two steps";
  EXPECT_THAT(estimate.covered(4440), SizeIs(4));
  EXPECT_THAT(estimate.covered(estimate.all_ms + 1), SizeIs(7));
  EXPECT_THAT(estimate.covered(estimate.all_ms - 1), SizeIs(6));
  EXPECT_EQ(estimate.text(4400), "4.4 s will cover about 3 of 7 layers; all layers need about 6.3 s");
  EXPECT_EQ(estimate.text(30'000), "30 s will cover all 7 layers, which need about 6.3 s");
}

TEST(TuneEstimate, TheCheckNeedsAtMostTheRestOfTheBudget) {
  EXPECT_THAT(settings_end_ms(1000, 200), DoubleNear(800, 1e-9));
  EXPECT_THAT(settings_end_ms(1000, 5000), DoubleNear(700, 1e-9));
  PassTimes slow = pass;
  slow.features_ms[3] = 50'000;  // This is the transposed layer, which has no settings.
  EXPECT_THAT(estimate_tuning(request(), slow).all_ms, DoubleNear((1000 + steps_ms) / 0.7, 1e-6));
}

TEST(TuneEstimate, ScenesShareTheBudget) {
  TuneRequest wanted = request();
  wanted.scenes.push_back(wanted.scenes[0]);
  const TuneEstimate estimate = estimate_tuning(wanted, pass);
  ASSERT_THAT(estimate.scenes, SizeIs(2));
  EXPECT_THAT(estimate.all_ms, DoubleNear((2 * (1000 + steps_ms + check_ms)), 1e-6));
  EXPECT_THAT(estimate.covered(estimate.all_ms + 1), SizeIs(7));
  EXPECT_THAT(estimate.covered(4000), ElementsAre("down", "up", "join.shortcut"))
      << "the first scene gets half of the remaining 2,647 ms";
}

TEST(PassTimes, AreReadFromStages) {
  test::SmallSession some;
  some.load();
  Job job;
  PassTimes sum;
  some.session.run_all(some.plan, job, [&](const std::shared_ptr<const LayerResult>& result) {
    add_pass(sum, pass_times_of(result->stages, *some.network));
  });
  ASSERT_THAT(sum.features_ms, SizeIs(7));
  for (const double ms : sum.features_ms)
    EXPECT_GT(ms, 0);
  EXPECT_GT(sum.map_ms[0], 0);
  EXPECT_EQ(sum.map_ms[6], 0) << "layer last uses the map of layer stem";
}

TEST(TuneSteps, KnownTimesOfOtherThresholdsReplaceThatOfTMax) {
  Sweep sweep;
  for (const int t : {0, 4}) {
    SweepRow row;
    row.threshold = t;
    row.stages.nodes.push_back({"features[deep]", -1, {t == 0 ? 300.0 : 90.0}});
    sweep.rows.push_back(row);
  }
  const Network network = test::little_unet();
  PassTimes times = pass;
  add_known_times(times, sweep, network);
  const auto cost_of_deep = [&] {
    const std::vector<TuneStep> steps = tune_steps(request(), times, {}, -1);
    return std::find_if(steps.begin(), steps.end(),
                        [](const TuneStep& step) { return step.layers.front() == "deep"; })
        ->cost_ms;
  };
  EXPECT_EQ(cost_of_deep(), (6 * (300 + 90 + 3 * 100)) + (5 * 5) + 150)
      << "t = 1 to 3 have the time of the run";
  TuningProfile known;
  known.features.push_back({0, {3, 2, 2, 8, 16}, 1, {50, 50, 50}, false, {}});
  known.features.push_back({0, {3, 2, 2, 8, 16}, 0, {40}, false, {}});
  known.features.push_back({1, {3, 2, 2, 8, 16}, 2, {1}, false, {}});
  add_known_times(times, known, 0, network);
  EXPECT_EQ(cost_of_deep(), (6 * (40 + 50 + 2 * 100 + 90)) + (5 * 5) + 150)
      << "a profile replaces a sweep, and its other scenes do not count";
}

TEST(PassTimesOf, AProfileNeedsTMaxOfAllLayers) {
  const TuningProfile profile = test::settled_profile(test::small_tune_request());
  const Network network = test::little_unet();
  const auto times = pass_times_of(profile, 0, network);
  ASSERT_TRUE(times.has_value());
  EXPECT_THAT(times->features_ms, ElementsAre(2, 2, 2, 0, 2, 2, 2)) << "a transposed layer has no samples";
  EXPECT_THAT(times->map_ms, ElementsAre(1, 1, 1, 0, 1, 0, 0));
  EXPECT_EQ(times->ready_ms, 12 + 4);
  EXPECT_FALSE(pass_times_of(profile, 1, network)) << "there is no second scene";
}

}  // namespace
}  // namespace spira
