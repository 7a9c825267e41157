// Compares gather-GEMM-scatter with the reference in double precision, for several kernel sizes, strides and
// storage types, for transposed layers, and for tiny and adversarial coordinate sets.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace spira {
namespace {

using test::random_features;
using Shape = test::ConvShape;

/// Returns the error scale, enlarged by the error of rounding each product to fp16. This error is half an ulp
/// of fp16, plus half of the smallest subnormal number.
ErrorScale widened_for_half_products(ErrorScale scale, int columns) {
  constexpr double steps_fp32 = 0x1p-24, steps_fp16 = 0x1p-11, smallest = 0x1p-24;
  const std::size_t channels = scale.products.empty() ? 0 : scale.magnitude.size() / scale.products.size();
  for (std::size_t at = 0; at < scale.magnitude.size(); ++at) {
    const auto n = static_cast<double>(scale.products[at / channels]) + 2;
    scale.magnitude[at] += (scale.magnitude[at] * steps_fp16 + smallest * columns) / (n * steps_fp32);
  }
  return scale;
}

class GatherGemmContract : public testing::TestWithParam<Shape> {
 protected:
  void check(const std::vector<Voxel>& voxels) {
    const Shape& s = GetParam();
    const CoordSet level = test::coord_set(PackSpec::bits32(), voxels);
    const CoordSet coarse = subject_->downsample(level, s.stride_out, job_);
    const CoordSet& out = s.stride_out == 1 ? level : coarse;
    const auto offsets = std::make_shared<const KernelOffsets>(s.kernel_size, 1);
    // The first map stores the pairs of all columns. The second map stores only one column of each symmetric
    // pair.
    for (const bool half : {false, true}) {
      if (half && (s.stride_out != 1 || !offsets->centred())) continue;
      const MapRequest wanted{
          offsets, MapAlgorithm::z_delta, {{MapLayout::pair_lists, test::all_columns(*offsets)}}, half};
      const KernelMap map = subject_->build_map(level, out, wanted, job_);
      const KernelMap truth = reference_->build_map(level, out, wanted, job_);
      for (const bool transposed : {false, true})
        compare_one(map, truth, transposed);
    }
  }

  void compare_one(const KernelMap& map, const KernelMap& truth, bool transposed) {
    const Shape& s = GetParam();
    const LayerWeights weights =
        seeded_weights(single_layer_network(s.kernel_size, 1, s.in_channels, s.out_channels), 5)
            .layers.back();
    const auto uploaded = subject_->upload_weights(weights, s.precision),
               in_order = reference_->upload_weights(weights, s.precision);
    const std::int64_t rows_in = transposed ? truth.outputs : truth.inputs;
    const std::int64_t rows_out = transposed ? truth.inputs : truth.outputs;
    const Features in = random_features(rows_in, s.in_channels, s.precision, 1);
    const Features residual = random_features(rows_out, s.out_channels, s.precision, 2);
    for (const bool last : {false, true}) {
      ConvRequest request{transposed, last, last ? &residual : nullptr};
      const Features expected = reference_->convolve(truth, in, in_order, request, job_);
      const ErrorScale scale = error_scale(truth, in, in_order, request, job_);
      for (const auto method :
           {FeatureMethod::gather_gemm_scatter, FeatureMethod::gather_gemm_scatter_fp16}) {
        request.method = method;
        const bool narrow = method == FeatureMethod::gather_gemm_scatter_fp16;
        const Features found = subject_->convolve(map, in, uploaded, request, job_);
        ASSERT_EQ(found.rows, expected.rows);
        const WorstError worst = compare(
            found, expected, narrow ? widened_for_half_products(scale, truth.offsets->columns()) : scale);
        EXPECT_LE(worst.ratio, 1.0) << text_of(method) << (transposed ? ", transposed" : "")
                                    << (last ? ", residual and ReLU" : "") << (map.half ? ", half map" : "");
        EXPECT_TRUE(worst.special_values_agree);
      }
    }
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

TEST_P(GatherGemmContract, AgreesOnRandomVoxels) {
  check(test::box_voxels({24, 20, 9}, 1, 900, 3));
}
TEST_P(GatherGemmContract, AgreesOnTheFacesOfALargeBox) {
  check(test::box_voxels({2000, 2045, 253}, 1, 150, 12));
}
TEST_P(GatherGemmContract, Trap8_AgreesOnOneVoxel) {
  check({{3, 2, 1}});
}
TEST_P(GatherGemmContract, Trap8_AgreesOnNoVoxel) {
  check({});
}
TEST_P(GatherGemmContract, AgreesOnOneColumn) {
  std::vector<Voxel> column;
  for (std::int32_t z = 0; z < 67; ++z)
    column.push_back({1, 1, z});
  check(column);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, GatherGemmContract,
    testing::Values(Shape{1, 1, 16, 8, Precision::fp16}, Shape{2, 2, 4, 33, Precision::fp32},
                    Shape{2, 2, 16, 32, Precision::fp16}, Shape{3, 1, 16, 16, Precision::fp32},
                    Shape{3, 1, 33, 20, Precision::fp16}, Shape{3, 1, 64, 64, Precision::fp16},
                    Shape{3, 2, 24, 40, Precision::fp32}, Shape{5, 1, 7, 3, Precision::fp32},
                    Shape{5, 1, 32, 16, Precision::fp16}, Shape{5, 2, 3, 9, Precision::fp16}),
    test::PrintedName{});

TEST(GatherGemm, InfinityAndNanStayInTheRowsThatReadThem) {
  Job job;
  const auto subject = test::make_subject({2, 0}), reference = app::make_registry().make("reference");
  const CoordSet level = test::coord_set(PackSpec::bits32(), test::box_voxels({12, 12, 8}, 1, 300, 5));
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const auto wanted = request_for_threshold(offsets, MapAlgorithm::z_delta, 0, true);
  const LayerWeights weights = seeded_weights(single_layer_network(3, 1, 8, 8), 5).layers.back();
  Features in = random_features(size_of(level), 8, Precision::fp32, 1);
  in.data.host_span<float>()[11] = std::numeric_limits<float>::infinity();
  in.data.host_span<float>()[999] = std::numeric_limits<float>::quiet_NaN();
  const auto in_order = reference->upload_weights(weights, Precision::fp32);
  const KernelMap truth = reference->build_map(level, level, wanted, job);
  const ConvRequest request{false, false, nullptr, FeatureMethod::gather_gemm_scatter};
  const Features found = subject->convolve(subject->build_map(level, level, wanted, job), in,
                                           subject->upload_weights(weights, Precision::fp32), request, job);
  const WorstError worst = compare(found, reference->convolve(truth, in, in_order, request, job),
                                   error_scale(truth, in, in_order, request, job));
  EXPECT_TRUE(worst.special_values_agree);
  EXPECT_LE(worst.ratio, 1.0);
}

/// Several layers with different numbers of channels use the same map. Data that the first layer caches with
/// the map or the weights must not affect the other layers.
TEST(GatherGemm, AMapServesLayersOfSeveralShapes) {
  Job job;
  const auto device = app::make_registry().make(test::subject_name(), {2, 0});
  const CoordSet level = test::coord_set(PackSpec::bits32(), test::box_voxels({64, 60, 24}, 1, 20'000, 3));
  const CoordSet there = device->upload(level);
  const auto offsets = std::make_shared<const KernelOffsets>(3, 1);
  const KernelMap map =
      device->build_map(there, there, request_for_threshold(offsets, MapAlgorithm::z_delta, 0, true), job);
  for (const int channels : {16, 24, 16}) {
    const auto weights = device->upload_weights(
        seeded_weights(single_layer_network(3, 1, channels, 32), 5).layers.back(), Precision::fp16);
    const Features in = device->upload(random_features(size_of(level), channels, Precision::fp16, 1));
    ConvRequest request;
    const Features expected = device->download(device->convolve(map, in, weights, request, job));
    request.method = FeatureMethod::gather_gemm_scatter;
    for (int again = 0; again < 2; ++again) {
      const Features found = device->download(device->convolve(map, in, weights, request, job));
      for (std::int64_t row = 0; row < found.rows; ++row) {
        for (int c = 0; c < 32; ++c)
          ASSERT_NEAR(feature_at(found, row, c), feature_at(expected, row, c), 0.02F) << channels;
      }
    }
  }
}

}  // namespace
}  // namespace spira
