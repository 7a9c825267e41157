// Tests the rates and the timer properties of a device that a back end measures. Reports compare all measured
// times with these values.
#include "app/common/backends.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/measure/statistics.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spira {
namespace {

void expect_measured(const DeviceRate& rate) {
  EXPECT_FALSE(rate.how.empty());
  // A device that cannot be measured must give a reason, but no samples.
  if (!rate.per_second) {
    EXPECT_TRUE(rate.samples_ms.empty()) << rate.how;
    return;
  }
  EXPECT_TRUE(std::isfinite(*rate.per_second)) << rate.how;
  EXPECT_GT(*rate.per_second, 1e8) << rate.how;
  EXPECT_GE(rate.samples_ms.size(), 5U) << rate.how;
  for (const double ms : rate.samples_ms)
    EXPECT_GT(ms, 0.0) << rate.how;
}

TEST(RatesContract, CopiesAndProductsAreMeasuredEachTime) {
  Job job;
  const auto subject = test::make_subject();
  for (const auto precision : {Precision::fp16, Precision::fp32}) {
    const DeviceRates first = subject->measure_rates(precision, job),
                      again = subject->measure_rates(precision, job);
    for (const DeviceRates& rates : {first, again}) {
      ASSERT_TRUE(rates.bytes.per_second) << rates.bytes.how;
      expect_measured(rates.bytes);
      expect_measured(rates.flops);
    }
    EXPECT_NE(first.bytes.samples_ms, again.bytes.samples_ms) << "each call must measure the rates again";
  }
}

TEST(RatesContract, ACopyThatTheMemoryLimitForbidsIsNamedAndNotMeasured) {
  Job job;
  const DeviceRates rates = test::make_subject({2, 1'000'000})->measure_rates(Precision::fp32, job);
  EXPECT_FALSE(rates.bytes.per_second);
  EXPECT_NE(rates.bytes.how.find("memory limit"), std::string::npos) << rates.bytes.how;
}

TEST(RatesContract, ABackEndThatCannotMeasureGivesTheReason) {
  Job job;
  const DeviceRates rates = app::make_registry().make("reference")->measure_rates(Precision::fp32, job);
  EXPECT_FALSE(rates.bytes.per_second);
  EXPECT_FALSE(rates.flops.per_second);
  EXPECT_FALSE(rates.flops.how.empty());
}

TEST(RatesContract, TheClockOfStagesIsFiniteAndFine) {
  const auto subject = test::make_subject();
  const TimerFacts timer = measure_timer(subject->stages());
  EXPECT_GT(timer.resolution_us, 0.0);
  EXPECT_LT(timer.resolution_us, 1000.0);
  EXPECT_GE(timer.overhead_us, 0.0);
  EXPECT_LT(timer.overhead_us, 10'000.0);
}

/// A clock with a resolution of 1 us, on which an empty stage takes 2 or 3 us.
class CoarseStages final : public StageSource {
 public:
  [[nodiscard]] Clock clock() const noexcept override { return Clock::steady; }
  void mark(int slot) override { marks_ = slot + 1; }
  void collect(std::span<double> since_start_ms) override {
    EXPECT_EQ(std::ssize(since_start_ms), marks_);
    double now_us = 0;
    for (std::size_t slot = 0; slot < since_start_ms.size(); ++slot) {
      since_start_ms[slot] = now_us / 1000.0;
      now_us += slot % 3 == 0 ? 3.0 : 2.0;
    }
  }

 private:
  int marks_ = 0;
};

TEST(RatesContract, ResolutionIsTheSmallestStepAndOverheadTheMedianOfEmptyStages) {
  CoarseStages coarse;
  const TimerFacts timer = measure_timer(coarse);
  EXPECT_NEAR(timer.overhead_us, 2.0, 1e-6);
  EXPECT_NEAR(timer.resolution_us, 1.0, 1e-6);
}

TEST(RatesContract, DeviceErrorsGiveTheReasonAndOtherErrorsAreThrown) {
  const DeviceRate rate = rate_or_why([]() -> DeviceRate { throw Error(ErrorKind::device, "no room"); });
  EXPECT_EQ(rate.how, "not measured: no room");
  EXPECT_FALSE(rate.per_second);
  EXPECT_THROW(
      static_cast<void>(rate_or_why([]() -> DeviceRate { throw Error(ErrorKind::cancelled, "stopped"); })),
      Error);
  EXPECT_EQ(rate_of(30, "", {1, 2, 9}).per_second, 15e3)
      << "the rate must be that of the median sample, 2 ms";
  EXPECT_FALSE(rate_of(30, "", {}).per_second);
}

TEST(RatesContract, ABackEndKeepsRunningWhileDevicesAreListed) {
  Job job;
  const auto registry = app::make_registry();
  const auto backend = registry.make(test::subject_name(), {2, 0});
  const CoordSet level =
      backend->upload(test::coord_set(PackSpec::bits32(), test::box_voxels({9, 9, 9}, 1, 99, 1)));
  for (const DeviceListing& listed : registry.devices())
    EXPECT_FALSE(listed.usable ? listed.facts.name.empty() : listed.why_not.empty());
  // The listing examines all devices, so the current device could be a device of another back end afterwards.
  // Kernels of this back end would then not start.
  EXPECT_GT(backend->downsample(level, 2, job).size.value(), 0);
}

TEST(RatesContract, StateHoldsPlausibleFiguresOrNone) {
  const DeviceState state = test::make_subject()->state(StateDetail::all);
  for (const auto& figure : {state.sm_clock_mhz, state.memory_clock_mhz, state.temperature_c})
    EXPECT_GT(figure.value_or(1), 0);
}

}  // namespace
}  // namespace spira
