// Tests check_outputs(), which compares the output of each layer with the output for t = max.
#include "app/common/backends.hpp"
#include "engine/run/verify/verify.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace spira {
namespace {

TEST(OutputCheck, HybridsGiveTheOutputOfTMax) {
  test::SmallSession some;
  some.load();
  Plan plan = some.plan;
  set_threshold(plan, *some.network, 2);
  Job job;
  const auto found = check_outputs(some.session, plan, job);
  ASSERT_EQ(found.size(), some.network->layers.size());
  for (const OutputDifference& one : found)
    EXPECT_TRUE(one.ok) << one.max_rel;
  EXPECT_EQ(some.session.result(0)->plan.threshold, 2)
      << "the session must keep the results of the checked plan";
}

TEST(OutputCheck, AWrongOutputIsFoundInItsLayer) {
  auto wrong = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
  test::SmallSession some(test::little_unet(), wrong);
  some.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  // From here on, all outputs are computed incorrectly, so the check of each layer must fail. The stored
  // inputs are still correct.
  wrong->alter_features = [](Features& features) {
    auto* values = static_cast<float*>(features.data.data());
    values[0] += 100.0F;
  };
  const auto found = check_outputs(some.session, some.plan, job);
  ASSERT_EQ(found.size(), some.network->layers.size());
  EXPECT_TRUE(std::none_of(found.begin(), found.end(), [](const auto& one) { return one.ok; }));
}

TEST(OutputCheck, EqualNaNAndInfiniteValuesDoNotPass) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto backend = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
    backend->alter_features = [special](Features& features) {
      static_cast<float*>(features.data.data())[0] = special;
    };
    test::SmallSession some(test::little_unet(), backend);
    some.load();
    Job job;
    const auto found = check_outputs(some.session, some.plan, job);
    ASSERT_EQ(found.size(), some.network->layers.size());
    for (const OutputDifference& one : found) {
      EXPECT_GT(one.non_finite, 0);
      EXPECT_FALSE(one.ok) << special;
    }
  }
}

}  // namespace
}  // namespace spira
