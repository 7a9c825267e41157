#include "engine/tune/apply_profile.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuner.hpp"
#include "tests/support/tuned_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::tuned_profile;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

const LayerShape stem_shape{3, 1, 1, 4, 8};

class UserChoices : public testing::Test {
 protected:
  UserChoices() : network_(test::little_unet()), plan_(default_plan(network_)) {
    profile_.network_fingerprint = fingerprint_of(network_);
    for (TunedShape& tuned : profile_.choices)
      tuned.choice.setting = 0;
    plan_ = plan_of(profile_, network_);
    for (std::size_t at = 0; at < plan_.layers.size(); ++at)
      note_threshold_source(plan_, at, "profile:x");
  }
  void set(const std::string& layer, int threshold) {
    plan_.layers[static_cast<std::size_t>(network_.index_of(layer))].threshold = threshold;
  }

  Network network_;
  TuningProfile profile_ = tuned_profile();
  Plan plan_;
};

TEST_F(UserChoices, AreTheSettingsThatDifferFromTheProfile) {
  EXPECT_FALSE(has_user_choices(plan_, "x"));
  EXPECT_TRUE(profile_json(with_user_choices(profile_, network_, plan_, "x")) == profile_json(profile_));
  set("stem", 3);
  EXPECT_TRUE(has_user_choices(plan_, "x"));
  EXPECT_FALSE(has_user_choices(plan_, "y")) << "choices on top of another profile must not count";
}

TEST_F(UserChoices, AreMarkedAsSetByHandAndNotAsMeasured) {
  set("stem", 3);
  profile_.choices[0].choice.ties = {2};
  const TuningProfile saved = with_user_choices(profile_, network_, plan_, "x");
  const TunedShape& stem = saved.choices.at(0);
  ASSERT_EQ(stem.shape, stem_shape);
  EXPECT_EQ(stem.choice.setting, 3);
  EXPECT_EQ(stem.choice.why, ChoiceReason::user);
  EXPECT_THAT(stem.choice.ties, IsEmpty());
  EXPECT_FALSE(margin_ms(stem).has_value());
  EXPECT_EQ(choice_note(stem).rfind("set by hand", 0), 0U) << choice_note(stem);
  EXPECT_EQ(measured_cost(stem, 3)->extra_ms, 0) << "costs must be relative to the chosen setting";
  EXPECT_THAT(saved.checks, IsEmpty()) << "checks of another plan must be dropped";
  EXPECT_THAT(saved.regret.back(), Each(testing::Eq(std::nullopt)));
  EXPECT_TRUE(profile_json(parse_profile(profile_json(saved), "p")) == profile_json(saved));
  EXPECT_EQ(plan_of(saved, network_).layers, plan_.layers);
}

TEST_F(UserChoices, OfATThatWasNotMeasuredHaveNoCosts) {
  set("stem", 3);
  std::erase_if(profile_.choices[0].choice.costs, [](const MeasuredCost& one) { return one.setting == 3; });
  EXPECT_THAT(with_user_choices(profile_, network_, plan_, "x").choices.at(0).choice.costs, IsEmpty());
}

TEST_F(UserChoices, SplitLayersOfOneShape) {
  TunedShape& stem = profile_.choices.at(0);
  stem.layers = {"stem", "twin"};
  set("stem", 3);
  const TuningProfile saved = with_user_choices(profile_, network_, plan_, "x");
  ASSERT_EQ(saved.choices.size(), profile_.choices.size() + 1);
  EXPECT_THAT(saved.choices[0].layers, ElementsAre("twin"));
  EXPECT_EQ(saved.choices[0].choice.setting, 0);
  EXPECT_THAT(saved.choices[1].layers, ElementsAre("stem"));
  EXPECT_EQ(plan_of(saved, network_).layers, plan_.layers) << "a layer must use the choice that names it";
}

TEST_F(UserChoices, OfAnotherNetworkAreIgnored) {
  set("stem", 3);
  profile_.network_fingerprint ^= 1U;
  EXPECT_TRUE(profile_json(with_user_choices(profile_, network_, plan_, "x")) == profile_json(profile_));
}

}  // namespace
}  // namespace spira
