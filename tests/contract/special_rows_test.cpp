// Tests that NaN and infinity in an input row reach exactly the outputs that have this row as a neighbour.
// Three errors could make other outputs NaN: multiplying a missing row (0 * NaN is NaN), reading
// uninitialised memory, and reading channels beyond the end of a row. The expected result is computed from
// the pairs of the map alone.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spira {
namespace {

using test::ConvShape;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Returns the voxels for a layer. For wide layers, there are enough voxels that a GPU uses its specialised
/// kernels. The CPU has no such kernels.
std::vector<Voxel> voxels_for(const ConvShape& shape) {
  return shape.in_channels >= 96 && test::subject_name() != "cpu"
             ? test::box_voxels({40, 36, 14}, 1, 11'000, 3)
             : test::box_voxels({20, 18, 9}, 1, 900, 3);
}

class SpecialRows : public testing::TestWithParam<ConvShape> {
 protected:
  void SetUp() override {
    level_ = test::coord_set(PackSpec::bits32(), voxels_for(shape_));
    // The number of rows must not be a multiple of any tile size.
    if (size_of(level_) % 16 == 0) {
      auto fewer = all_voxels(level_);
      fewer.pop_back();
      level_ = test::coord_set(PackSpec::bits32(), fewer);
    }
    if (!submanifold()) coarse_ = reference_->downsample(level_, shape_.stride_out, job_);
    truth_ = reference_->build_map(level_, outputs(), request(0, MapLayout::z_runs, false), job_);
  }

  [[nodiscard]] bool submanifold() const { return shape_.stride_out == 1; }
  [[nodiscard]] const CoordSet& outputs() const { return submanifold() ? level_ : coarse_; }
  [[nodiscard]] MapRequest request(int threshold, MapLayout dense, bool half) const {
    return request_for_threshold(offsets_, MapAlgorithm::z_delta, threshold, half, dense);
  }

  /// Returns features in which some values are special: values at both ends of some rows, values at both ends
  /// of the matrix, and some whole rows.
  [[nodiscard]] Features input(std::int64_t rows) const {
    Features in = test::random_features(rows, shape_.in_channels, shape_.precision, 1);
    const int last = shape_.in_channels - 1;
    test::set_feature(in, 0, 0, not_a_number);
    test::set_feature(in, rows - 1, last, infinity);
    for (int channel = 0; channel <= last; ++channel) {
      test::set_feature(in, rows / 3, channel, not_a_number);
      test::set_feature(in, rows / 2, channel, -infinity);
    }
    return in;
  }
  [[nodiscard]] std::vector<bool> reached_outputs(bool transposed) const {
    const std::int64_t sources = transposed ? truth_.outputs : truth_.inputs;
    std::vector<bool> reached(static_cast<std::size_t>(transposed ? truth_.inputs : truth_.outputs), false);
    for_each_pair(truth_, [&](std::int32_t output, int, std::int32_t input) {
      const std::int32_t from = transposed ? output : input, to = transposed ? input : output;
      if (from == 0 || from == sources / 3 || from == sources / 2 || from == sources - 1)
        reached[static_cast<std::size_t>(to)] = true;
    });
    return reached;
  }

  /// Allocates memory, fills it and frees it, so that the next allocations of the back end contain NaN in
  /// both fp16 and fp32.
  void fill_free_memory(Backend& backend, std::int64_t rows) const {
    for (const int times : {1, 2, 4}) {
      Buffer stale(make_host_pool(), static_cast<std::size_t>(times * rows * shape_.out_channels) * 2);
      const auto bytes = stale.host_span<std::byte>();
      std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
      static_cast<void>(backend.to_device(stale));
    }
  }

  void check(Backend& backend, const MapRequest& wanted, const ConvRequest& how, const std::string& what) {
    const KernelMap map = backend.build_map(backend.upload(level_), backend.upload(outputs()), wanted, job_);
    const std::vector<bool> reached = reached_outputs(how.transposed);
    const auto rows = std::ssize(reached);
    const Features in = backend.upload(input(how.transposed ? truth_.outputs : truth_.inputs));
    const auto weights = backend.upload_weights(weights_, shape_.precision);
    Features residual = test::random_features(rows, shape_.out_channels, shape_.precision, 2);
    // Make only one element of the residual special.
    const std::int64_t own = rows / 4;
    test::set_feature(residual, own, 1, not_a_number);
    residual = backend.upload(residual);
    for (const bool add : {false, true}) {
      ConvRequest request = how;
      request.residual = add ? &residual : nullptr;
      fill_free_memory(backend, rows);
      const Features found = backend.download(backend.convolve(map, in, weights, request, job_));
      ASSERT_EQ(found.rows, rows) << what;
      std::int64_t wrong = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (int channel = 0; channel < found.channels; ++channel) {
          const bool special = reached[static_cast<std::size_t>(row)] || (add && row == own && channel == 1);
          wrong += std::isfinite(feature_at(found, row, channel)) == special ? 1 : 0;
        }
      }
      EXPECT_EQ(wrong, 0) << what << (add ? ", residual" : "");
    }
  }

  ConvShape shape_ = GetParam();
  Job job_;
  std::shared_ptr<Backend> subject_ = app::make_registry().make(test::subject_name(), {2, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
  std::shared_ptr<const KernelOffsets> offsets_ =
      std::make_shared<const KernelOffsets>(shape_.kernel_size, 1);
  LayerWeights weights_ =
      seeded_weights(single_layer_network(shape_.kernel_size, 1, shape_.in_channels, shape_.out_channels), 5)
          .layers.back();
  CoordSet level_, coarse_;
  KernelMap truth_;
};

TEST_P(SpecialRows, AreFewEnoughToShowTheDifference) {
  for (const bool transposed : {false, true}) {
    const auto reached = reached_outputs(transposed);
    const auto count = std::count(reached.begin(), reached.end(), true);
    EXPECT_GE(count, 3);
    EXPECT_GT(std::ssize(reached) - count, 20);
  }
}

TEST_P(SpecialRows, ReachTheirNeighboursInTheReference) {
  check(*reference_, request(0, MapLayout::pair_lists, false), {}, "reference");
}

TEST_P(SpecialRows, ReachTheirNeighboursInEveryDataflowAndLayout) {
  const int all = offsets_->max_threshold();
  for (const bool half : {false, true}) {
    if (half && !(submanifold() && offsets_->centred())) continue;
    for (const auto dense : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
      for (const int t : {0, (all + 1) / 2, all}) {
        // With t = 0, there are no dense columns, so the dense layout has no effect.
        if (t == 0 && dense != MapLayout::z_runs) continue;
        check(*subject_, request(t, dense, half), {},
              std::string(text_of(dense)) + ", t " + std::to_string(t) + (half ? ", half" : ""));
      }
    }
  }
}

TEST_P(SpecialRows, ReachTheirNeighboursInTransposedLayersAndMatrixProducts) {
  for (const bool half : {false, true}) {
    if (half && !(submanifold() && offsets_->centred())) continue;
    for (const bool transposed : {false, true}) {
      for (const auto method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter,
                                FeatureMethod::gather_gemm_scatter_fp16}) {
        check(*subject_, request(0, MapLayout::z_runs, half), {transposed, false, nullptr, method},
              std::string(text_of(method)) + (transposed ? ", transposed" : "") + (half ? ", half" : ""));
      }
    }
  }
}

// The numbers of channels are less than one tile, exactly one tile, and many tiles. Some back ends have a
// separate kernel for each width.
INSTANTIATE_TEST_SUITE_P(
    Shapes, SpecialRows,
    testing::Values(ConvShape{1, 1, 16, 8, Precision::fp16}, ConvShape{2, 2, 8, 16, Precision::fp16},
                    ConvShape{2, 2, 4, 33, Precision::fp32}, ConvShape{3, 1, 7, 19, Precision::fp32},
                    ConvShape{3, 1, 33, 20, Precision::fp16}, ConvShape{3, 1, 32, 32, Precision::fp16},
                    ConvShape{3, 2, 64, 70, Precision::fp32}, ConvShape{3, 1, 64, 128, Precision::fp16},
                    ConvShape{3, 1, 96, 96, Precision::fp16}, ConvShape{3, 1, 128, 128, Precision::fp16},
                    ConvShape{5, 1, 16, 32, Precision::fp16}, ConvShape{5, 4, 64, 64, Precision::fp16},
                    ConvShape{5, 1, 8, 8, Precision::fp32}, ConvShape{7, 1, 8, 8, Precision::fp16}),
    test::PrintedName{});

}  // namespace
}  // namespace spira
