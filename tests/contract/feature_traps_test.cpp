// Tests features with special values against the reference: the limits of fp16 (trap 9 in
// docs/architecture.md), NaN and infinity.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spira {
namespace {

using test::features_of;

LayerWeights constant_weights(int columns, int in_channels, int out_channels, float value) {
  return {columns, in_channels, out_channels,
          std::vector<float>(static_cast<std::size_t>(columns * in_channels * out_channels), value),
          std::vector<float>(static_cast<std::size_t>(out_channels), 0.0F)};
}

class FeatureTraps : public testing::Test {
 protected:
  /// Calls check(found, expected, what) for every threshold and every dense layout.
  template <class Check>
  void for_every_dataflow(const CoordSet& level, const Features& in, const LayerWeights& weights, bool relu,
                          const Check& check) {
    const auto offsets = std::make_shared<const KernelOffsets>(3, level.stride);
    const auto uploaded = cpu_->upload_weights(weights, in.precision),
               in_order = reference_->upload_weights(weights, in.precision);
    const ConvRequest request{false, relu, nullptr};
    const KernelMap truth = reference_->build_map(
        level, level, request_for_threshold(offsets, MapAlgorithm::z_delta, 0, false), job_);
    const Features expected = reference_->convolve(truth, in, in_order, request, job_);
    for (const MapLayout dense : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
      for (int t = 0; t <= offsets->max_threshold(); ++t) {
        if (dense != MapLayout::z_runs && t < offsets->max_threshold()) continue;
        const KernelMap map = cpu_->build_map(
            level, level, request_for_threshold(offsets, MapAlgorithm::z_delta, t, true, dense), job_);
        const WorstError worst = compare(cpu_->convolve(map, in, uploaded, request, job_), expected,
                                         error_scale(truth, in, in_order, request, job_));
        const std::string what = std::string(text_of(dense)) + ", t " + std::to_string(t);
        EXPECT_TRUE(worst.special_values_agree) << what;
        EXPECT_LE(worst.ratio, 1.0) << what;
        check(cpu_->convolve(map, in, uploaded, request, job_), expected, what);
      }
    }
  }

  Job job_;
  std::shared_ptr<Backend> cpu_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

TEST_F(FeatureTraps, Trap9SumsBeyondFp16ThatCancelAreExact) {
  const CoordSet level = test::coord_set(PackSpec::bits32(), {{4, 4, 3}, {4, 4, 4}, {4, 4, 5}});
  const Features in = features_of({60000.0F, 60000.0F, -60000.0F}, 1, Precision::fp16);
  for_every_dataflow(level, in, constant_weights(27, 1, 1, 1.0F), false,
                     [](const Features& found, const Features&, const std::string& what) {
                       EXPECT_NEAR(feature_at(found, 1, 0), 60000.0F, 16.0F) << what;
                       EXPECT_EQ(feature_at(found, 2, 0), 0.0F) << what;
                       // 120,000 is beyond the range of fp16. The result must be infinity and not the largest
                       // finite value.
                       EXPECT_EQ(feature_at(found, 0, 0), std::numeric_limits<float>::infinity()) << what;
                     });
}

TEST_F(FeatureTraps, Trap9ManyLargeAndTinyActivationsStayWithinTheBound) {
  const auto level = test::coord_set(PackSpec::bits32(), test::box_voxels({14, 14, 9}, 1, 600, 3));
  Random random(4);
  std::vector<float> values;
  for (std::int64_t at = 0; at < size_of(level) * 8; ++at) {
    // The values are either near the largest fp16 value or subnormal.
    const double size = random.below(2) == 0 ? 6e4 : 6e-8;
    values.push_back(static_cast<float>(random.uniform(-size, size)));
  }
  LayerWeights weights = constant_weights(27, 8, 5, 0.0F);
  for (float& value : weights.weight)
    value = static_cast<float>(random.uniform(-0.01, 0.01));
  for_every_dataflow(level, features_of(values, 8, Precision::fp16), weights, false,
                     [](const Features& found, const Features&, const std::string& what) {
                       for (const float norm : feature_norms(found))
                         ASSERT_TRUE(std::isfinite(norm)) << what;
                     });
}

TEST_F(FeatureTraps, NanAndInfinitySpreadToTheSameElementsAsInTheReference) {
  const auto level = test::coord_set(PackSpec::bits32(), test::box_voxels({12, 12, 8}, 1, 500, 5));
  constexpr int channels = 7, out_channels = 19;
  Random random(6);
  std::vector<float> values(static_cast<std::size_t>(size_of(level)) * channels);
  for (float& value : values)
    value = static_cast<float>(random.normal());
  const float inf = std::numeric_limits<float>::infinity();
  const std::array special{inf, -inf, std::numeric_limits<float>::quiet_NaN()};
  for (std::size_t at = 0; at < 9; ++at)
    values[random.below(values.size())] = special.at(at % 3);
  LayerWeights weights = constant_weights(27, channels, out_channels, 0.0F);
  // Some weights are zero, because infinity times 0 is NaN.
  for (std::size_t at = 0; at < weights.weight.size(); ++at)
    weights.weight[at] = at % 11 == 0 ? 0.0F : static_cast<float>(random.normal());
  for (const auto precision : {Precision::fp32, Precision::fp16}) {
    for (const bool relu : {false, true}) {
      for_every_dataflow(level, features_of(values, channels, precision), weights, relu,
                         [&](const Features& found, const Features& expected, const std::string& what) {
                           int specials = 0, ordinary = 0;
                           for (std::int64_t row = 0; row < expected.rows; ++row) {
                             for (int c = 0; c < out_channels; ++c)
                               ++(std::isfinite(feature_at(expected, row, c)) ? ordinary : specials);
                           }
                           EXPECT_GT(specials, 100) << what;
                           EXPECT_GT(ordinary, 100)
                               << what << ": too few ordinary values for a meaningful comparison";
                           EXPECT_EQ(found.rows, expected.rows);
                         });
    }
  }
}

}  // namespace
}  // namespace spira
