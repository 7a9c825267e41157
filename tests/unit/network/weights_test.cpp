#include "engine/network/weights.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/generate/generate.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

namespace spira {
namespace {

using testing::HasSubstr;

TEST(Fold, IsBatchNormAfterTheLayer) {
  LayerWeights weights{1, 1, 2, {2.0F, 3.0F}, {0.5F, 0.0F}};
  fold({{1.0F, 2.0F}, {0.1F, 0.2F}, {1.0F, -1.0F}, {4.0F, 1.0F}, 0.0F}, weights);
  const float x = 7.0F;
  EXPECT_FLOAT_EQ((x * weights.weight[0]) + weights.bias[0], (((x * 2.0F) + 0.5F - 1.0F) / 2.0F) + 0.1F);
  EXPECT_FLOAT_EQ((x * weights.weight[1]) + weights.bias[1], (((x * 3.0F) + 1.0F) * 2.0F) + 0.2F);
}

TEST(SeededWeights, AreTheSameForTheSameSeed) {
  const Network network = network_preset("resn21");
  const auto a = seeded_weights(network, 1), b = seeded_weights(network, 1), c = seeded_weights(network, 2);
  EXPECT_EQ(a.layers[3].weight, b.layers[3].weight);
  EXPECT_NE(a.layers[3].weight, c.layers[3].weight);
  EXPECT_EQ(a.layers[3].weight.size(), 27U * 16U * 16U);
}

TEST(SeededWeights, ReportTheirSeed) {
  EXPECT_EQ(seed_of(seeded_weights(network_preset("resn21"), 12).source), 12U);
  EXPECT_FALSE(seed_of("weights.safetensors"));
  EXPECT_FALSE(seed_of("seeded He, seed twelve"));
  EXPECT_FALSE(seed_of("seeded He, seed 99999999999999999999999"));
}

TEST(SeededWeights, CanBeCancelledInsideALayer) {
  // Generating these 22 million values takes about half a second.
  const Network network = single_layer_network(7, 1, 256, 256);
  std::stop_source stop;
  std::chrono::steady_clock::time_point asked;
  std::jthread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    asked = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  try {
    static_cast<void>(seeded_weights(network, 1, stop.get_token()));
    FAIL() << "generating the weights must stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
  asks.join();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::milliseconds(100));
}

// Tests trap 9 in docs/architecture.md: the activations of 42 layers in fp16 must neither overflow nor
// vanish.
TEST(SeededWeights, Trap9_ActivationsOfAllNetworksStayWithinFp16) {
  Job job;
  const auto cloud = generate_scene("street", 20'000, 1, job);
  for (const auto& preset : network_presets()) {
    const auto network = std::make_shared<const Network>(network_preset(preset.id));
    if (network->space == NetworkSpace::bev) continue;
    Session session(app::make_registry().make("cpu"), network,
                    std::make_shared<const NetworkWeights>(seeded_weights(*network, 1)));
    static_cast<void>(
        session.load(cloud, Grid{{0.4, 0.4, 0.4}, {}}, PackSpec::bits32(), Precision::fp16, job));
    Plan plan = default_plan(*network);
    plan.precision = Precision::fp16;
    session.run_all(plan, job, {});
    const auto& last = *session.result(static_cast<int>(network->layers.size()) - 1)->features;
    double largest = 0;
    for (const float norm : feature_norms(last)) {
      ASSERT_TRUE(std::isfinite(norm)) << preset.id;
      largest = std::max(largest, static_cast<double>(norm));
    }
    EXPECT_GT(largest, 1e-3) << preset.id;
    EXPECT_LT(largest, 30'000.0) << preset.id;
  }
}

class Safetensors : public testing::Test {
 protected:
  Network network = single_layer_network(3, 1, 4, 2);
  NetworkWeights weights = seeded_weights(network, 1);
  test::TempFolder folder;

  void expect_fault(const std::string& header, const std::string& data, const std::string& says) {
    std::string bytes(8, '\0');
    const std::uint64_t size = header.size();
    std::memcpy(bytes.data(), &size, 8);
    const auto file = folder.write("w.safetensors", bytes + header + data);
    try {
      static_cast<void>(read_safetensors(file, network));
      FAIL() << says;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(says));
      EXPECT_THAT(error.what(), HasSubstr("w.safetensors"));
    }
  }
};

TEST_F(Safetensors, ReadsWhatItWrote) {
  write_safetensors(folder / "w.safetensors", network, weights);
  const auto back = read_safetensors(folder / "w.safetensors", network);
  EXPECT_EQ(back.layers[0].weight, weights.layers[0].weight);
  EXPECT_EQ(back.layers[0].bias, weights.layers[0].bias);
}

TEST_F(Safetensors, FaultsAreNamed) {
  const std::string shape = R"("shape":[27,4,2],"data_offsets":[0,864])";
  expect_fault("{}", "", "tensor conv.weight is missing");
  expect_fault("{", "", "header: invalid JSON at line 1, column 2");
  expect_fault(R"({"conv.weight":{"dtype":"I8",)" + shape + "}}", std::string(864, '\0'),
               "expected F32 or F16");
  expect_fault(R"({"conv.weight":{"dtype":"F32",)" + shape + "}}", std::string(100, '\0'),
               "larger than the file");
  expect_fault(R"({"conv.weight":{"dtype":"F32","shape":[27,4,3],"data_offsets":[0,1296]}})",
               std::string(1296, '\0'), "has shape [27, 4, 3], expected [27, 4, 2]");
  expect_fault(R"({"conv.weight":{"dtype":"F32",)" + shape +
                   R"(},"other":{"dtype":"F32","shape":[1],"data_offsets":[864,868]}})",
               std::string(868, '\0'), "does not belong to a layer");
  expect_fault(R"({"conv.weight":{"dtype":"F32",)" + shape +
                   R"(},"conv.bias":{"dtype":"F32","shape":[2],"data_offsets":[860,868]}})",
               std::string(868, '\0'), "overlap");
  folder.write("w.safetensors", "1234");
  EXPECT_THROW(static_cast<void>(read_safetensors(folder / "w.safetensors", network)), Error);
}

/// A valid weight file for one layer with bias and batch norm. Tests modify this file.
class WeightFile : public testing::Test {
 protected:
  WeightFile() {
    for (const char* name : {"a.bias", "a.bn.weight", "a.bn.bias", "a.bn.running_mean", "a.bn.running_var"})
      values[name] = {1, 1, 1, 1};
    values["a.weight"] = std::vector<float>(16, 0.5F);
  }

  [[nodiscard]] NetworkWeights read(const std::map<std::string, std::string>& facts = {}) const {
    std::vector<NamedArray> arrays;
    for (const auto& [name, numbers] : values) {
      std::vector<std::int64_t> shape{std::ssize(numbers)};
      if (name.ends_with(".weight") && numbers.size() == 16) shape = {1, 4, 4};
      arrays.push_back({name, ArrayType::f32, shape, std::as_bytes(std::span(numbers))});
    }
    return read_safetensors(folder.write("w.safetensors", safetensors_bytes(arrays, facts)), network);
  }
  [[nodiscard]] std::string fault(const std::map<std::string, std::string>& facts = {}) const {
    try {
      static_cast<void>(read(facts));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      const std::string text = error.what(), file = (folder / "w.safetensors").string() + ": ";
      EXPECT_TRUE(text.starts_with(file)) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
      return text.substr(file.size());
    }
    return "no error";
  }

  test::TempFolder folder;
  std::map<std::string, std::vector<float>> values;
  Network network = parse_network(
      R"({"layers": [{"name": "a", "kernel_size": 1, "out_channels": 4, "batch_norm": true, "bias": true}]})",
      "n.json");
};

TEST_F(WeightFile, IsFoldedWhenSound) {
  const LayerWeights layer = read().layers.front();
  EXPECT_NEAR(layer.weight.front(), 0.5, 1e-5);
  EXPECT_NEAR(layer.bias.front(), 1, 1e-5);
}

TEST_F(WeightFile, ValuesThatAreNotFiniteAreFaultsOfTheirTensor) {
  values["a.weight"][3] = std::nanf("");
  EXPECT_EQ(fault(), "tensor a.weight has NaN or infinite values: 1 of 16");
  values["a.weight"][3] = 0;
  values["a.bn.running_mean"] = {1, INFINITY, -INFINITY, 1};
  EXPECT_EQ(fault(), "tensor a.bn.running_mean has NaN or infinite values: 2 of 4");
}

TEST_F(WeightFile, NegativeVariancesAreFaults) {
  values["a.bn.running_var"] = {1, -1e-6F, 0, -3};
  EXPECT_EQ(fault(), "tensor a.bn.running_var has negative values: 2 of 4");
}

TEST_F(WeightFile, ANormAfterTheActivationIsScaleAndShift) {
  network.layers[0].order = {LayerStep::activation, LayerStep::norm, LayerStep::add};
  const LayerWeights layer = read().layers.front();
  EXPECT_EQ(layer.weight.front(), 0.5F) << "the weights must not contain the norm";
  EXPECT_NEAR(layer.scale.front(), 1, 1e-5);
  EXPECT_NEAR(layer.shift.front(), 0, 1e-5);
  EXPECT_EQ(fault({{"batch_norm", "folded"}}).find("tensor a.scale is missing"), 0U);
}

TEST_F(WeightFile, FoldingBeyondFloatIsAFault) {
  values["a.bn.running_var"] = {0, 0, 0, 0};
  values["a.bn.weight"] = {3e38F, 1, 1, 1};
  EXPECT_EQ(fault(), "layer a: folding a.bn.* into the weights gives values outside the range of float32");
}

TEST_F(WeightFile, EachMissingTensorIsNamed) {
  for (const char* name : {"a.weight", "a.bias", "a.bn.weight", "a.bn.running_var"}) {
    const auto kept = values.extract(name);
    EXPECT_EQ(fault(), std::string("tensor ") + name + " is missing");
    values[name] = kept.mapped();
  }
  values.clear();
  EXPECT_EQ(fault(),
            "tensor a.weight is missing; tensor a.bias is missing; tensor a.bn.weight is missing; tensor "
            "a.bn.bias is missing; tensor a.bn.running_mean is missing; and 1 more fault");
}

TEST_F(WeightFile, EachSuperfluousTensorIsNamed) {
  values["b.weight"] = {1};
  EXPECT_EQ(fault(), "tensor b.weight does not belong to a layer of the network");
  values.erase("b.weight");
  values["a.bn.num_batches_tracked"] = {1};
  EXPECT_EQ(fault(), "no error") << "a tensor that torch stores with each batch norm must be accepted";
  network.layers[0].bias = false;
  EXPECT_EQ(fault(), "tensor a.bias: layer a has no such tensor in the network file");
  network.layers[0].bias = true;
  network.layers[0].batch_norm = false;
  EXPECT_THAT(fault(), HasSubstr("tensor a.bn.running_var: layer a has no such tensor in the network file"));
}

TEST_F(WeightFile, FoldedWeightsAreDeclared) {
  network.layers[0].bias = false;
  for (const char* name : {"a.bn.weight", "a.bn.bias", "a.bn.running_mean", "a.bn.running_var"})
    values.erase(name);
  EXPECT_EQ(read({{"batch_norm", "folded"}}).layers.front().bias, values["a.bias"]);
  EXPECT_THAT(fault(), HasSubstr("tensor a.bn.weight is missing"));
  values.erase("a.bias");
  EXPECT_EQ(fault({{"batch_norm", "folded"}}), "tensor a.bias is missing");
}

TEST_F(WeightFile, NamesOfMegabytesAreShortened) {
  values[std::string(2'000'000, 'n')] = {1};
  EXPECT_LT(fault().size(), 300U);
}

}  // namespace
}  // namespace spira
