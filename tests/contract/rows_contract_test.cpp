// Tests operations on rows, such as sums of features and activations, against the reference.
#include "app/common/backends.hpp"
#include "engine/backend/compute_layer.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spira {
namespace {

constexpr std::array all_activations{Activation::none,    Activation::relu, Activation::leaky_relu,
                                     Activation::sigmoid, Activation::tanh, Activation::silu,
                                     Activation::elu,     Activation::gelu};

/// A request that both back ends compute. The features are in host memory; make_host_adapter() uploads them.
struct RowCase {
  LayerOp op;
  int inputs, channels;  ///< Number of inputs, and number of channels of each input.
  std::int64_t rows;
  Precision precision;
};
std::ostream& operator<<(std::ostream& out, const RowCase& one) {
  return out << text_of(one.op) << " " << one.inputs << "x" << one.channels << " " << one.rows << " rows "
             << text_of(one.precision);
}

class RowOperations : public testing::TestWithParam<RowCase> {
 protected:
  RowOperations() {
    const auto& [op, inputs, channels, rows, precision] = GetParam();
    for (int at = 0; at < inputs; ++at)
      features_.push_back(
          test::random_features(rows, channels, precision, 7 + static_cast<std::uint64_t>(at)));
    out_channels_ = op == LayerOp::concat      ? inputs * channels
                    : op == LayerOp::group_sum ? channels / 2
                                               : channels;
    residual_ = test::random_features(rows, out_channels_, precision, 99);
    weights_.out_channels = out_channels_;
    for (int c = 0; c < out_channels_; ++c) {
      weights_.scale.push_back(0.5F + (0.01F * static_cast<float>(c)));
      weights_.shift.push_back(0.3F - (0.02F * static_cast<float>(c)));
    }
  }

  void expect_like_reference(const std::vector<RowStep>& steps) {
    Job job;
    const auto in_order = reference_->upload_weights(weights_, GetParam().precision);
    const auto uploaded = subject_->upload_weights(weights_, GetParam().precision);
    const RowRequest theirs = request(steps, in_order), ours = request(steps, uploaded);
    const WorstError worst = compare(subject_->compute_rows(ours, job), reference_->compute_rows(theirs, job),
                                     error_scale(theirs));
    EXPECT_LE(worst.ratio, 1.0);
    EXPECT_TRUE(worst.special_values_agree);
  }

  [[nodiscard]] RowRequest request(std::vector<RowStep> steps, const UploadedWeights& weights) const {
    for (RowStep& step : steps) {
      if (step.step == LayerStep::norm) step.scale = &weights;
      if (step.step == LayerStep::add) step.residual = &residual_;
    }
    RowRequest result{GetParam().op, {}, out_channels_, std::move(steps), 1e-3F};
    for (const Features& input : features_)
      result.inputs.push_back(&input);
    return result;
  }

  std::vector<Features> features_;
  Features residual_;
  int out_channels_ = 0;
  LayerWeights weights_;
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference"),
                           subject_ = test::make_subject();
};

TEST_P(RowOperations, AgreeWithTheReference) {
  expect_like_reference({});
  for (const Activation activation : all_activations) {
    const RowStep act{LayerStep::activation, nullptr, nullptr, activation, 0.1F};
    expect_like_reference({act, {LayerStep::norm}, {LayerStep::add}});
    expect_like_reference({{LayerStep::add}, {LayerStep::norm}, act});
  }
}

/// The distances from the mean are far smaller than the values, and a channel and some rows have no variance.
TEST_P(RowOperations, KeepSmallDifferencesOfLargeValues) {
  for (Features& input : features_) {
    for (std::int64_t row = 0; row < input.rows; ++row) {
      for (int channel = 0; channel < input.channels; ++channel) {
        const float small = channel == 1 || row % 5 == 2 ? 0.0F : feature_at(input, row, channel);
        test::set_feature(input, row, channel, 1000 + small);
      }
    }
  }
  expect_like_reference({{LayerStep::norm}});
}

TEST_P(RowOperations, KeepNanAndInfinity) {
  if (features_.front().rows < 3) GTEST_SKIP() << "too few rows";
  test::set_feature(features_.front(), 0, 0, std::numeric_limits<float>::quiet_NaN());
  test::set_feature(features_.front(), 1, 1, std::numeric_limits<float>::infinity());
  test::set_feature(features_.front(), 2, 0, -std::numeric_limits<float>::infinity());
  for (const Activation activation : all_activations)
    expect_like_reference({{LayerStep::activation, nullptr, nullptr, activation, 0.1F}});
}

std::vector<RowCase> cases() {
  std::vector<RowCase> all;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const std::int64_t rows : {0, 1, 3, 1025}) {
      all.push_back({LayerOp::concat, 1, 8, rows, precision});
      all.push_back({LayerOp::concat, 3, 5, rows, precision});
      all.push_back({LayerOp::add, 2, 8, rows, precision});
      all.push_back({LayerOp::add, 5, 3, rows, precision});
      all.push_back({LayerOp::multiply, 2, 17, rows, precision});
      all.push_back({LayerOp::group_sum, 1, 34, rows, precision});
      all.push_back({LayerOp::layer_norm, 1, 33, rows, precision});
      all.push_back({LayerOp::instance_norm, 1, 33, rows, precision});
    }
  }
  all.push_back({LayerOp::layer_norm, 1, 1, 100, Precision::fp32});
  all.push_back({LayerOp::layer_norm, 1, 300, 100, Precision::fp16});
  all.push_back({LayerOp::instance_norm, 1, 1, 5000, Precision::fp32});
  all.push_back({LayerOp::add, 64, 4, 100, Precision::fp32});
  all.push_back({LayerOp::concat, 64, 1, 100, Precision::fp16});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, RowOperations, testing::ValuesIn(cases()), test::PrintedName());

}  // namespace
}  // namespace spira
