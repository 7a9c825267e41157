// Compares the predicted memory of a network with the memory that the network uses.
#include "engine/run/memory_forecast.hpp"

#include "app/common/backends.hpp"
#include "engine/base/error.hpp"
#include "engine/run/backward.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using test::SmallSession;
using testing::HasSubstr;

struct ForecastCase {
  std::string_view network;
  int threshold;  ///< Threshold of all layers that support it. -1 means that all layers are
                  ///< output-stationary.
  Precision precision;
  Neighbourhood neighbourhood{};
};

void PrintTo(const ForecastCase& here, std::ostream* to) {
  *to << here.network << ", t = " << here.threshold << ", " << text_of(here.precision) << ", "
      << text_of(here.neighbourhood);
}

class MemoryForecasts : public testing::TestWithParam<ForecastCase> {
 protected:
  [[nodiscard]] static Network network() {
    Network network = network_preset(GetParam().network);
    set_neighbourhood(network, GetParam().neighbourhood);
    return network;
  }
};

TEST_P(MemoryForecasts, AreWithinAFifthOfThePeak) {
  const ForecastCase& here = GetParam();
  SmallSession some(network(), app::make_registry().make(test::subject_name()));
  some.plan.precision = here.precision;
  if (here.threshold >= 0) set_threshold(some.plan, some.session.network(), here.threshold);
  some.load(test::small_room(60'000));
  Job job;
  SamplingProtocol once;
  once.warmup = 0;
  once.min_samples = once.max_samples = 1;
  const auto measurement = some.session.measure(some.plan, once, job);
  const auto peak = static_cast<double>(measurement->peak_bytes);
  EXPECT_NEAR(static_cast<double>(measurement->forecast_peak_bytes), peak, 0.2 * peak);
}

TEST_P(MemoryForecasts, OfTrainingStepsAreWithinATenthOfThePeak) {
  const ForecastCase& here = GetParam();
  SmallSession some(network(), app::make_registry().make(test::subject_name()));
  if (some.backend->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  some.plan.precision = here.precision;
  if (here.threshold >= 0) set_threshold(some.plan, some.session.network(), here.threshold);
  some.load(test::small_room(60'000));
  Job job;
  SamplingProtocol once;
  once.warmup = 0;
  once.min_samples = once.max_samples = 1;
  Measurement measurement = *some.session.measure(some.plan, once, job);
  measure_training(some.session, {}, once, measurement, job);
  const auto peak = static_cast<double>(measurement.training->peak_bytes);
  const std::size_t forecast = forecast_training(*some.backend, *some.session.scene(), *some.network,
                                                 some.plan, some.session.forecast(some.plan).indexing);
  EXPECT_NEAR(static_cast<double>(forecast), peak, 0.1 * peak);
  EXPECT_GT(peak, static_cast<double>(measurement.peak_bytes));
}

INSTANTIATE_TEST_SUITE_P(Networks, MemoryForecasts,
                         testing::Values(ForecastCase{"resn21", -1, Precision::fp16},
                                         ForecastCase{"resn21", -1, Precision::fp32},
                                         ForecastCase{"minkunet42", -1, Precision::fp16},
                                         ForecastCase{"resnl20", -1, Precision::fp16},
                                         ForecastCase{"resnl20", 3, Precision::fp16},
                                         ForecastCase{"resn21", 0, Precision::fp32},
                                         ForecastCase{"resn21", -1, Precision::fp16, {NeighbourShape::cube}},
                                         ForecastCase{"resn21", -1, Precision::fp32, {NeighbourShape::ball}},
                                         ForecastCase{"fcgf", -1, Precision::fp32, {NeighbourShape::ball}},
                                         ForecastCase{"fcgf", -1, Precision::fp16, {NeighbourShape::ball}}),
                         test::PrintedName{});

TEST(MemoryNeeds, AreRefusedFarAboveTheMemoryOfTheDevice) {
  DeviceFacts device;
  device.name = "a small device";
  device.memory_bytes = 1'000'000'000;
  MemoryForecast forecast;
  forecast.features = 1'200'000'000;
  EXPECT_NO_THROW(require_memory(forecast, device));
  forecast.results = 800'000'000;
  try {
    require_memory(forecast, device);
    ADD_FAILURE() << "require_memory must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_EQ(facts(error.kind()).exit_code, 5);
    EXPECT_THAT(error.what(), HasSubstr("2.0 GB"));
    EXPECT_THAT(error.what(), HasSubstr("a small device has 1.0 GB"));
  }
  device.kind = BackendKind::cuda;
  try {
    require_memory(forecast, device);
    ADD_FAILURE() << "require_memory must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device_memory)
        << "a GPU must report a device error, because the window then continues on the CPU";
    EXPECT_EQ(facts(error.kind()).exit_code, 5);
  }
}

}  // namespace
}  // namespace spira
