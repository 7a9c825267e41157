// Compares the gradients of convolutions: the reference with central differences, and the back end under test
// with the reference, for every dataflow, on random and adversarial coordinates.
#include "app/common/backends.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/verify/verify_row.hpp"
#include "engine/run/voxel_scene.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/coord_sets.hpp"
#include "tests/support/features.hpp"
#include "tests/support/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace spira {
namespace {

using test::random_features;

struct GradientCase {
  int kernel_size, stride;
  bool transposed;
  int in_channels = 3, out_channels = 4;
  Precision precision = Precision::fp32;
};
std::ostream& operator<<(std::ostream& out, const GradientCase& c) {
  return out << "K" << c.kernel_size << " s" << c.stride << (c.transposed ? " up " : " down ")
             << c.in_channels << "->" << c.out_channels << " " << text_of(c.precision);
}

/// A convolution between two levels, with its coordinates in host memory.
struct LayerOnLevels {
  Layer layer;
  LayerLevels levels;
  std::shared_ptr<const KernelOffsets> offsets;
  CoordSet fine, coarse;
  LayerWeights weights;

  LayerOnLevels(const GradientCase& c, std::vector<Voxel> voxels)
      : offsets(std::make_shared<const KernelOffsets>(c.kernel_size, 1)) {
    layer.name = "conv";
    layer.kernel_size = c.kernel_size;
    layer.stride = c.stride;
    layer.transposed = c.transposed;
    layer.in_channels = c.in_channels;
    layer.out_channels = c.out_channels;
    levels.map = {KernelShape(c.kernel_size), 1, c.stride};
    levels.transposed = c.transposed;
    fine = test::coord_set(PackSpec::bits64(), voxels);
    for (Voxel& voxel : voxels) {
      for (std::int32_t& axis : voxel)
        axis = axis / c.stride * c.stride;
    }
    coarse = test::coord_set(PackSpec::bits64(), voxels, c.stride);
    weights = seeded_weights(single_layer_network(c.kernel_size, 1, c.in_channels, c.out_channels), 5)
                  .layers.back();
  }
  [[nodiscard]] std::int64_t in_rows() const { return size_of(layer.transposed ? coarse : fine); }
  [[nodiscard]] std::int64_t out_rows() const { return size_of(layer.transposed ? fine : coarse); }
  [[nodiscard]] LayerPlan plan(const std::string& dataflow) const {
    LayerPlan plan;
    plan.threshold = feasible_thresholds(layer).back();
    return with_dataflow(layer, plan, dataflow);
  }
  [[nodiscard]] KernelMap map(Backend& backend, const LayerPlan& plan, Job& job) const {
    return backend.build_map(fine, coarse, request_for(map_use(levels, plan), offsets), job);
  }
};

std::vector<Voxel> scattered(int count, std::int32_t extent = 14) {
  Random random(7);
  std::vector<Voxel> voxels;
  for (int at = 0; at < count; ++at) {
    Voxel voxel{};
    for (std::int32_t& axis : voxel)
      axis = 16 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(extent)));
    voxels.push_back(voxel);
  }
  return voxels;
}

class ReferenceGradients : public testing::TestWithParam<GradientCase> {};

// Compares the gradients of sum(y * g) with central differences. A convolution is linear, so differences over
// any distance are exact except for rounding.
TEST_P(ReferenceGradients, Trap22_EqualCentralDifferences) {
  Job job;
  const auto backend = app::make_registry().make("reference");
  LayerOnLevels on(GetParam(), scattered(180));
  const Layer& layer = on.layer;
  const LayerPlan plan = on.plan("ws");
  const KernelMap map = on.map(*backend, plan, job);
  Features x = random_features(on.in_rows(), layer.in_channels, Precision::fp32, 1);
  const Features g = random_features(on.out_rows(), layer.out_channels, Precision::fp32, 2);
  const auto loss = [&] {
    ConvRequest request;
    request.transposed = layer.transposed;
    const Features y =
        backend->convolve(map, x, backend->upload_weights(on.weights, Precision::fp32), request, job);
    double sum = 0;
    for (std::size_t at = 0; at < y.data.host_span<float>().size(); ++at)
      sum += static_cast<double>(y.data.host_span<float>()[at]) *
             static_cast<double>(g.data.host_span<float>()[at]);
    return sum;
  };
  const auto difference = [&](float& value) {
    const float before = value;
    value = before + 1;
    const double above = loss();
    value = before - 1;
    const double below = loss();
    value = before;
    return (above - below) / 2;
  };
  const MasterWeights by_weights = backend->extensions().gradients->wgrad(map, x, g, {layer.transposed}, job);
  const DgradForm form = dgrad_form(layer, on.levels);
  ConvRequest request;
  request.transposed = form.transposed;
  const Features by_inputs = backend->convolve(
      on.map(*backend, default_backward(layer, on.levels, plan).dgrad, job), g,
      backend->upload_weights(in_form(on.weights, form.form), Precision::fp32), request, job);
  ASSERT_EQ(by_inputs.rows, x.rows);
  ASSERT_EQ(by_inputs.channels, layer.in_channels);
  Random random(3);
  double largest = 0;
  for (int entry = 0; entry < 20; ++entry) {
    const auto w = random.below(on.weights.weight.size());
    const auto in = random.below(x.data.host_span<float>().size());
    EXPECT_NEAR(static_cast<double>(by_weights.weight.host_span<float>()[w]),
                difference(on.weights.weight[w]), 1e-4)
        << w;
    EXPECT_NEAR(static_cast<double>(by_inputs.data.host_span<float>()[in]),
                difference(x.data.host_span<float>()[in]), 1e-4)
        << in;
    largest = std::max(largest, std::abs(static_cast<double>(by_weights.weight.host_span<float>()[w])));
  }
  EXPECT_GT(largest, 0.1);
  for (std::size_t c = 0; c < on.weights.bias.size(); ++c)
    EXPECT_NEAR(static_cast<double>(by_weights.bias.host_span<float>()[c]), difference(on.weights.bias[c]),
                1e-4)
        << c;
}

INSTANTIATE_TEST_SUITE_P(Layers, ReferenceGradients,
                         testing::Values(GradientCase{1, 1, false}, GradientCase{2, 1, false},
                                         GradientCase{3, 1, false}, GradientCase{5, 1, false},
                                         GradientCase{2, 2, false}, GradientCase{3, 2, false},
                                         GradientCase{5, 2, false}, GradientCase{2, 1, true},
                                         GradientCase{3, 1, true}, GradientCase{2, 2, true},
                                         GradientCase{3, 2, true}, GradientCase{5, 2, true}),
                         test::PrintedName{});

/// Returns all passes and dataflows that a layer has, such as "dgrad, ws". They follow from the layer alone:
/// wgrad has no gather-GEMM-scatter, and dgrad of a layer that is not transposed and has no centre offset at
/// stride 1 must read pair lists. gather-fp16 rounds its products, so it is not compared.
std::set<std::string> settings_to_check(Layer layer) {
  const bool only_pair_lists =
      !layer.transposed && (layer.stride != PerAxis(1) || layer.kernel_size.product() % 2 == 0);
  layer.transposed = false;
  std::set<std::string> settings;
  for (const std::string& name : dataflows_of(layer)) {
    if (name == "gather-fp16") continue;
    if (name != "gather") settings.insert("wgrad, " + name);
    if (!only_pair_lists || name == "ws" || name == "gather") settings.insert("dgrad, " + name);
  }
  return settings;
}

class GradientsContract : public testing::TestWithParam<GradientCase> {
 protected:
  void SetUp() override {
    if (subject_->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  }
  /// Compares dgrad and wgrad of all dataflows with the reference.
  void check(const std::vector<Voxel>& voxels) {
    const LayerOnLevels on(GetParam(), voxels);
    const KernelMap truth = on.map(*reference_, on.plan("ws"), job_);
    const Features in = random_features(on.in_rows(), on.layer.in_channels, GetParam().precision, 4);
    VoxelScene scene;
    for (const CoordSet* level : {&on.fine, &on.coarse})
      scene.levels.emplace_back(std::shared_ptr<void>(), level);  // Does not own the level.
    VerifyResult result;
    verify_gradients(*subject_, *reference_, {on.layer, on.levels, on.weights, in, truth, scene, on.offsets},
                     result, job_);
    std::set<std::string> checked;
    for (const VerifyRow& row : result.rows)
      checked.insert(row.setting.substr(0, row.setting.rfind(", ")));
    ASSERT_EQ(checked, settings_to_check(on.layer));
    ASSERT_EQ(result.rows.size(), checked.size());
    for (const VerifyRow& row : result.rows)
      EXPECT_TRUE(row.passed) << row.setting << ": " << row.fault << ", " << row.worst_ratio;
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({3, 0});
  std::shared_ptr<Backend> reference_ = app::make_registry().make("reference");
};

TEST_P(GradientsContract, AgreeOnScatteredVoxels) {
  check(scattered(2600, 24));
}
TEST_P(GradientsContract, AgreeOnOneVoxelAndOnVoxelsWithoutNeighbours) {
  check({{16, 17, 18}});
  check({{16, 16, 16}, {48, 16, 16}, {16, 48, 17}, {49, 49, 49}});
}
TEST_P(GradientsContract, AgreeOnOneColumn) {
  std::vector<Voxel> column;
  for (std::int32_t z = 0; z < 67; ++z)
    column.push_back({20, 20, 16 + z});
  check(column);
}
TEST_P(GradientsContract, Trap20_AgreeWithoutAnyVoxel) {
  const LayerOnLevels on(GetParam(), {});
  for (const char* dataflow : {"ws", "os", "unsorted"}) {
    if (on.layer.transposed && std::string(dataflow) != "ws") continue;
    const KernelMap map = on.map(*subject_, on.plan(dataflow), job_);
    const Features in = random_features(0, on.layer.in_channels, GetParam().precision, 1),
                   g = random_features(0, on.layer.out_channels, GetParam().precision, 1);
    const MasterWeights gradient =
        subject_->extensions().gradients->wgrad(map, in, g, {on.layer.transposed}, job_);
    ASSERT_EQ(gradient.weight.bytes(), on.weights.weight.size() * sizeof(float));
    for (const Buffer* buffer : {&gradient.weight, &gradient.bias}) {
      for (const float value : buffer->host_span<float>())
        EXPECT_EQ(value, 0.0F);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, GradientsContract,
    testing::Values(GradientCase{1, 1, false, 3, 5}, GradientCase{2, 1, false, 7, 4},
                    GradientCase{3, 1, false, 16, 33}, GradientCase{3, 1, false, 20, 9, Precision::fp16},
                    GradientCase{5, 1, false, 6, 8}, GradientCase{7, 1, false, 2, 3, Precision::fp16},
                    GradientCase{2, 2, false, 4, 17}, GradientCase{3, 2, false, 16, 8, Precision::fp16},
                    GradientCase{3, 16, false, 4, 4}, GradientCase{5, 2, false, 3, 3},
                    GradientCase{2, 2, true, 8, 5}, GradientCase{3, 2, true, 5, 6, Precision::fp16},
                    GradientCase{3, 1, true, 4, 6}, GradientCase{3, 1, false, 64, 64, Precision::fp16},
                    GradientCase{3, 1, false, 136, 96, Precision::fp16},
                    GradientCase{2, 2, true, 40, 130, Precision::fp16}),
    test::PrintedName{});

class Wgrad : public testing::Test {
 protected:
  void SetUp() override {
    if (subject_->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  }
  static std::vector<float> values_of(const MasterWeights& gradient) {
    const auto values = gradient.weight.host_span<float>();
    return {values.begin(), values.end()};
  }

  Job job_;
  std::shared_ptr<Backend> subject_ = test::make_subject({2, 0});
};

// Sums in fp16, or partial sums in fp16, end at 2048 or 65,504.
TEST_F(Wgrad, Trap17_LongSums) {
  constexpr std::int32_t per_axis = 64, planes = 32;
  std::vector<Voxel> block;
  for (std::int32_t at = 0; at < per_axis * per_axis * planes; ++at)
    block.push_back({16 + (at / (per_axis * planes)), 16 + (at / planes % per_axis), 16 + (at % planes)});
  const LayerOnLevels on({1, 1, false, 2, 3, Precision::fp16}, block);
  const std::vector<float> ones(block.size() * 3, 1.0F);
  const Features in = test::features_of({ones.begin(), ones.begin() + (std::ssize(block) * 2)}, 2,
                                        Precision::fp16),
                 g = test::features_of(ones, 3, Precision::fp16);
  for (const char* dataflow : {"ws", "os", "unsorted"}) {
    const KernelMap map = on.map(*subject_, on.plan(dataflow), job_);
    const MasterWeights gradient = subject_->extensions().gradients->wgrad(map, in, g, {}, job_);
    for (const Buffer* buffer : {&gradient.weight, &gradient.bias}) {
      for (const float value : buffer->host_span<float>())
        EXPECT_EQ(value, 131'072.0F) << dataflow;
    }
  }
}

TEST_F(Wgrad, Trap21_ThreadsDoNotChangeABit) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const char* dataflow : {"ws", "os", "hybrid:2", "unsorted", "mask-sorted:2"}) {
      std::vector<float> one;
      for (const int threads : {1, 2, 5, 16}) {
        const auto backend = app::make_registry().make("cpu", {threads, 0});
        const LayerOnLevels on({3, 1, false, 5, 7, precision}, scattered(9000, 40));
        const Features in = random_features(on.in_rows(), 5, precision, 1),
                       g = random_features(on.out_rows(), 7, precision, 2);
        const KernelMap map = on.map(*backend, on.plan(dataflow), job_);
        const auto found = values_of(backend->extensions().gradients->wgrad(map, in, g, {}, job_));
        if (one.empty()) one = found;
        EXPECT_TRUE(found == one) << dataflow << ", " << threads << " threads";
      }
    }
  }
}

TEST_F(Wgrad, Trap23_HalfAndWholeListsAgree) {
  const LayerOnLevels on({3, 1, false, 4, 4}, scattered(700));
  const Features x = random_features(on.in_rows(), 4, Precision::fp32, 1),
                 g = random_features(on.out_rows(), 4, Precision::fp32, 2);
  MapRequest wanted = request_for(map_use(on.levels, on.plan("ws")), on.offsets);
  ASSERT_TRUE(wanted.half);
  const KernelMap half = subject_->build_map(on.fine, on.coarse, wanted, job_);
  wanted.half = false;
  const KernelMap whole = subject_->build_map(on.fine, on.coarse, wanted, job_);
  Gradients& gradients = *subject_->extensions().gradients;
  const auto by_half = values_of(gradients.wgrad(half, x, g, {}, job_)),
             by_whole = values_of(gradients.wgrad(whole, x, g, {}, job_));
  for (std::size_t at = 0; at < by_half.size(); ++at)
    EXPECT_NEAR(by_half[at], by_whole[at], 1e-4F) << at;
  // With g = x, a pair (i, j) of a column and the pair (j, i) of its partner give transposed products.
  const auto symmetric = values_of(gradients.wgrad(half, x, x, {}, job_));
  for (std::size_t column = 0; column < 27; ++column) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b)
        EXPECT_NEAR(symmetric[(((column * 4) + a) * 4) + b], symmetric[((((26 - column) * 4) + b) * 4) + a],
                    1e-4F);
    }
  }
}

TEST_F(Wgrad, MultipliesByTheFactorAndReadsTheOffsetMajorLayout) {
  const LayerOnLevels on({3, 1, false, 4, 3}, scattered(500));
  const Features x = random_features(on.in_rows(), 4, Precision::fp32, 1),
                 g = random_features(on.out_rows(), 3, Precision::fp32, 2);
  LayerPlan plan = on.plan("os");
  Gradients& gradients = *subject_->extensions().gradients;
  const auto expected = values_of(gradients.wgrad(on.map(*subject_, plan, job_), x, g, {}, job_));
  plan.dense_layout = MapLayout::offset_major;
  const auto found = values_of(gradients.wgrad(on.map(*subject_, plan, job_), x, g, {false, 0.25F}, job_));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t at = 0; at < found.size(); ++at)
    EXPECT_EQ(found[at], expected[at] * 0.25F);
}

class GradientRows : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (backend_->extensions().gradients == nullptr) GTEST_SKIP() << "the back end cannot train networks";
  }
  static std::vector<float> values_of(const Features& features) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < features.rows; ++row) {
      for (int channel = 0; channel < features.channels; ++channel)
        values.push_back(feature_at(features, row, channel));
    }
    return values;
  }
  Job job_;
  std::shared_ptr<Backend> backend_ =
      GetParam() == "subject" ? test::make_subject() : app::make_registry().make(GetParam());
};

TEST_P(GradientRows, Trap24_SumsAreGatedOnceAndClosedAtZero) {
  const auto all = ChannelSlice::all_of;
  Gradients& gradients = *backend_->extensions().gradients;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    const Features a = test::features_of({1, 2, 3, 4, 5, 6}, 3, precision),
                   b = test::features_of({10, 20, -3, 40, 50, 60}, 3, precision);
    const Features gate = test::features_of({0.5F, 0, 2, -1, 1e-4F, -0.0F}, 3, precision);
    EXPECT_EQ(values_of(gradients.accumulate({all(a)}, nullptr, job_)),
              (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of(gradients.accumulate({all(a), all(b), all(a)}, nullptr, job_)),
              (std::vector<float>{12, 24, 3, 48, 60, 72}));
    EXPECT_EQ(values_of(gradients.accumulate({all(a), all(b)}, &gate, job_)),
              (std::vector<float>{11, 0, 0, 0, 55, 0}));
  }
  EXPECT_THROW(static_cast<void>(gradients.accumulate({}, nullptr, job_)), Error);
}

/// The slices of joined inputs: their first channels, strides and numbers of channels are aligned for wide
/// reads or not.
TEST_P(GradientRows, SumsOfSlicesEqualSumsOfTheParts) {
  Gradients& gradients = *backend_->extensions().gradients;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const int channels : {1, 8, 3, 16}) {
      const Features a = random_features(1500, 8, precision, 1),
                     b = random_features(1500, channels, precision, 2),
                     c = random_features(1500, channels, precision, 3);
      const Features joined =
          backend_->compute_rows({LayerOp::concat, {&a, &b, &c}, 8 + (2 * channels)}, job_);
      const ChannelSlice of_b{&joined, 8, channels}, of_c{&joined, 8 + channels, channels};
      EXPECT_EQ(values_of(gradients.accumulate({of_b}, nullptr, job_)), values_of(b));
      EXPECT_EQ(values_of(gradients.accumulate({of_c, ChannelSlice::all_of(b)}, &c, job_)),
                values_of(gradients.accumulate({ChannelSlice::all_of(c), of_b}, &c, job_)));
      EXPECT_EQ(
          values_of(gradients.accumulate({of_c, of_b}, &c, job_)),
          values_of(gradients.accumulate({ChannelSlice::all_of(c), ChannelSlice::all_of(b)}, &c, job_)));
      EXPECT_THROW(
          static_cast<void>(gradients.accumulate({{&joined, 9 + channels, channels}}, nullptr, job_)), Error);
      EXPECT_THROW(
          static_cast<void>(gradients.accumulate({of_b, ChannelSlice::all_of(joined)}, nullptr, job_)),
          Error);
    }
  }
}

TEST_P(GradientRows, RepackEqualsAnUploadOfEachForm) {
  const LayerWeights weights = seeded_weights(single_layer_network(3, 1, 5, 7), 5).layers.back();
  const auto buffer = [](const std::vector<float>& values) {
    Buffer made(make_host_pool(), values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), made.host_span<float>().begin());
    return made;
  };
  const auto backend = GetParam() == "subject" ? app::make_registry().make(test::subject_name()) : backend_;
  const MasterWeights master{27, 5, 7, backend->to_device(buffer(weights.weight)),
                             backend->to_device(buffer(weights.bias))};
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const WeightForm form : {WeightForm::forward, WeightForm::transposed, WeightForm::reversed}) {
      const UploadedWeights packed = backend->extensions().gradients->repack(master, form, precision, job_);
      const UploadedWeights expected = backend->upload_weights(in_form(weights, form), precision);
      EXPECT_EQ(packed.in_channels, form == WeightForm::forward ? 5 : 7);
      EXPECT_EQ(packed.out_channels, expected.out_channels);
      const auto same = [&](const Buffer& left, const Buffer& right) {
        const Buffer here = backend->to_host(left), there = backend->to_host(right);
        return std::ranges::equal(here.host_span<std::byte>(), there.host_span<std::byte>());
      };
      EXPECT_TRUE(same(packed.weight, expected.weight) && same(packed.bias, expected.bias));
    }
  }
  const LayerWeights reversed = in_form(weights, WeightForm::reversed);
  EXPECT_EQ(reversed.weight[(((4 * 7) + 6) * 5) + 2], weights.weight[(((22 * 5) + 2) * 7) + 6]);
}

INSTANTIATE_TEST_SUITE_P(Backends, GradientRows, testing::Values("subject", "reference"),
                         [](const auto& about) { return about.param; });

}  // namespace
}  // namespace spira
