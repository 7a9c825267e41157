// Tests the regret, which is the additional time of a scene that runs with the thresholds selected for
// another scene. Also tests which regrets are marked as tied, because they are not statistically
// distinguishable from zero.
#include "tests/support/tuned_profile.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

/// The times of one layer with one threshold t, on the first scene and on the second scene.
struct MadeTimes {
  std::vector<double> first, second;
};
std::vector<double> steady(double ms) {
  return std::vector<double>(7, ms);
}
/// The medians of the two series differ by 0.1, which is less than the spread of their samples.
const std::vector<double> noisy_low{4.5, 4.6, 4.7, 5.0, 5.3, 5.4, 5.5};
const std::vector<double> noisy_high{4.6, 4.7, 4.8, 5.1, 5.4, 5.5, 5.6};

/// Returns a profile in which each map takes 1 ms and each layer takes 5 ms for every t. Layers with K = 3
/// are different, at stride 1 and at stride 2 (deep): they take the given times for t = 0 and t = 4, and are
/// slow for other t.
TuningProfile made(const MadeTimes& t0, const MadeTimes& t_max, const MadeTimes& deep_t0,
                   const MadeTimes& deep_t_max) {
  TuningProfile profile = test::tuned_profile();
  // Each scene uses its own packing if these records are missing.
  profile.indexing.clear();
  for (MapRecord& record : profile.maps)
    record.ms = steady(1);
  for (FeatureRecord& record : profile.features) {
    record.ms = steady(record.shape.kernel == KernelShape(3) ? 50 : 5);
    if (record.shape.kernel != KernelShape(3) ||
        (record.setting.threshold != 0 && record.setting.threshold != 4))
      continue;
    const bool deep = record.shape.stride_in == 2, max = record.setting.threshold == 4;
    const MadeTimes& times = deep ? (max ? deep_t_max : deep_t0) : (max ? t_max : t0);
    record.ms = record.scene == 0 ? times.first : times.second;
  }
  decide(profile, test::little_unet());
  return profile;
}

TEST(Regret, IsTiedIfItIsNotDistinguishableFromZero) {
  const MadeTimes t0{noisy_high, steady(5)}, t_max{noisy_low, steady(10)};
  const TuningProfile profile = made(t0, t_max, t0, t_max);
  ASSERT_EQ(profile.regret.size(), 3U);
  const Regret on_second = *profile.regret[0][1], on_first = *profile.regret[1][0];
  EXPECT_GT(on_second.share, 0.2) << "t = max takes twice as long on the second scene";
  EXPECT_EQ(on_second.tied, false);
  EXPECT_GT(on_first.share, 0) << "the medians of the test data must differ";
  EXPECT_LT(on_first.share, 0.02);
  EXPECT_EQ(on_first.tied, true) << "the difference must not be statistically significant";
  for (const std::size_t scene : {0, 1}) {
    EXPECT_EQ(profile.regret[scene][scene]->share, 0.0);
    EXPECT_EQ(profile.regret[scene][scene]->tied, false)
        << "the regret of a scene's own pick must not be called tied";
  }
}

TEST(Regret, AddsUpAllGroups) {
  const MadeTimes t0{noisy_high, steady(5)}, t_max{noisy_low, steady(10)};
  const TuningProfile profile = made(t0, t_max, {steady(12), steady(5)}, {steady(5), steady(10)});
  const Regret on_first = *profile.regret[1][0];
  EXPECT_GT(on_first.share, 0.05) << "the second group must add the regret of t = 0 on the first scene";
  EXPECT_EQ(on_first.tied, false);
  EXPECT_EQ(profile.regret[0][1]->tied, false);
}

}  // namespace
}  // namespace spira
