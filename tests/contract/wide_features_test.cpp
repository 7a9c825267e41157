// Tests layers with many channels or many rows against the reference. Back ends have specialised kernels for
// such layers.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

/// Returns points on a hilly surface of size x size cells with walls. Large surfaces also have holes.
PointCloud hills(int size) {
  const double kept = size > 100 ? 0.35 : 1;
  Random random(11);
  PointCloud cloud;
  for (int x = 0; x < size; ++x) {
    for (int y = 0; y < size; ++y) {
      if (random.uniform(0, 1) > kept) continue;
      const double z =
          12 + std::floor(4 * std::sin(x * 0.11) + 4 * std::cos(y * 0.07) + random.uniform(0, 1.2));
      const int high = x % 40 == 7 ? 3 : 1;
      for (int at = 0; at < high; ++at)
        cloud.positions.push_back({x + 0.5, y + 0.5, z + at + 0.5});
    }
  }
  return cloud;
}

/// Returns the points of a full cube. All voxels except those at the faces have all neighbours, so the pair
/// lists have their maximum length.
PointCloud cube(int size) {
  PointCloud cloud;
  for (int at = 0; at < size * size * size; ++at)
    cloud.positions.push_back({(at / (size * size)) + 0.5, (at / size % size) + 0.5, (at % size) + 0.5});
  return cloud;
}

struct WideLayer {
  test::ConvShape shape;
  int size;  ///< Edge length of the surface or cube, in cells.
  bool solid = false;

  [[nodiscard]] bool many_rows() const { return solid || size > 100; }
  /// Returns the number of rows that the scene must have. On the CPU, where the reference needs most of the
  /// time of the tests, more rows than one panel of 512 rows are enough.
  [[nodiscard]] std::int64_t min_rows() const {
    return many_rows() ? 60000 : test::subject_name() == "cpu" ? 513 : 5000;
  }
  [[nodiscard]] PointCloud scene() const {
    constexpr int size_on_cpu = 23;
    if (solid) return cube(size);
    return hills(test::subject_name() == "cpu" ? std::min(size, size_on_cpu) : size);
  }
};
std::ostream& operator<<(std::ostream& out, const WideLayer& layer) {
  return out << layer.shape << " on " << layer.size << (layer.solid ? " cubed" : " squared");
}

class WideFeatures : public testing::TestWithParam<WideLayer> {};

TEST_P(WideFeatures, AgreeWithTheReference) {
  const test::ConvShape& s = GetParam().shape;
  const auto subject = test::make_subject(), reference = app::make_registry().make("reference");
  if (GetParam().many_rows() && test::subject_name() == "cpu")
    GTEST_SKIP() << "the number of rows makes no difference on this back end";
  Job job;
  const Voxelized v =
      subject->voxelize(GetParam().scene(), Grid{{1, 1, 1}, {}}, {PackSpec::bits32(), 16, s.precision}, job);
  const auto offsets = std::make_shared<const KernelOffsets>(s.kernel_size, 1);
  const LayerWeights weights =
      seeded_weights(single_layer_network(s.kernel_size, 1, s.in_channels, s.out_channels), 5).layers.back();
  ASSERT_GE(size_of(v.coords), GetParam().min_rows());
  const auto request = request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), true);
  const Features in = test::random_features(size_of(v.coords), s.in_channels, s.precision, 1),
                 residual = test::random_features(size_of(v.coords), s.out_channels, s.precision, 2);
  const ConvRequest plain, last{false, true, &residual};
  const KernelMap map = subject->build_map(v.coords, v.coords, request, job),
                  truth = reference->build_map(v.coords, v.coords,
                                               request_for_threshold(offsets, MapAlgorithm::z_delta, 0, true),
                                               job);
  const auto uploaded = subject->upload_weights(weights, s.precision),
             in_order = reference->upload_weights(weights, s.precision);
  for (const ConvRequest& request_of : {plain, last}) {
    // Skip the plain request if there are many rows, because the reference is slow.
    if (GetParam().many_rows() && request_of.residual == nullptr) continue;
    const Features expected = reference->convolve(truth, in, in_order, request_of, job);
    const ErrorScale scale = error_scale(truth, in, in_order, request_of, job);
    // Run twice, because data that the first run leaves must not affect the second run.
    for (const bool again : {false, true}) {
      const WorstError worst =
          compare(subject->convolve(map, in, uploaded, request_of, job), expected, scale);
      EXPECT_LE(worst.ratio, 1.0) << (again ? "again" : "first");
      EXPECT_TRUE(worst.special_values_agree);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, WideFeatures,
    testing::Values(
        WideLayer{{3, 1, 96, 32, Precision::fp16}, 73}, WideLayer{{3, 1, 128, 128, Precision::fp16}, 73},
        WideLayer{{3, 1, 160, 96, Precision::fp16}, 73}, WideLayer{{3, 1, 256, 64, Precision::fp16}, 73},
        WideLayer{{3, 1, 64, 32, Precision::fp16}, 430}, WideLayer{{5, 1, 64, 32, Precision::fp16}, 430},
        WideLayer{{5, 1, 64, 128, Precision::fp16}, 430}, WideLayer{{5, 1, 96, 32, Precision::fp16}, 430},
        WideLayer{{5, 1, 128, 32, Precision::fp16}, 430}, WideLayer{{5, 1, 64, 64, Precision::fp16}, 73},
        WideLayer{{5, 1, 96, 32, Precision::fp16}, 73}, WideLayer{{5, 1, 128, 128, Precision::fp16}, 73},
        WideLayer{{5, 1, 4, 16, Precision::fp16}, 430}, WideLayer{{5, 1, 16, 16, Precision::fp16}, 430},
        WideLayer{{5, 1, 16, 72, Precision::fp16}, 430}, WideLayer{{5, 1, 20, 24, Precision::fp16}, 430},
        WideLayer{{5, 1, 32, 32, Precision::fp16}, 430},
        WideLayer{{5, 1, 16, 16, Precision::fp16}, 40, true}),
    test::PrintedName{});

}  // namespace
}  // namespace spira
