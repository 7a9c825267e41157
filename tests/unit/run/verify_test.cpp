#include "engine/run/verify/verify.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/small_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace spira {
namespace {

class Verify : public testing::Test {
 protected:
  VerifyResult run(Job& job, const Neighbourhood& neighbourhood = {}, bool training = false) {
    const auto reference = app::make_registry().make("reference");
    VerifyOptions options;
    options.grid = test::small_grid;
    options.quick = true;
    options.training = training;
    Network network = test::little_unet();
    set_neighbourhood(network, neighbourhood);
    return verify(*subject, *reference, test::small_room(400), network, options, job);
  }
  VerifyResult run() {
    Job job;
    return run(job);
  }
  static std::vector<std::string> failed(const VerifyResult& result) {
    std::vector<std::string> rows;
    for (const auto& row : result.rows) {
      if (!row.passed) rows.push_back(row.layer + ": " + row.setting + ": " + row.fault);
    }
    return rows;
  }
  std::shared_ptr<test::AlteredBackend> subject =
      std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu"));
};

TEST_F(Verify, PassesNativeLayersWithTheirTwoSearches) {
  Job job;
  for (const NeighbourShape shape : {NeighbourShape::cube, NeighbourShape::ball}) {
    const auto result = run(job, {shape}, true);
    EXPECT_THAT(failed(result), testing::IsEmpty());
    std::set<std::string> native_maps, positions, features;
    for (const VerifyRow& row : result.rows) {
      if (row.layer.find("map K=3") == 0) native_maps.insert(row.setting);
      if (row.layer.find("positions") == 0) positions.insert(row.layer);
      if (row.layer.find("stem ") == 0) features.insert(row.setting);
    }
    EXPECT_THAT(native_maps,
                testing::UnorderedElementsAre("zdelta, pair lists, 12/12/8", "hash, pair lists, 12/12/8",
                                              "zdelta, pair lists, 24/24/16", "hash, pair lists, 24/24/16"));
    EXPECT_THAT(positions, testing::Contains("positions of stride 1"));
    EXPECT_THAT(features, testing::IsSupersetOf(
                              {std::string("weight-stationary, t=0, fp32"), std::string("wgrad, ws, fp32")}));
  }
}

TEST_F(Verify, PassesTheCpuBackEndOverAllSettings) {
  const auto result = run();
  EXPECT_TRUE(result.passed());
  EXPECT_THAT(failed(result), testing::IsEmpty());
  const auto has = [&](const std::string& layer, const std::string& setting) {
    return std::any_of(result.rows.begin(), result.rows.end(), [&](const VerifyRow& row) {
      return row.layer.find(layer) != std::string::npos && row.setting.find(setting) != std::string::npos;
    });
  };
  for (const char* mapping : {"zdelta", "bsearch", "hash", "sorted"})
    EXPECT_TRUE(has("map K=3 1->1", mapping)) << mapping;
  for (const char* pack : {"12/12/8", "24/24/16"})
    EXPECT_TRUE(has("level of stride 2", pack)) << pack;
  for (const char* precision : {"fp32", "fp16"})
    EXPECT_TRUE(has("last 3x3x3", precision)) << precision;
  for (const char* dataflow : {"output-stationary", "weight-stationary", "hybrid"})
    EXPECT_TRUE(has("stem 3x3x3", dataflow)) << dataflow;
  EXPECT_TRUE(has("up 2x2x2 up", "weight-stationary"));
}

TEST_F(Verify, NoticesOneWrongFeatureValue) {
  subject->alter_features = [](Features& features) {
    if (features.precision == Precision::fp32) features.data.host_span<float>()[5] += 0.01F;
  };
  const auto result = run();
  EXPECT_FALSE(result.passed());
  EXPECT_THAT(failed(result), testing::Contains(testing::HasSubstr("the error exceeds its bound")));
}

TEST_F(Verify, NoticesANotANumber) {
  subject->alter_features = [](Features& features) {
    if (features.precision == Precision::fp32)
      features.data.host_span<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  };
  const VerifyResult result = run();
  EXPECT_THAT(failed(result), testing::Contains(testing::HasSubstr("NaN or infinity")));
  for (const VerifyRow& row : result.rows)
    EXPECT_FALSE(row.overflow);
}

// If both results overflow at the same positions, the row passes with a note. All other values are compared.
TEST_F(Verify, ReportsValuesThatOverflowInBothResults) {
  auto cloud = std::make_shared<PointCloud>(*test::small_room(400));
  cloud->intensity.assign(cloud->positions.size(), 1.0F);
  // This value is infinite in fp16 but not in fp32.
  cloud->intensity[7] = 90'000.0F;
  const auto reference = app::make_registry().make("reference");
  VerifyOptions options;
  options.grid = test::small_grid;
  options.quick = true;
  Job job;
  const VerifyResult result = verify(*subject, *reference, cloud, test::little_unet(), options, job);
  EXPECT_TRUE(result.passed()) << testing::PrintToString(failed(result));
  std::vector<std::string> overflows;
  for (const VerifyRow& row : result.rows) {
    EXPECT_EQ(row.overflow, !row.note.empty());
    if (row.overflow) overflows.push_back(row.layer + ", " + row.setting + ": " + row.note);
  }
  EXPECT_THAT(overflows,
              testing::Contains(testing::ContainsRegex(
                  "stem.*: [0-9,]+ values overflow fp16 on both back ends \\((NaN or )?infinite\\)")));
  EXPECT_THAT(overflows, testing::Each(testing::HasSubstr("fp16")));

  // One value that overflows only on the back end is a failure.
  subject->alter_features = [](Features& features) {
    if (features.precision == Precision::fp16)
      features.data.host_span<Fp16>().back() = float_to_fp16(std::numeric_limits<float>::infinity());
  };
  EXPECT_THAT(failed(verify(*subject, *reference, cloud, test::little_unet(), options, job)),
              testing::Contains(testing::HasSubstr("NaN or infinity at different positions")));
}

TEST_F(Verify, NoticesAPairThatIsMissing) {
  subject->alter_map = [](KernelMap& map) {
    for (auto& part : map.parts) {
      if (part.layout != MapLayout::output_major) continue;
      for (std::int32_t& entry : part.entries.host_span<std::int32_t>()) {
        if (entry < 0) continue;
        entry = -1;
        return;
      }
    }
  };
  EXPECT_THAT(failed(run()), testing::Contains(testing::AllOf(testing::HasSubstr("output-major"),
                                                              testing::HasSubstr("differs"))));
}

TEST_F(Verify, NoticesAWrongLevel) {
  subject->alter_level = [](CoordSet& level) {
    if (level.pack.word_bits() == 32) level.keys.host_span<std::uint32_t>()[0] += 2;
  };
  EXPECT_THAT(failed(run()), testing::Contains(testing::HasSubstr("level of stride 2: 12/12/8")));
}

TEST_F(Verify, CanBeCancelled) {
  std::stop_source stop;
  Job job(stop.get_token());
  subject->alter_map = [&](KernelMap&) { stop.request_stop(); };
  try {
    static_cast<void>(run(job));
    FAIL() << "the cancelled verification must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
  EXPECT_EQ(subject->maps_built, 1);
}

Features row_of_values(const std::vector<float>& values) {
  Features features{1, static_cast<int>(values.size()), Precision::fp32,
                    Buffer(make_host_pool(), values.size() * sizeof(float))};
  std::copy(values.begin(), values.end(), features.data.host_span<float>().begin());
  return features;
}

TEST(Compare, BoundGrowsWithTheSumAndNotWithTheResult) {
  // The sum of 100 products is 0, and the sum of their absolute values is 1000. The error bound is 102 *
  // 2^-24 * 1000.
  const ErrorScale scale{{100}, {1000.0}};
  const double bound = 102 * 0x1p-24 * 1000;
  const auto ratio = [&](double error) {
    return compare(row_of_values({static_cast<float>(error)}), row_of_values({0.0F}), scale).ratio;
  };
  EXPECT_NEAR(ratio(0.5 * bound), 0.5, 1e-3);
  EXPECT_NEAR(ratio(2.0 * bound), 2.0, 1e-3);
}

TEST(Compare, SpecialValuesMustHaveTheSamePositions) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const ErrorScale scale{{1}, {1.0, 1.0}};
  const auto agree = [&](const std::vector<float>& a, const std::vector<float>& b) {
    return compare(row_of_values(a), row_of_values(b), scale).special_values_agree;
  };
  EXPECT_TRUE(agree({nan, inf}, {nan, inf}));
  EXPECT_FALSE(agree({nan, 0}, {0, nan}));
  EXPECT_FALSE(agree({inf, 0}, {-inf, 0}));
  EXPECT_FALSE(agree({0}, {0, 0}));
}

}  // namespace
}  // namespace spira
