#include "engine/tune/apply_profile.hpp"

#include "engine/backend/host_read.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::tuned_profile;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns a profile whose settings all differ from the defaults, so that the tests can see which settings
/// come from the profile.
TuningProfile odd_profile() {
  TuningProfile profile = tuned_profile();
  for (TunedShape& tuned : profile.choices) {
    tuned.choice.setting = 0;
    tuned.choice.algorithm = MapAlgorithm::sorted_query;
    tuned.choice.why = ChoiceReason::fastest;
  }
  return profile;
}

class ApplyProfile : public testing::Test {
 protected:
  ApplyProfile() { some_.load(test::small_room(2000, 1)); }
  [[nodiscard]] ProfileUse use() {
    scene_ = some_.session.scene();
    ProfileUse wanted;
    wanted.network = some_.network.get();
    wanted.scene = scene_.get();
    wanted.device = some_.backend->facts();
    wanted.tool_version = test::tuned_by;
    return wanted;
  }
  [[nodiscard]] AppliedProfile apply(const TuningProfile& profile) { return apply(profile, use()); }
  [[nodiscard]] AppliedProfile apply(const TuningProfile& profile, const ProfileUse& how) const {
    return apply_profile(profile, how, some_.plan, "x.tune.json");
  }

  test::SmallSession some_;
  std::shared_ptr<const VoxelScene> scene_;
};

TEST_F(ApplyProfile, AppliesToAllLayersOfItsOwnScene) {
  const AppliedProfile applied = apply(odd_profile());
  EXPECT_EQ(applied.matched(), 7);
  EXPECT_EQ(applied.plan.source, "7 of 7 layers from profile x.tune.json");
  EXPECT_THAT(applied.lines(*some_.network), ElementsAre("7 of 7 layers from profile x.tune.json"));
  for (const LayerPlan& layer : applied.plan.layers)
    EXPECT_EQ(layer, (LayerPlan{0, MapAlgorithm::sorted_query, MapLayout::z_runs}));
}

TEST_F(ApplyProfile, GivesTheSameBitsAsThePlanOfTheTuner) {
  const TuningProfile read = parse_profile(profile_json(odd_profile()), "x");
  const Plan chosen = plan_of(odd_profile(), *some_.network);
  EXPECT_EQ(apply(read).plan.layers, chosen.layers);
  Job job;
  some_.session.run_all(chosen, job, {});
  const auto direct = test::values_of(*some_.session.result(6)->features);
  some_.session.run_all(apply(read).plan, job, {});
  EXPECT_EQ(test::values_of(*some_.session.result(6)->features), direct);
}

TEST_F(ApplyProfile, GivesTheReasonForOtherShapes) {
  TuningProfile profile = odd_profile();
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.shape.kernel == KernelShape(3); });
  const AppliedProfile applied = apply(profile);
  EXPECT_EQ(applied.matched(), 3);
  EXPECT_EQ(applied.why_not[0], "the profile has no layer with this shape");
  EXPECT_EQ(applied.plan.layers[0], some_.plan.layers[0]) << "the layer must keep its default setting";
  EXPECT_THAT(
      applied.lines(*some_.network),
      ElementsAre("3 of 7 layers from profile x.tune.json",
                  "  not applied to stem, deep, join.conv, last: the profile has no layer with this shape"));
}

TEST_F(ApplyProfile, NamesTheLayersForWhichTheTuningHadNoTime) {
  TuningProfile profile = odd_profile();
  std::erase_if(profile.choices, [](const TunedShape& one) { return one.shape.kernel == KernelShape(3); });
  profile.stopped = "budget";
  const AppliedProfile applied = apply(profile);
  EXPECT_EQ(applied.unmeasured.size(), 4U);
  EXPECT_THAT(
      applied.lines(*some_.network),
      ElementsAre("3 of 7 layers from profile x.tune.json",
                  "  not applied to stem, deep, join.conv, last: not measured, because the time limit was "
                  "reached"));
  ++profile.network_fingerprint;
  EXPECT_EQ(apply(profile).why_not[0], "the profile has no layer with this shape");
}

/// Returns the names of the layers that would use the profile if the scene were a room with another network.
std::vector<std::string> layers_that_use(const TuningProfile& profile, const Network& network) {
  test::SmallSession other(network);
  other.load(test::small_room(2000, 1));
  const auto scene = other.session.scene();
  ProfileUse how;
  how.network = other.network.get();
  how.scene = scene.get();
  how.device = other.backend->facts();
  how.tool_version = test::tuned_by;
  const AppliedProfile applied = apply_profile(profile, how, other.plan, "x.tune.json");
  std::vector<std::string> names;
  for (std::size_t at = 0; at < applied.why_not.size(); ++at) {
    if (applied.why_not[at].empty()) {
      names.push_back(network.layers[at].name);
    } else {
      EXPECT_EQ(applied.why_not[at], "the profile has no layer with this shape");
    }
  }
  return names;
}

TEST(ReachedProfile, IsUsedOnlyForLevelsWithTheSameRule) {
  TuneRequest request = test::small_tune_request();
  request.network = std::make_shared<const Network>(test::reached_network(1, 0));
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(*request.network, 1));
  const TuningProfile profile = parse_profile(profile_json(test::settled_profile(request)), "p.json");
  EXPECT_EQ(profile.levels.size(), 2U);
  EXPECT_THAT(layers_that_use(profile, *request.network),
              ElementsAre("stem", "one", "one.deep", "two", "two.deep", "up"));
  // In this network, the two levels have exchanged numbers, but the profile contains levels with the same
  // rules.
  EXPECT_THAT(layers_that_use(profile, test::reached_network(0, 1)),
              ElementsAre("stem", "one", "one.deep", "two", "two.deep"));
  // In this network, the first level has a rule that the profile does not contain, but a number that the
  // profile does contain.
  EXPECT_THAT(layers_that_use(profile, test::reached_network(2, 0)),
              ElementsAre("stem", "two", "two.deep", "up"));
}

TEST(FloorProfile, NamesTheLevelIfTheOutputRuleDiffers) {
  const Network reached = test::reached_network(1, 1);
  Network floor = reached;
  for (Layer& layer : floor.layers)
    layer.rule = OutputRule::floor;
  TuneRequest request = test::small_tune_request();
  request.network = std::make_shared<const Network>(floor);
  request.weights = std::make_shared<const NetworkWeights>(seeded_weights(floor, 1));
  test::SmallSession other(reached);
  other.load(test::small_room(2000, 1));
  const auto scene = other.session.scene();
  ProfileUse how;
  how.network = other.network.get();
  how.scene = scene.get();
  how.device = other.backend->facts();
  how.tool_version = test::tuned_by;
  const AppliedProfile applied = apply_profile(test::settled_profile(request), how, other.plan, "x.json");
  EXPECT_EQ(applied.why_not.at(0), "") << "the level of the stem is the same";
  EXPECT_EQ(applied.why_not.at(1), "the level differs (1>2 in the profile, 1>2 (reached) here)");
  EXPECT_EQ(applied.why_not.at(2), "the level differs (2>2 in the profile, 2 (reached)>2 (reached) here)");
  EXPECT_EQ(applied.plan.layers.at(1), other.plan.layers.at(1)) << "the layer must keep its default setting";
}

TEST_F(ApplyProfile, AcceptsSizesWithinAFactorOfTwo) {
  TuningProfile profile = odd_profile();
  const std::int64_t rows = size_of(some_.session.scene()->level(1));
  TunedShape& stem = profile.choices.at(0);
  const auto matched = [&](std::int64_t low, std::int64_t high) {
    stem.rows_low = low;
    stem.rows_high = high;
    return apply(profile).why_not.at(0);
  };
  EXPECT_EQ(matched(rows * 2, rows * 3), "");
  EXPECT_THAT(matched((rows * 2) + 1, rows * 3), HasSubstr("tuned for "));
  EXPECT_EQ(matched(1, (rows + 1) / 2), "");
  EXPECT_THAT(matched(1, (rows / 2) - 1), HasSubstr("limit: 2x"));
}

TEST_F(ApplyProfile, RequiresTheSameDeviceVersionAndPrecision) {
  const auto why = [&](const std::function<void(ProfileUse&)>& change) {
    ProfileUse other = use();
    change(other);
    const AppliedProfile applied = apply(odd_profile(), other);
    EXPECT_EQ(applied.matched(), 0);
    EXPECT_EQ(applied.plan.layers, some_.plan.layers);
    EXPECT_THAT(applied.why_not, Each(applied.why_not[0]));
    return applied.why_not[0];
  };
  EXPECT_THAT(why([](ProfileUse& other) { other.device.kind = BackendKind::cuda; }),
              HasSubstr("the back end differs"));
  EXPECT_THAT(why([](ProfileUse& other) { other.device.name = "A far CPU"; }), HasSubstr("A far CPU here"));
  EXPECT_THAT(why([](ProfileUse& other) { other.device.threads += 1; }), HasSubstr("number of threads"));
  EXPECT_THAT(why([](ProfileUse& other) { other.device.instructions = "AVX-7"; }),
              HasSubstr("instruction set"));
  EXPECT_THAT(why([](ProfileUse& other) { other.tool_version = "9.9"; }), HasSubstr("spira 9.9 here"));
  EXPECT_THAT(why([](ProfileUse& other) { other.precision = Precision::fp16; }),
              HasSubstr("the precision differs"));
}

TEST_F(ApplyProfile, AnotherDeviceIsAcceptedOnlyOnRequest) {
  ProfileUse other = use();
  other.device.name = "A far CPU";
  EXPECT_EQ(apply(odd_profile(), other).matched(), 0);
  other.ignore_device = true;
  const AppliedProfile taken = apply(odd_profile(), other);
  EXPECT_EQ(taken.matched(), 7);
  EXPECT_THAT(taken.ignored, HasSubstr("A far CPU here"));
  EXPECT_EQ(threshold_source(taken.plan, *some_.network, 0), "profile:x.tune.json (other device)")
      << "the source must name the other device";
  other.device = use().device;
  EXPECT_EQ(apply(odd_profile(), other).ignored, "") << "the same device must not be listed as ignored";
}

TEST_F(ApplyProfile, AnotherDensityIsAcceptedAndReported) {
  TuningProfile profile = odd_profile();
  ProfileUse here = use();
  EXPECT_FALSE(apply(profile, here).density.has_value())
      << "without densities of the scene there must be no density difference";
  here.densities = scene_densities(scene_->level(1));
  const AppliedProfile same = apply(profile, here);
  ASSERT_TRUE(same.density.has_value());
  EXPECT_EQ(same.density->distance, 0);
  EXPECT_EQ(same.density_note(), "");
  here.densities->at(1) -= 0.25;
  profile.scenes.resize(1);
  profile.validity.density_distance_limit = 0.25 - 1e-6;
  const AppliedProfile far = apply(profile, here);
  EXPECT_EQ(far.matched(), 7);
  EXPECT_THAT(far.lines(*some_.network),
              ElementsAre("7 of 7 layers from profile x.tune.json",
                          HasSubstr("  the density differs by 0.25 from " + profile.scenes[0].name +
                                    ", the most similar")));
  profile.validity.density_distance_limit = 0.25 + 1e-6;
  EXPECT_EQ(apply(profile, here).density_note(), "");
}

TEST_F(ApplyProfile, UndecidedChoicesAreLeftOut) {
  TuningProfile profile = odd_profile();
  TunedShape& stem = profile.choices.at(0);
  stem.choice.why = ChoiceReason::few_samples;
  for (const auto& [samples, text] :
       {std::pair{1, "undecided: 1 sample, 5 needed"}, {3, "undecided: 3 samples, 5 needed"}}) {
    for (MeasuredCost& cost : stem.choice.costs)
      cost.n = samples;
    const AppliedProfile applied = apply(profile);
    EXPECT_EQ(applied.matched(), 6);
    EXPECT_EQ(applied.why_not.at(0), text);
    EXPECT_EQ(applied.plan.layers.at(0), some_.plan.layers.at(0))
        << "the layer must keep its default setting";
    EXPECT_EQ(applied.plan.layers.at(1).algorithm, MapAlgorithm::sorted_query);
    EXPECT_THAT(applied.lines(*some_.network), ElementsAre("6 of 7 layers from profile x.tune.json",
                                                           "  1 layer is undecided and uses t = max: stem"));
  }
  for (TunedShape& tuned : profile.choices)
    tuned.choice.why = ChoiceReason::few_samples;
  const AppliedProfile none = apply(profile);
  EXPECT_EQ(none.plan.layers, some_.plan.layers);
  EXPECT_THAT(none.lines(*some_.network),
              ElementsAre("0 of 7 layers from profile x.tune.json",
                          "  7 layers are undecided and use t = max: stem, down, deep, up and 3 more"))
      << "one line must name the undecided layers although they have different numbers of samples";
}

TEST_F(ApplyProfile, ChoicesForAnyOtherReasonAreApplied) {
  for (const ChoiceReason why : {ChoiceReason::fastest, ChoiceReason::tie_simpler, ChoiceReason::only_setting,
                                 ChoiceReason::one_graph, ChoiceReason::user}) {
    TuningProfile profile = odd_profile();
    for (TunedShape& tuned : profile.choices)
      tuned.choice.why = why;
    EXPECT_EQ(apply(profile).matched(), 7) << text_of(why);
  }
}

TEST_F(ApplyProfile, MinorVersionsOfADriverMatch) {
  TuningProfile profile = odd_profile();
  ProfileUse other = use();
  profile.device.driver = "580.159.04";
  other.device.driver = "580.200";
  EXPECT_EQ(why_not_device(profile, other.device, test::tuned_by), "");
  other.device.driver = "590.1";
  EXPECT_THAT(why_not_device(profile, other.device, test::tuned_by), HasSubstr("the driver differs"));
}

TEST_F(ApplyProfile, AThresholdThatALayerCannotRunIsIgnored) {
  TuningProfile profile = odd_profile();
  for (TunedShape& tuned : profile.choices) {
    if (tuned.shape.stride_out == 2 && tuned.shape.stride_in == 1) tuned.choice.setting = 2;
  }
  const AppliedProfile applied = apply(profile);
  EXPECT_EQ(applied.matched(), 6);
  EXPECT_THAT(applied.why_not.at(1), HasSubstr("strided"));
}

}  // namespace
}  // namespace spira
