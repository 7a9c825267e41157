// Compares the features of the CPU back end with the reference in double precision, for every dataflow,
// layout, kernel size and storage type, on random and adversarial coordinates. The allowed error of each
// value is computed from the data.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "kernels/cpu/panel.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spira {
namespace {

using test::random_features;
using Shape = test::ConvShape;

PointCloud scattered(int points, std::uint64_t seed) {
  Random random(seed);
  PointCloud cloud;
  for (int at = 0; at < points; ++at) {
    cloud.positions.push_back(
        {random.uniform(0, 24), random.uniform(0, 20), std::floor(random.uniform(0, 6))});
  }
  return cloud;
}
PointCloud corners() {
  PointCloud cloud;
  for (const double x : {0.5, 31.5}) {
    for (const double y : {0.5, 31.5}) {
      for (const double z : {0.5, 1.5, 31.5})
        cloud.positions.push_back({x, y, z});
    }
  }
  return cloud;
}
PointCloud one() {
  PointCloud cloud;
  cloud.positions = {{3.5, 2.5, 1.5}};
  cloud.name = "one";
  return cloud;
}
PointCloud column() {
  PointCloud cloud;
  for (int z = 0; z < 67; ++z)
    cloud.positions.push_back({1.5, 1.5, z + 0.5});
  return cloud;
}

class FeaturesContract : public testing::TestWithParam<Shape> {
 protected:
  FeaturesContract() : cpu(test::make_subject()), reference(app::make_registry().make("reference")) {}

  void check(const PointCloud& cloud) {
    const Shape& s = GetParam();
    Job job;
    const Grid grid{{1, 1, 1}, {}};
    const Voxelized v = cpu->voxelize(cloud, grid, {PackSpec::bits32(), 16, s.precision}, job);
    const CoordSet coarse = cpu->downsample(v.coords, s.stride_out, job);
    const CoordSet& out = s.stride_out == 1 ? v.coords : coarse;
    const auto offsets = std::make_shared<const KernelOffsets>(s.kernel_size, 1);
    const LayerWeights weights =
        seeded_weights(single_layer_network(s.kernel_size, 1, s.in_channels, s.out_channels), 5)
            .layers.back();
    const int all = offsets->max_threshold();
    for (const bool transposed : {false, true}) {
      const Features in =
          random_features(transposed ? size_of(out) : size_of(v.coords), s.in_channels, s.precision, 1);
      const Features residual =
          random_features(transposed ? size_of(v.coords) : size_of(out), s.out_channels, s.precision, 2);
      for (const bool last : {false, true}) {
        ConvRequest request{transposed, last, last ? &residual : nullptr};
        request.one_pair_per_row = transposed && s.kernel_size <= s.stride_out;
        const auto wanted = [&](int t, MapLayout dense, int splits = 0) {
          return request_for_threshold(offsets, MapAlgorithm::z_delta, t, s.stride_out == 1, dense, splits);
        };
        const auto uploaded = cpu->upload_weights(weights, s.precision),
                   in_order = reference->upload_weights(weights, s.precision);
        const KernelMap truth = reference->build_map(v.coords, out, wanted(0, MapLayout::z_runs), job);
        const Features expected = reference->convolve(truth, in, in_order, request, job);
        const ErrorScale scale = error_scale(truth, in, in_order, request, job);
        const auto compare_one = [&](int t, MapLayout dense, int splits = 0) {
          const KernelMap map = cpu->build_map(v.coords, out, wanted(t, dense, splits), job);
          const WorstError worst = compare(cpu->convolve(map, in, uploaded, request, job), expected, scale);
          EXPECT_LE(worst.ratio, 1.0)
              << "t = " << t << ", " << text_of(dense) << " " << splits << (transposed ? ", transposed" : "")
              << (last ? ", residual and ReLU" : "");
          EXPECT_TRUE(worst.special_values_agree);
        };
        compare_one(0, MapLayout::z_runs);
        for (int t = 1; !transposed && t <= all; ++t)
          compare_one(t, MapLayout::z_runs);
        if (transposed) continue;
        compare_one(all, MapLayout::output_major);
        compare_one(all, MapLayout::offset_major);
        for (const int splits : {1, 2, 3, 5, 6}) {
          if (why_not_splits(offsets->columns(), splits).empty())
            compare_one(all, MapLayout::mask_sorted, splits);
        }
      }
    }
  }

  std::shared_ptr<Backend> cpu, reference;
};

TEST_P(FeaturesContract, AgreesOnScatteredVoxels) {
  check(scattered(700, 3));
}
TEST_P(FeaturesContract, AgreesOnTheCornersOfABox) {
  check(corners());
}
TEST_P(FeaturesContract, Trap8_AgreesOnOneVoxel) {
  check(one());
}
TEST_P(FeaturesContract, AgreesOnOneColumn) {
  check(column());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FeaturesContract,
    testing::Values(Shape{1, 1, 3, 5, Precision::fp32}, Shape{2, 2, 4, 33, Precision::fp32},
                    Shape{3, 1, 16, 16, Precision::fp32}, Shape{3, 1, 33, 20, Precision::fp16},
                    Shape{3, 2, 64, 96, Precision::fp32}, Shape{3, 16, 8, 8, Precision::fp16},
                    Shape{5, 1, 7, 3, Precision::fp32}, Shape{5, 4, 16, 16, Precision::fp16},
                    Shape{7, 1, 4, 4, Precision::fp32}, Shape{7, 8, 1, 1, Precision::fp16},
                    // Each fine voxel is in one pair. With stride 4, some voxels are in none.
                    Shape{2, 2, 16, 16, Precision::fp16}, Shape{2, 2, 33, 32, Precision::fp16},
                    Shape{2, 2, 96, 96, Precision::fp16}, Shape{2, 2, 64, 256, Precision::fp16},
                    Shape{2, 2, 8, 12, Precision::fp16}, Shape{2, 4, 32, 64, Precision::fp16}),
    test::PrintedName{});

/// The other tests use the widest instruction set. This test multiplies the same panel with each instruction
/// set that the processor supports.
TEST(Panels, EveryInstructionSetGivesTheSameProduct) {
  int count = 0;
  const auto* const* sets = cpu::runnable_panel_kernels(count);
  ASSERT_GE(count, 1);
  constexpr int rows = 37, in_channels = 19, out_channels = 23;
  Random random(1);
  std::vector<float> panel(rows * in_channels), weight(in_channels * out_channels);
  for (auto* values : {&panel, &weight}) {
    for (float& value : *values)
      value = static_cast<float>(random.normal());
  }
  for (int set = 0; set < count; ++set) {
    std::vector<float> product(rows * out_channels);
    sets[set]->multiply(panel.data(), rows, in_channels, weight.data(), out_channels, product.data());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < out_channels; ++column) {
        double expected = 0, magnitude = 0;
        for (std::size_t a = 0; a < in_channels; ++a) {
          const double term = static_cast<double>(panel[(row * in_channels) + a]) *
                              static_cast<double>(weight[(a * out_channels) + column]);
          expected += term;
          magnitude += std::abs(term);
        }
        EXPECT_NEAR(static_cast<double>(product[(row * out_channels) + column]), expected,
                    magnitude * 0x1p-24 * (in_channels + 2))
            << sets[set]->instructions;
      }
    }
    const std::vector<std::uint16_t> halves{
        float_to_fp16(1.5F), float_to_fp16(-0.25F), 0x7C00, 0x0001, float_to_fp16(65504.0F), 0x7E00};
    const std::int32_t index = 0;
    std::vector<float> wide(halves.size());
    sets[set]->gather_fp16(halves.data(), static_cast<int>(halves.size()), &index, 1, wide.data());
    for (std::size_t at = 0; at + 1 < halves.size(); ++at)
      EXPECT_EQ(wide[at], fp16_to_float(halves[at])) << sets[set]->instructions;
    EXPECT_TRUE(std::isnan(wide.back())) << sets[set]->instructions;
  }
}

// Tests trap 10 in docs/architecture.md. The division of rows into panels depends on the number of threads,
// so the sum of a row must not depend on the panel that contains the row.
TEST(PanelKernels, Trap10_ARowIsSummedInOneOrderInEveryPanel) {
  int count = 0;
  const cpu::PanelKernels* const* sets = cpu::runnable_panel_kernels(count);
  Random random(10);
  constexpr int rows = 64;
  for (const auto& [in_channels, out_channels] : {std::pair{1, 1},
                                                  {1, 9},
                                                  {2, 3},
                                                  {4, 1},
                                                  {4, 4},
                                                  {3, 17},
                                                  {5, 2},
                                                  {16, 16},
                                                  {31, 33},
                                                  {67, 5},
                                                  {129, 130},
                                                  {257, 7},
                                                  {300, 64}}) {
    const auto numbers = [&](int size) {
      std::vector<float> values(static_cast<std::size_t>(size));
      for (float& value : values)
        value = static_cast<float>(random.normal());
      return values;
    };
    const auto panel = numbers(rows * in_channels), weight = numbers(in_channels * out_channels);
    for (int set = 0; set < count; ++set) {
      std::vector<float> whole(static_cast<std::size_t>(rows * out_channels));
      sets[set]->multiply(panel.data(), rows, in_channels, weight.data(), out_channels, whole.data());
      for (int first = 0; first < 7; ++first) {
        for (int some = 1; some < 45; ++some) {
          const std::int64_t padded = cpu::padded_rows(some, in_channels, out_channels);
          std::vector<float> part(static_cast<std::size_t>(padded * in_channels), 1e30F);
          std::copy_n(panel.begin() + (first * in_channels), some * in_channels, part.begin());
          std::vector<float> product(static_cast<std::size_t>(padded * out_channels));
          sets[set]->multiply(part.data(), padded, in_channels, weight.data(), out_channels, product.data());
          ASSERT_TRUE(std::equal(product.begin(), product.begin() + (some * out_channels),
                                 whole.begin() + (first * out_channels)))
              << sets[set]->instructions << ", " << in_channels << " > " << out_channels << " channels, "
              << some << " rows from " << first;
        }
      }
    }
  }
}

/// Parameters of a layer on scattered points. The weight-stationary dataflow divides the rows among the
/// threads only if there are at least 4,096 rows.
struct DeterminismCase {
  const char* name;
  int kernel_size, stride, in_channels, out_channels;
  bool transposed = false;
  FeatureMethod method = FeatureMethod::by_layout;
  int points = 20'000;
};
class Determinism : public testing::TestWithParam<std::tuple<DeterminismCase, Precision>> {
 protected:
  /// Returns the bytes of all results. There is one result for each threshold and each layout of the
  /// output-stationary part.
  static std::vector<std::vector<std::byte>> results_with(int threads) {
    const auto& [c, precision] = GetParam();
    Job job;
    const auto backend = app::make_registry().make("cpu", {threads, 0});
    PointCloud cloud;
    Random random(9);
    for (int at = 0; at < c.points; ++at)
      cloud.positions.push_back({random.uniform(0, 60), random.uniform(0, 50), random.uniform(0, 8)});
    const Voxelized v =
        backend->voxelize(cloud, Grid{{1, 1, 1}, {}}, {PackSpec::bits32(), 16, precision}, job);
    const CoordSet out = backend->downsample(v.coords, c.stride, job);
    const auto offsets = std::make_shared<const KernelOffsets>(c.kernel_size, 1);
    LayerWeights drawn{offsets->columns(), c.in_channels, c.out_channels, {}, {}};
    for (int at = 0; at < drawn.columns * c.in_channels * c.out_channels; ++at)
      drawn.weight.push_back(static_cast<float>(random.normal()));
    drawn.bias.assign(static_cast<std::size_t>(c.out_channels), 0.25F);
    const auto weights = backend->upload_weights(drawn, precision);
    const Features x = random_features(size_of(c.transposed ? out : v.coords), c.in_channels, precision, 3);
    const bool lists = c.transposed || c.method != FeatureMethod::by_layout;
    std::vector<std::vector<std::byte>> all;
    for (int t = 0; t <= (lists ? 0 : offsets->max_threshold()); ++t) {
      if (c.stride > 1 && t != 0 && t != offsets->max_threshold()) continue;
      for (const auto layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
        // With t = 0, the map has only pair lists, so the dense layout has no effect.
        if (t == 0 && layout != MapLayout::z_runs) continue;
        const KernelMap map = backend->build_map(
            v.coords, out, request_for_threshold(offsets, MapAlgorithm::z_delta, t, c.stride == 1, layout),
            job);
        const Features y = backend->convolve(map, x, weights, {c.transposed, false, nullptr, c.method}, job);
        const auto bytes = y.data.host_span<std::byte>();
        all.emplace_back(bytes.begin(), bytes.end());
      }
    }
    for (const int splits : {1, 2, 5}) {
      if (lists || !why_not_splits(offsets->columns(), splits).empty()) continue;
      const MapRequest request =
          request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), c.stride == 1,
                                MapLayout::mask_sorted, splits);
      const Features y =
          backend->convolve(backend->build_map(v.coords, out, request, job), x, weights, {}, job);
      const auto bytes = y.data.host_span<std::byte>();
      all.emplace_back(bytes.begin(), bytes.end());
    }
    return all;
  }
};

// Tests trap 10 in docs/architecture.md: the kernels use no atomics, so the order of the sums does not depend
// on the number of threads.
TEST_P(Determinism, Trap10_ThreadsDoNotChangeABit) {
  const auto one = results_with(1);
  ASSERT_FALSE(one.empty());
  for (const int threads : {2, 3, 4, 7, 8}) {
    const auto more = results_with(threads);
    ASSERT_EQ(more.size(), one.size());
    for (std::size_t at = 0; at < one.size(); ++at)
      EXPECT_TRUE(more[at] == one[at]) << threads << " threads, setting " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, Determinism,
    testing::Combine(
        testing::Values(
            DeterminismCase{"K3", 3, 1, 16, 16}, DeterminismCase{"K3OddChannels", 3, 1, 5, 7},
            DeterminismCase{"K3FewChannels", 3, 1, 4, 1},
            DeterminismCase{"K3Wide", 3, 1, 67, 66, false, FeatureMethod::by_layout, 8000},
            DeterminismCase{"K5", 5, 1, 9, 6, false, FeatureMethod::by_layout, 8000},
            DeterminismCase{"K2Down", 2, 2, 6, 9}, DeterminismCase{"K3Down", 3, 2, 16, 31},
            DeterminismCase{"K2Up", 2, 2, 33, 6, true}, DeterminismCase{"K1", 1, 1, 7, 5},
            DeterminismCase{"GatherGemmScatter", 3, 1, 6, 7, false, FeatureMethod::gather_gemm_scatter},
            DeterminismCase{"FewerRowsThanThreads", 3, 1, 5, 3, false, FeatureMethod::by_layout, 6}),
        testing::Values(Precision::fp32, Precision::fp16)),
    [](const auto& about) {
      return std::string(std::get<0>(about.param).name) + "_" +
             std::string(text_of(std::get<1>(about.param)));
    });

}  // namespace
}  // namespace spira
