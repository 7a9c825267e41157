#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/network/network.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const test::JsonSchema& schema() {
  static const test::JsonSchema read = test::shipped_schema("network");
  return read;
}

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_network(text, "n.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NetworkSchema, HoldsForAllPresets) {
  for (const auto& preset : network_presets())
    EXPECT_THAT(schema().faults(json::parse(network_json(network_preset(preset.id)))), IsEmpty());
}

TEST(NetworkSchema, HoldsForNativeNetworks) {
  Network network = network_preset("resn21");
  set_neighbourhood(network, {NeighbourShape::ball, 2, 1.5});
  json document = json::parse(network_json(network));
  EXPECT_THAT(schema().faults(document), IsEmpty());
  document["schema"] = "spira.network 2";
  for (json& layer : document["layers"]) {
    layer.erase("batch_norm");
    layer.erase("relu");
  }
  EXPECT_THAT(test::shipped_schema("network-2").faults(document), IsEmpty());
  EXPECT_NO_THROW(static_cast<void>(parse_network(document.dump(), "n.json")));
}

struct Change {
  const char* pointer;
  json value;
};
class NetworkSchemaAndReader : public testing::TestWithParam<Change> {};

TEST_P(NetworkSchemaAndReader, RefuseTheSame) {
  json document = json::parse(R"({"schema": "spira.network 1", "name": "n", "in_channels": 4, "layers": [
      {"name": "a", "inputs": ["input"], "out_channels": 8, "kernel_size": 3}]})");
  ASSERT_THAT(schema().faults(document), IsEmpty());
  ASSERT_NO_THROW(static_cast<void>(parse_network(document.dump(), "n.json")));
  document[json::json_pointer(GetParam().pointer)] = GetParam().value;
  EXPECT_THAT(schema().faults(document), Not(IsEmpty()));
  EXPECT_THROW(static_cast<void>(parse_network(document.dump(), "n.json")), Error);
}

TEST(NetworkSchema, OfABirdsEyeViewAllowsOtherNumbersOfChannels) {
  json document = json::parse(network_json(network_preset("sbnet")));
  for (const int channels : {4, 33, 4096}) {
    document["in_channels"] = document["layers"][0]["in_channels"] = channels;
    EXPECT_THAT(schema().faults(document), IsEmpty());
    EXPECT_EQ(fault_of(document.dump()), "");
  }
  for (const int channels : {3, 4097}) {
    document["in_channels"] = document["layers"][0]["in_channels"] = channels;
    EXPECT_THAT(schema().faults(document), Not(IsEmpty()));
    EXPECT_THAT(fault_of(document.dump()), HasSubstr("in_channels"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Changes, NetworkSchemaAndReader,
    testing::Values(Change{"/space", "sphere"}, Change{"/space", 3}, Change{"/layers/0/unit", 7},
                    Change{"/schema", "spira.network 3"}, Change{"/in_channels", 3}, Change{"/name", 7},
                    Change{"/layers", json::array()}, Change{"/layers", "none"}, Change{"/extra", 1},
                    Change{"/layers/0", 5}, Change{"/layers/0/name", ""}, Change{"/layers/0/extra", 1},
                    Change{"/layers/0/inputs", json::array()}, Change{"/layers/0/inputs/0", 3},
                    Change{"/layers/0/inputs", std::vector<std::string>(65, "input")},
                    Change{"/layers/0/kernel_size", 9}, Change{"/layers/0/kernel_size", 3.5},
                    Change{"/layers/0/stride", 6}, Change{"/layers/0/out_channels", 0},
                    Change{"/layers/0/out_channels", 70'000}, Change{"/layers/0/in_channels", -4},
                    Change{"/layers/0/relu", 1}, Change{"/layers/0/transposed", "no"},
                    Change{"/layers/0/residual", json()}, Change{"/layers/0/neighbours", "sphere"},
                    Change{"/layers/0/cell", 0}, Change{"/layers/0/radius", 0},
                    Change{"/layers/0/radius", 1e-7}, Change{"/layers/0/radius", "wide"}),
    [](const auto& info) { return test::case_name(info.index, info.param.pointer); });

/// Returns a network in the second version of the format. Both the reader and the schema accept it.
json second_version() {
  return json::parse(R"({"schema": "spira.network 2", "name": "n", "in_channels": 3,
      "input": {"features": ["x", {"value": "r", "scale": 0.5, "add": -1}, {"value": "z", "frame": "voxel"}],
                "grid": {"voxel_m": [0.05, 0.05, 0.1], "low_m": [0, -40, -3], "cells": [1408, 1600, 40],
                         "round": "nearest", "reduce": "max", "most_points": 5}},
      "origin": {"library": "spconv 2.3.8", "exporter": "spira_export 0.1.0"}, "outputs": ["a", "b"],
      "layers": [{"name": "a", "inputs": ["input"], "out_channels": 8, "norm": {"eps": 0.001}},
                 {"name": "b", "out_channels": 8, "norm": false, "activation": "none"}]})");
}

class SecondSchemaAndReader : public testing::TestWithParam<Change> {};

TEST_P(SecondSchemaAndReader, RefuseTheSame) {
  static const test::JsonSchema second = test::shipped_schema("network-2");
  json document = second_version();
  ASSERT_THAT(second.faults(document), IsEmpty());
  ASSERT_NO_THROW(static_cast<void>(parse_network(document.dump(), "n.json")));
  document[json::json_pointer(GetParam().pointer)] = GetParam().value;
  EXPECT_THAT(second.faults(document), Not(IsEmpty()));
  EXPECT_THROW(static_cast<void>(parse_network(document.dump(), "n.json")), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Changes, SecondSchemaAndReader,
    testing::Values(Change{"/schema", "spira.network 3"}, Change{"/in_channels", 0}, Change{"/space", "flat"},
                    Change{"/layers/0/unit", json::array()}, Change{"/in_channels", 4097},
                    Change{"/input", 1}, Change{"/input/extra", 1}, Change{"/input/features", "scene"},
                    Change{"/input/features", json::array()}, Change{"/input/features/0", "w"},
                    Change{"/input/features/0", 1}, Change{"/input/features/1/value", "red"},
                    Change{"/input/features/1/scale", "half"}, Change{"/input/features/1/extra", 1},
                    Change{"/input/features/2/frame", "sensor"}, Change{"/input/grid", 3},
                    Change{"/input/grid/extra", 1}, Change{"/input/grid/voxel_m", 0},
                    Change{"/input/grid/voxel_m/1", -1}, Change{"/input/grid/low_m/2", "low"},
                    Change{"/input/grid/cells/0", 0}, Change{"/input/grid/cells/1", 0x80000000},
                    Change{"/input/grid/round", "up"}, Change{"/input/grid/reduce", "sum"},
                    Change{"/input/grid/most_points", 0}, Change{"/origin", 3}, Change{"/origin/library", 3},
                    Change{"/outputs", json::array()}, Change{"/outputs", "a"}, Change{"/outputs/0", 3},
                    Change{"/layers/0/norm", "batch"}, Change{"/layers/0/norm/eps", -1},
                    Change{"/layers/0/norm/eps", 2}, Change{"/layers/0/norm/momentum", 0.1},
                    Change{"/layers/1/activation", "swish"}, Change{"/layers/1/op", "fold"},
                    Change{"/layers/1/multiply_adds", -1}, Change{"/layers/1/order", json::array({"relu"})},
                    Change{"/layers/1/slope", "steep"}, Change{"/layers/1/order", "norm"},
                    Change{"/layers/1/relu", true}, Change{"/layers/1/batch_norm", true},
                    Change{"/layers/1/neighbours", 1}, Change{"/layers/1/cell", 17},
                    Change{"/layers/1/radius", -1}),
    [](const auto& info) { return test::case_name(info.index, info.param.pointer); });

TEST(NetworkReader, KeepsTheSecondVersionWhenItIsWrittenAgain) {
  const Network network = parse_network(second_version().dump(), "n.json");
  ASSERT_EQ(network.features.size(), 3U);
  EXPECT_EQ(network.features[1], (InputFeature{PointValue::red, PointFrame::scene, 0.5, -1}));
  EXPECT_EQ(network.features[2], (InputFeature{PointValue::z, PointFrame::voxel, 1, 0}));
  EXPECT_FLOAT_EQ(network.layers[0].norm_epsilon, 1e-3F);
  EXPECT_FALSE(network.layers[1].batch_norm);
  EXPECT_EQ(network.layers[1].activation, Activation::none);
  ASSERT_TRUE(network.grid);
  EXPECT_EQ(network.grid->low_m, (std::array<double, 3>{0, -40, -3}));
  EXPECT_EQ(network.grid->rounding, CellRounding::nearest);
  EXPECT_EQ(network.grid->reduction, VoxelReduction::max);
  EXPECT_EQ(network.origin.size(), 2U);
  const std::string written = network_json(network);
  EXPECT_EQ(json::parse(written)["layers"][0]["norm"]["eps"], 0.001);
  EXPECT_THAT(test::shipped_schema("network-2").faults(json::parse(written)), IsEmpty());
  const Network again = parse_network(written, "written");
  EXPECT_EQ(network_json(again), written);
  EXPECT_EQ(again.grid, network.grid);
  EXPECT_EQ(again.origin, network.origin);
  EXPECT_EQ(again.outputs, (std::vector<std::string>{"a", "b"}));
}

TEST(NetworkReader, AcceptsOpaqueLayersAsTheSchemaDoes) {
  json document = second_version();
  document["layers"].push_back({{"name", "o"},
                                {"op", "opaque"},
                                {"operation", "torch softmax"},
                                {"input_shapes", {{9, 8}}},
                                {"output_shape", {9, 8}},
                                {"multiply_adds", 1000}});
  EXPECT_THAT(test::shipped_schema("network-2").faults(document), IsEmpty());
  const std::string written = network_json(parse_network(document.dump(), "n.json"));
  EXPECT_EQ(json::parse(written)["layers"][2], document["layers"][2]);
  EXPECT_THAT(test::shipped_schema("network-2").faults(json::parse(written)), IsEmpty());
}

TEST(NetworkReader, ChecksTheChannelsOfTheInput) {
  json document = second_version();
  document["in_channels"] = 4;
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("in_channels: 4, but input.features lists 3"));
  document["input"]["features"] = {{{"value", "intensity"}, {"frame", "grid"}}};
  EXPECT_THAT(fault_of(document.dump()),
              HasSubstr("input.features[0].frame: only x, y and z can have a frame"));
}

TEST(NetworkSchema, HoldsForTheExampleOfTheDocumentation) {
  const std::string page = read_text_file(SPIRA_SOURCE_DIR "/docs/network-files.md", 1 << 20);
  const std::string fence = "```json\n";
  const auto begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  EXPECT_THAT(schema().faults(json::parse(example)), IsEmpty());
  EXPECT_EQ(parse_network(example, "docs").layers.size(), 5U);
}

TEST(NetworkReader, ReportsLineAndColumnOfASyntaxError) {
  EXPECT_THAT(fault_of("{\n  \"layers\": [\n    {]\n"),
              HasSubstr("n.json: invalid JSON at line 3, column 6: unexpected \"]\""));
  EXPECT_THAT(fault_of("{\"layers\": [1,]}"), HasSubstr("line 1, column 15"));
}

TEST(NetworkReader, ReportsTenFaultsAtOnce) {
  json document{{"layers", json::array()}};
  for (int layer = 0; layer < 13; ++layer)
    document["layers"].push_back({{"name", "l" + std::to_string(layer)}, {"out_channels", 0}});
  const std::string text = fault_of(document.dump());
  EXPECT_THAT(text, HasSubstr("layers[9].out_channels"));
  EXPECT_THAT(text, Not(HasSubstr("layers[10].out_channels")));
  EXPECT_THAT(text, HasSubstr("; and 3 more"));
}

TEST(NetworkReader, RefusesSizesThatNoNetworkHas) {
  json document{{"layers", std::vector<json>(10'001, {{"name", "a"}, {"out_channels", 8}})}};
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("layers: 10,001 layers; the limit is 10,000"));
  // A sum of channels beyond 32 bits must be reported as a fault and must not wrap around.
  document["layers"] = {
      {{"name", "a"}, {"out_channels", 1'000'000}},
      {{"name", "b"}, {"out_channels", 8}, {"inputs", std::vector<std::string>(5000, "a")}}};
  EXPECT_THAT(fault_of(document.dump()), HasSubstr("5000 inputs; the limit is 64"));
}

}  // namespace
}  // namespace spira
