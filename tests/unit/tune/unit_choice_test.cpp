#include "engine/tune/unit_choice.hpp"

#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::error_of;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

const UnitPlan dense{}, fused_8{UnitMethod::fused, 8}, fused_16{UnitMethod::fused, 16},
    gathered_16{UnitMethod::gathered, 16};

std::vector<double> around(double ms, std::size_t samples = 7) {
  std::vector<double> all;
  for (std::size_t at = 0; at < samples; ++at)
    all.push_back(ms * (1 + 0.001 * static_cast<double>(at)));
  return all;
}

/// Samples whose spread is so large that medians around 10 ms are tied.
std::vector<double> noisy(double shift) {
  std::vector<double> all;
  for (const double ms : {8.0, 9.0, 9.5, 10.0, 10.5, 11.0, 12.0})
    all.push_back(ms + shift);
  return all;
}

TEST(UnitChoice, TakesTheFastestPlan) {
  const UnitChoice choice = choose_unit_plan(
      std::vector<UnitTimes>{{dense, around(10)}, {fused_8, around(4)}, {fused_16, around(5)}});
  EXPECT_EQ(choice.plan, fused_8);
  EXPECT_EQ(choice.why, ChoiceReason::fastest);
  EXPECT_THAT(choice.ties, IsEmpty());
  EXPECT_THAT(choice.verdicts,
              ElementsAre(SettingVerdict::worse, SettingVerdict::best, SettingVerdict::worse));
}

TEST(UnitChoice, DenseIsAValidAnswer) {
  const UnitChoice choice =
      choose_unit_plan(std::vector<UnitTimes>{{dense, around(4)}, {fused_8, around(5)}});
  EXPECT_EQ(choice.plan, dense);
  EXPECT_EQ(choice.why, ChoiceReason::fastest);
}

TEST(UnitChoice, ATieGoesToDense) {
  const UnitChoice choice = choose_unit_plan(
      std::vector<UnitTimes>{{dense, noisy(0.1)}, {fused_8, noisy(0)}, {fused_16, noisy(0.2)}});
  EXPECT_EQ(choice.plan, dense);
  EXPECT_EQ(choice.why, ChoiceReason::tie_simpler);
  EXPECT_THAT(choice.ties, ElementsAre(fused_8, fused_16));
}

TEST(UnitChoice, ATieWithoutDenseGoesToTheLargerCoreAndThenToFused) {
  EXPECT_EQ(choose_unit_plan(
                std::vector<UnitTimes>{{dense, around(30)}, {fused_8, noisy(0)}, {fused_16, noisy(0.1)}})
                .plan,
            fused_16);
  EXPECT_EQ(choose_unit_plan(
                std::vector<UnitTimes>{{dense, around(30)}, {gathered_16, noisy(0)}, {fused_16, noisy(0.1)}})
                .plan,
            fused_16);
  EXPECT_EQ(choose_unit_plan(
                std::vector<UnitTimes>{{dense, around(30)}, {gathered_16, noisy(0.1)}, {fused_8, noisy(0)}})
                .plan,
            gathered_16);
}

TEST(UnitChoice, TooFewSamplesGiveDense) {
  const UnitChoice choice =
      choose_unit_plan(std::vector<UnitTimes>{{dense, around(10, 3)}, {fused_8, around(1, 3)}});
  EXPECT_EQ(choice.plan, dense);
  EXPECT_EQ(choice.why, ChoiceReason::few_samples);
  EXPECT_EQ(choose_unit_plan(std::vector<UnitTimes>{{dense, around(10)}}).why, ChoiceReason::only_setting);
}

TEST(UnitChoice, UnitsOfOneShapeHaveTheSameLayersAndImages) {
  const Network network = network_preset("sbnet");
  const auto units = units_of(network);
  Area area;
  area.cells = {800, 704};
  const auto shape = [&](const std::string& name) {
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const BevUnit& one) { return one.name == name; });
    return shape_of(network, *unit, area);
  };
  EXPECT_EQ(shape("conv2.unit1"), shape("conv2.unit3"));
  EXPECT_NE(shape("conv2.unit1"), shape("conv3.unit1"));
  EXPECT_EQ(shape("conv3.unit1").cells, (std::array<std::int64_t, 2>{200, 176}));
  EXPECT_EQ(layers_text(shape("conv2.unit1")), "1x1 96>24, 3x3 24>24, 1x1 24>96");
}

TEST(BreakEven, IsInterpolatedBetweenTheNeighbouringPoints) {
  EXPECT_THAT(break_even(std::vector<SpeedUpAt>{{0.1, 6}, {0.5, 1.5}, {0.9, 0.5}}),
              Optional(DoubleNear(0.7, 1e-12)));
  EXPECT_EQ(break_even(std::vector<SpeedUpAt>{{0.1, 6}, {0.9, 1.2}}), std::nullopt);
  EXPECT_EQ(break_even(std::vector<SpeedUpAt>{{0.1, 0.6}, {0.9, 0.2}}), std::nullopt);
  EXPECT_EQ(break_even({}), std::nullopt);
}

class TunedMaskCheck : public testing::Test {
 protected:
  TunedMaskCheck() {
    plan.source = "p.json";
    plan.units = {fused_16, dense};
    plan.tuned_mask = TunedMask{"occupied", "64 x 64 cells of 0.1 m", {0.4, 1.0}};
    facts.mask = "label:40";
    facts.area.cells = {64, 64};
    facts.units.resize(2);
    facts.units[0].name = "u1";
    facts.units[0].plan = fused_16;
    facts.units[1].shares.computed = 1;
  }
  void computed(double share) { facts.units[0].shares.computed = share; }
  Plan plan;
  BevFacts facts;
};

TEST_F(TunedMaskCheck, AcceptsSimilarBlocks) {
  for (const double share : {0.325, 0.4, 0.5}) {
    computed(share);
    EXPECT_NO_THROW(require_tuned_mask(plan, facts)) << share;
  }
}

TEST_F(TunedMaskCheck, RefusesOtherBlocksAndNamesBothMasks) {
  for (const double share : {0.31, 0.51}) {
    computed(share);
    const std::string fault =
        error_of(ErrorKind::usage, [&] { return (require_tuned_mask(plan, facts), 0); });
    EXPECT_THAT(fault, AllOf(HasSubstr("p.json"), HasSubstr("occupied"), HasSubstr("label:40"),
                             HasSubstr("u1"), HasSubstr("--ignore-mask")));
  }
}

TEST_F(TunedMaskCheck, AcceptsEveryMaskForAPlanThatWasNotTuned) {
  computed(1);
  plan.tuned_mask.reset();
  EXPECT_NO_THROW(require_tuned_mask(plan, facts));
}

}  // namespace
}  // namespace spira
