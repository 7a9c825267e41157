#include "engine/network/network.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/network/neighbours.hpp"
#include "tests/support/case_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;

TEST(Presets, HaveTheirShapes) {
  EXPECT_EQ(network_preset("resn21").layers.size(), 21U);
  EXPECT_EQ(network_preset("resnl20").layers.size(), 20U);
  const Network unet = network_preset("minkunet42");
  // The network has 42 layers, plus 7 shortcuts with kernel size 1.
  EXPECT_EQ(unet.layers.size(), 49U);
  EXPECT_EQ(std::count_if(unet.layers.begin(), unet.layers.end(),
                          [](const Layer& l) { return l.kernel_size != PerAxis(1); }),
            42);
  EXPECT_EQ(unet.layers.back().out_channels, 96);
  std::vector<int> numbers;
  for (const SceneLevel& set : levels_of(unet).sets)
    numbers.push_back(set.number);
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 4, 8, 16}));
  EXPECT_EQ(levels_of(unet).layers.back().stride_out, 1);
  EXPECT_EQ(levels_of(network_preset("resnl20")).max_kernel_size, 5);
  EXPECT_THROW(static_cast<void>(network_preset("alexnet")), Error);
}

TEST(Presets, FcgfHasTheWeightsOfResUNetBN2C) {
  const Network network = network_preset("fcgf");
  // Sums of model/resunet.py of FCGF, without the first layer, whose kernel size is an argument there.
  const std::int64_t blocks = 2 * 27 * ((32 * 32) + (3 * 64 * 64) + (2 * 128 * 128) + (256 * 256));
  const std::int64_t down = 27 * ((32 * 64) + (64 * 128) + (128 * 256));
  const std::int64_t up = 27 * ((256 * 128) + (256 * 64) + (128 * 64));
  const std::int64_t last = (96 * 64) + (64 * 32);
  std::int64_t weights = 0;
  for (std::size_t at = 1; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    weights += std::int64_t{layer.kernel_size.product()} * layer.in_channels * layer.out_channels;
  }
  EXPECT_EQ(weights, blocks + down + up + last);
  EXPECT_EQ(weights, 8'744'960);
  const Levels levels = levels_of(network);
  EXPECT_EQ(levels.max_stride, 8);
  EXPECT_EQ(levels.layers.back().stride_out, 1);
  EXPECT_EQ(network.layers.back().out_channels, 32);
  EXPECT_TRUE(network.layers.back().bias);
}

/// Returns a network with these layers in the first version of the format.
std::string with_layers(const std::string& layers) {
  return R"({"name": "net", "layers": [)" + layers + "]}";
}

TEST(NetworkFiles, KeepTheNeighboursOfLayers) {
  const Network network = parse_network(
      with_layers(R"({"name": "a", "neighbours": "ball", "cell": 2, "radius": 1.25, "out_channels": 8},
                     {"name": "b", "neighbours": "cube", "out_channels": 8},
                     {"name": "c", "neighbours": "voxels", "out_channels": 8})"),
      "net.json");
  EXPECT_EQ(network.layers[0].neighbourhood, (Neighbourhood{NeighbourShape::ball, 2, 1.25}));
  EXPECT_EQ(network.layers[1].neighbourhood, (Neighbourhood{NeighbourShape::cube}));
  EXPECT_FALSE(network.layers[2].neighbourhood.native());
  const std::string written = network_json(network);
  EXPECT_THAT(written, HasSubstr(R"("neighbours": "ball")"));
  EXPECT_THAT(written, testing::Not(HasSubstr("voxels"))) << "a default must not be written";
  EXPECT_EQ(network_json(parse_network(written, "written.json")), written);
}

TEST(NetworkFiles, OfPresetsOnNativePointsAreReadBack) {
  for (const auto& preset : network_presets()) {
    Network network = network_preset(preset.id);
    if (network.space == NetworkSpace::bev) {
      EXPECT_THROW(set_neighbourhood(network, {NeighbourShape::ball, 1, 1.5}), Error);
      continue;
    }
    const std::string plain = network_json(network);
    set_neighbourhood(network, {NeighbourShape::ball, 1, 1.5});
    const std::string native = network_json(network);
    EXPECT_NE(native, plain);
    EXPECT_EQ(network_json(parse_network(native, "native.json")), native) << preset.id;
    set_neighbourhood(network, {});
    EXPECT_EQ(network_json(network), plain) << preset.id;
  }
}

TEST(NetworkFiles, HaveCommonNeighboursIfAllLayersHaveTheSame) {
  Network network = network_preset("minkunet42");
  EXPECT_EQ(common_neighbourhood(network), Neighbourhood{});
  set_neighbourhood(network, {NeighbourShape::ball, 2});
  EXPECT_EQ(common_neighbourhood(network), (Neighbourhood{NeighbourShape::ball, 2}))
      << "kernels of size 1 and 2 have voxels";
  network.layers.front().neighbourhood = {NeighbourShape::cube};
  EXPECT_EQ(common_neighbourhood(network), std::nullopt);
  EXPECT_EQ(common_neighbourhood(single_layer_network(2, 2, 4, 8)), std::nullopt);
}

TEST(NetworkFiles, LayersTakeTheNeighboursOfTheMapThatTheyUse) {
  const Network network = parse_network(
      R"({"schema": "spira.network 2", "layers": [
          {"name": "a", "neighbours": "ball", "out_channels": 8},
          {"name": "same", "map_of": "a", "out_channels": 8},
          {"name": "down", "stride": 2, "neighbours": "cube", "cell": 2, "out_channels": 8},
          {"name": "up", "stride": 2, "transposed": true, "out_channels": 8},
          {"name": "own", "out_channels": 8}]})",
      "net.json");
  EXPECT_EQ(network.layers[1].neighbourhood, network.layers[0].neighbourhood);
  EXPECT_EQ(network.layers[3].neighbourhood, network.layers[2].neighbourhood);
  EXPECT_FALSE(network.layers[4].neighbourhood.native());
  const Levels levels = levels_of(network);
  EXPECT_EQ(levels.layers[3].map, levels.layers[2].map);
}

TEST(Presets, EqualTheSampleFiles) {
  for (const auto& preset : network_presets()) {
    const std::string file = SPIRA_SOURCE_DIR "/samples/networks/" + std::string(preset.id) + ".json";
    EXPECT_EQ(read_text_file(file, 1 << 20), network_json(network_preset(preset.id))) << file;
    EXPECT_EQ(network_json(read_network(file)), network_json(network_preset(preset.id)));
  }
}

TEST(Levels, TransposedLayersTakeTheMapOfTheirDownSampling) {
  const Network unet = network_preset("minkunet42");
  const Levels levels = levels_of(unet);
  const auto down = levels.layers.at(static_cast<std::size_t>(unet.index_of("encoder4.down")));
  const auto up = levels.layers.at(static_cast<std::size_t>(unet.index_of("decoder1.up")));
  EXPECT_EQ(down.map, up.map);
  EXPECT_EQ(up.stride_in, 16);
  EXPECT_EQ(up.stride_out, 8);
}

TEST(Levels, OfOneStrideAndRuleHaveTheirOwnTexts) {
  const Levels levels = levels_of(parse_network(R"({"schema": "spira.network 2", "layers": [
      {"name": "a", "stride": 2, "rule": "reached", "padding": 1, "out_channels": 8},
      {"name": "b", "inputs": ["input"], "stride": 2, "rule": "reached", "padding": 0, "out_channels": 8},
      {"name": "c", "inputs": ["input"], "stride": 2, "rule": "reached", "padding": 1, "cells": [9, 9, 9],
       "out_channels": 8},
      {"name": "d", "inputs": ["input"], "stride": 2, "out_channels": 8},
      {"name": "e", "inputs": ["input"], "stride": [2, 2, 1], "out_channels": 8},
      {"name": "f", "inputs": ["a"], "stride": 2, "rule": "reached", "out_channels": 8}]})",
                                                "net.json"));
  std::vector<std::string> texts;
  for (const SceneLevel& set : levels.sets)
    texts.push_back(level_text(levels, set.number));
  EXPECT_THAT(texts, testing::ElementsAre("1", "2", "2 (reached)", "2 (reached #2)", "2 (reached #3)",
                                          "2x2x1", "4 (reached)"));
}

struct Faulty {
  std::string json;
  const char* says;
};
class NetworkFaults : public testing::TestWithParam<Faulty> {};

TEST_P(NetworkFaults, NameThePlaceAndTheReason) {
  try {
    static_cast<void>(parse_network(GetParam().json, "net.json"));
    FAIL() << "the faulty network must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(std::string("net.json: ") + GetParam().says));
  }
}

/// Returns a network in version 2 of the format. These layers follow a strided layer "a" and a submanifold
/// layer "s".
std::string version_2(const std::string& more) {
  return R"({"schema": "spira.network 2", "layers": [
      {"name": "a", "stride": 2, "rule": "reached", "cells": [9, 9, 9], "out_channels": 8},
      {"name": "s", "out_channels": 8}, )" +
         more + "]}";
}

/// Returns a chain of layers. Each layer uses the reached rule and reaches new voxels.
std::string chain(int layers) {
  std::string text = R"({"schema": "spira.network 2", "layers": [)";
  for (int at = 0; at < layers; ++at)
    text += std::string(at == 0 ? "" : ", ") + R"({"name": "l)" + std::to_string(at) +
            R"(", "rule": "reached", "out_channels": 8})";
  return text + "]}";
}

/// Returns a network in which each union joins the two unions before it. The sizes of their rules add up.
std::string unions(int count) {
  std::string text =
      R"({"schema": "spira.network 2", "layers": [{"name": "d0", "stride": 2, "out_channels": 4})";
  std::string last = "d0", before = "input";
  for (int at = 1; at <= count; ++at) {
    const std::string number = std::to_string(at);
    text += R"(, {"name": "u)" + number + R"(", "op": "union_add", "inputs": [")" + last + R"(", ")" +
            before + R"("]}, {"name": "d)" + number + R"(", "rule": "reached", "out_channels": 4})";
    before = last;
    last = "d" + number;
  }
  return text + "]}";
}

INSTANTIATE_TEST_SUITE_P(
    OutputRules, NetworkFaults,
    testing::Values(
        Faulty{version_2(R"({"name": "b", "rule": "round", "out_channels": 8})"),
               "layers[2].rule: 'round' is not one of floor, reached"},
        Faulty{version_2(R"({"name": "b", "kernel_size": [0, 1, 1], "out_channels": 8})"),
               "layers[2].kernel_size: 0 is not in the range 1 to 7"},
        Faulty{version_2(R"({"name": "b", "kernel_size": [1, 1], "out_channels": 8})"),
               "layers[2].kernel_size: expected three whole numbers"},
        Faulty{version_2(R"({"name": "b", "stride": ["x", 1, 1], "out_channels": 8})"),
               "layers[2].stride[0]: expected a whole number"},
        Faulty{version_2(R"({"name": "b", "padding": 3, "out_channels": 8})"),
               "layers[2].padding: 3 is not in the range 0 to 2"},
        Faulty{version_2(R"({"name": "b", "padding": -1, "out_channels": 8})"),
               "layers[2].padding: -1 is not in the range 0 to 2"},
        Faulty{version_2(R"({"name": "b", "cells": [9, 9, 9], "out_channels": 8})"),
               "layers[2].cells: only a layer with the rule"},
        Faulty{version_2(R"({"name": "b", "rule": "reached", "cells": [9, 0, 9], "out_channels": 8})"),
               "layers[2].cells[1]: expected a number of at least 1"},
        Faulty{
            version_2(R"({"name": "b", "rule": "reached", "cells": [9, 2147483648, 9], "out_channels": 8})"),
            "layers[2].cells[1]: expected a whole number from -2^30 to 2^30"},
        Faulty{version_2(R"({"name": "b", "map_of": "b", "out_channels": 8})"),
               "layers[2].map_of: no earlier layer is called 'b'"},
        Faulty{version_2(R"({"name": "b", "map_of": "s", "stride": 2, "out_channels": 8})"),
               "layers[2].stride: 2, but the map of 's' has stride 1"},
        Faulty{version_2(R"({"name": "b", "map_of": "s", "padding": 0, "out_channels": 8})"),
               "layers[2].padding: 0, but the map of 's' has 1"},
        Faulty{version_2(R"({"name": "b", "map_of": "s", "kernel_size": [1, 3, 3], "out_channels": 8})"),
               "layers[2].kernel_size: 1x3x3 has fewer cells than the map of 's' (3)"},
        Faulty{version_2(R"({"name": "b", "map_of": "s", "rule": "reached", "out_channels": 8})"),
               "layers[2].rule: differs from the rule of 's'"},
        Faulty{version_2(R"({"name": "b", "map_of": "a", "out_channels": 8})"),
               "layers[2].map_of: the map of 'a' needs an input of stride 1"},
        Faulty{
            version_2(
                R"({"name": "b", "transposed": true, "map_of": "a", "rule": "reached", "out_channels": 8})"),
            "layers[2].rule: a transposed layer has no rule"},
        Faulty{chain(17), "layers[16].rule: the level would depend on more than 16 strided layers"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

/// Returns a network of one layer with these keys.
std::string one_layer(const std::string& keys) {
  return with_layers(R"({"name": "b", "out_channels": 8, )" + keys + "}");
}

INSTANTIATE_TEST_SUITE_P(
    Neighbours, NetworkFaults,
    testing::Values(
        Faulty{one_layer(R"("neighbours": "sphere")"),
               "layers[0].neighbours: 'sphere' is not one of voxels, cube, ball"},
        Faulty{one_layer(R"("neighbours": 3)"), "layers[0].neighbours: expected a string"},
        Faulty{one_layer(R"("cell": 2)"), "layers[0].cell: only a cube or a ball has cells; remove it"},
        Faulty{one_layer(R"("neighbours": "cube", "cell": 0)"),
               "layers[0].cell: 0 is not in the range 1 to 16"},
        Faulty{one_layer(R"("neighbours": "cube", "cell": 1.5)"), "layers[0].cell: expected a whole number"},
        Faulty{one_layer(R"("neighbours": "cube", "cell": 12)"),
               "layers[0].cell: the neighbours would be more than 16 cells away"},
        Faulty{one_layer(R"("radius": 2)"), "layers[0].radius: only a ball has a radius; remove it"},
        Faulty{one_layer(R"("neighbours": "cube", "radius": 2)"), "layers[0].radius: a cube has none"},
        Faulty{one_layer(R"("neighbours": "ball", "radius": 0)"),
               "layers[0].radius: expected a number greater than 0; remove this key"},
        Faulty{one_layer(R"("neighbours": "ball", "radius": -2)"),
               "layers[0].radius: expected a number greater"},
        Faulty{one_layer(R"("neighbours": "ball", "radius": "2")"),
               "layers[0].radius: expected a number greater"},
        Faulty{one_layer(R"("neighbours": "ball", "radius": 1e-7)"),
               "layers[0].radius: must be at least 0.000001"},
        Faulty{one_layer(R"("neighbours": "ball", "radius": 99)"),
               "layers[0].radius: the neighbours would be more than 16 cells away from an output; use a "
               "smaller"},
        Faulty{one_layer(R"("neighbours": "ball", "kernel_size": 2, "stride": 2)"),
               "layers[0].neighbours: 'ball' needs a kernel of size 3, 5 or 7"},
        Faulty{version_2(R"({"name": "b", "neighbours": "ball", "rule": "reached", "out_channels": 8})"),
               "layers[2].neighbours: 'ball' needs the rule floor"},
        Faulty{version_2(R"({"name": "b", "map_of": "s", "neighbours": "ball", "out_channels": 8})"),
               "layers[2].neighbours: 'ball', but the map of 's' has 'voxels'; set the same neighbours"},
        Faulty{with_layers(R"({"name": "a", "neighbours": "ball", "out_channels": 4},
                              {"name": "p", "op": "pool", "neighbours": "ball", "out_channels": 4})"),
               "layers[1].op: unknown key"},
        Faulty{
            with_layers(
                R"({"name": "a", "stride": 2, "neighbours": "ball", "out_channels": 4},
                      {"name": "up", "stride": 2, "transposed": true, "neighbours": "voxels", "out_channels": 4})"),
            "layers[1].neighbours: 'voxels', but the map at stride 2 that this layer could use has 'ball'"},
        Faulty{with_layers(R"({"name": "a", "stride": 16, "kernel_size": 2, "out_channels": 4},
                              {"name": "b", "stride": 2, "neighbours": "ball", "out_channels": 4})"),
               "layers[1].neighbours: points have no positions at stride 32"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

/// Returns a network that has these keys at the top level.
std::string with_keys(const std::string& keys) {
  return R"({"schema": "spira.network 2", )" + keys + R"(, "layers": [{"name": "a", "out_channels": 8}]})";
}
std::string with_grid(const std::string& keys) {
  return with_keys(R"("input": {"grid": )" + keys + "}");
}

INSTANTIATE_TEST_SUITE_P(
    TopLevel, NetworkFaults,
    testing::Values(
        Faulty{with_keys(R"("outputs": ["b"])"), "outputs[0]: no layer is called 'b'"},
        Faulty{with_keys(R"("outputs": ["a", "input"])"), "outputs[1]: no layer is called 'input'"},
        Faulty{with_keys(R"("outputs": ["a", "a"])"), "outputs[1]: 'a' is listed twice"},
        Faulty{with_keys(R"("outputs": [])"), "outputs: expected an array of at least one name"},
        Faulty{with_keys(R"("outputs": "a")"), "outputs: expected an array of at least one name"},
        Faulty{with_keys(R"("outputs": [1])"), "outputs: expected an array of names"},
        Faulty{with_keys(R"("origin": 3)"), "origin: expected a string, or an object of up to 32 strings"},
        Faulty{with_keys(R"("origin": {"date": 3})"), "origin.date: expected a string"},
        Faulty{with_keys(R"("origin": {"": "x"})"), "origin: a key is empty"},
        Faulty{with_grid("[]"), "input.grid: expected an object"},
        Faulty{with_grid("{}"), "input.grid.voxel_m: is missing"},
        Faulty{with_grid(R"({"voxel_m": 0})"), "input.grid.voxel_m: expected a number from 1e-06 to 1000000"},
        Faulty{with_grid(R"({"voxel_m": [0.1, 0.1]})"), "input.grid.voxel_m: expected three numbers"},
        Faulty{with_grid(R"({"voxel_m": [0.1, "0.1", 0.1]})"), "input.grid.voxel_m[1]: expected a number"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "low_m": 3})"), "input.grid.low_m: expected three numbers"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "low_m": [0, 0, 1e99]})"), "input.grid.low_m[2]: expected"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "cells": [4, 0, 4]})"), "input.grid.cells[1]: expected"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "cells": [4, 4, 2147483648]})"),
               "input.grid.cells[2]: expected"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "round": "up"})"),
               "input.grid.round: 'up' is not one of floor, nearest"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "reduce": "sum"})"),
               "input.grid.reduce: 'sum' is not one of mean, first, max"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "most_points": 0})"), "input.grid.most_points: expected"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "most_points": 2.5})"), "input.grid.most_points: expected"},
        Faulty{with_grid(R"({"voxel_m": 0.1, "size": 1})"), "input.grid.size: unknown key"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

INSTANTIATE_TEST_SUITE_P(
    Operations, NetworkFaults,
    testing::Values(
        Faulty{version_2(R"({"name": "b", "op": "fold"})"),
               "layers[2].op: 'fold' is not one of conv, concat, add, multiply, affine, activation, "
               "group_sum, dense"},
        Faulty{version_2(R"({"name": "b", "dilation": 2, "out_channels": 8})"),
               "layers[2].dilation: kernels with dilation cannot run"},
        Faulty{version_2(R"({"name": "b", "op": "add"})"),
               "layers[2].inputs: the operation add needs two inputs"},
        Faulty{version_2(R"({"name": "b", "op": "add", "inputs": ["s", "input"]})"),
               "layers[2].inputs[1]: 'input' has stride 1, but the previous inputs have stride 2 (reached)"},
        Faulty{
            version_2(
                R"({"name": "c", "out_channels": 4}, {"name": "b", "op": "multiply", "inputs": ["s", "c"]})"),
            "layers[3].inputs[1]: 'c' has 4 channels, but the first input has 8"},
        Faulty{version_2(R"({"name": "b", "op": "add", "inputs": ["s", "a"], "out_channels": 4})"),
               "layers[2].out_channels: 4, but the inputs give 8"},
        Faulty{version_2(R"({"name": "b", "op": "add", "inputs": ["s", "a"], "norm": true})"),
               "layers[2].norm: unknown key"},
        Faulty{version_2(R"({"name": "b", "op": "affine", "inputs": ["s", "a"]})"),
               "layers[2].inputs: the operation affine must have exactly one input"},
        Faulty{version_2(R"({"name": "b", "op": "activation"})"),
               "layers[2].activation: the operation activation needs an activation function"},
        Faulty{version_2(R"({"name": "b", "op": "group_sum", "out_channels": 3})"),
               "layers[2].out_channels: 8 input channels are not a multiple of 3"},
        Faulty{version_2(R"({"name": "b", "op": "linear", "kernel_size": 3, "out_channels": 3})"),
               "layers[2].kernel_size: the kernel of the operation linear must have one cell"},
        Faulty{version_2(R"({"name": "b", "op": "dense"})"), "layers[2].cells: a dense output needs a size"},
        Faulty{version_2(R"({"name": "b", "op": "dense", "cells": [8, 9, 9]})"),
               "layers[2].cells: 8, but stride 2 (reached) has 9 cells"},
        Faulty{version_2(R"({"name": "b", "op": "dense", "cells": [1048576, 1048576, 1048576]})"),
               "layers[2].cells: the dense output would have more than 2^32 values"},
        Faulty{version_2(R"({"name": "b", "op": "dense", "cells": [9, 9, 9], "axes": "yxz"})"),
               "layers[2].axes: 'yxz' is not one of zyx, xyz"},
        Faulty{version_2(R"({"name": "b", "op": "dense", "cells": [9, 9, 9], "shape": [8, 729, 2]})"),
               "layers[2].shape: expected 5,832 values"},
        Faulty{
            version_2(
                R"({"name": "o", "op": "concat", "inputs": ["s", "a"]}, {"name": "b", "map_of": "o", "out_channels": 8})"),
            "layers[3].map_of: 'o' is not a convolution or pool"},
        Faulty{version_2(R"({"name": "b", "op": "pool"})"), "layers[2].reduce: is missing"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "min"})"),
               "layers[2].reduce: 'min' is not one of max, sum, mean, mean_of_cells"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "max", "out_channels": 4})"),
               "layers[2].out_channels: 4, but the inputs give 8"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "max", "bias": true})"),
               "layers[2].bias: unknown key"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "max", "kernel_size": 9})"),
               "layers[2].kernel_size: 9 is not in the range 1 to 7"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "max", "inputs": ["s", "a"]})"),
               "layers[2].inputs: the operation pool must have exactly one input"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "reduce": "max", "map_of": "s", "kernel_size": 5})"),
               "layers[2].kernel_size: a pool uses the kernel size of its map"},
        Faulty{version_2(R"({"name": "b", "op": "add", "inputs": ["s", "a"], "reduce": "max"})"),
               "layers[2].reduce: unknown key"},
        Faulty{version_2(R"({"name": "b", "op": "union_add"})"),
               "layers[2].inputs: the operation union_add needs two inputs or more"},
        Faulty{version_2(R"({"name": "b", "op": "union_add", "inputs": ["s", "input"]})"),
               "layers[2].inputs[1]: 'input' has 4 channels, but the first input has 8"},
        Faulty{version_2(R"({"name": "b", "op": "drop_axis", "axis": "x"})"), "layers[2].axis: unknown key"},
        Faulty{version_2(R"({"name": "b", "op": "drop_axis", "inputs": ["s", "a"]})"),
               "layers[2].inputs: the operation drop_axis must have exactly one input"},
        Faulty{version_2(R"({"name": "b", "inputs": ["points"], "out_channels": 8})"),
               "layers[2].op: 'b' reads points, which have no neighbours; only a linear layer can read them"},
        Faulty{version_2(R"({"name": "b", "op": "pool", "inputs": ["points"], "reduce": "max"})"),
               "layers[2].op: 'b' reads points, but the operation pool needs voxels"},
        Faulty{version_2(R"({"name": "b", "op": "drop_axis", "inputs": ["points"]})"),
               "layers[2].op: 'b' reads points, but the operation drop_axis needs voxels"},
        Faulty{version_2(R"({"name": "b", "op": "dense", "inputs": ["points"], "cells": [9, 9, 9]})"),
               "layers[2].op: 'b' reads points, but the operation dense needs voxels"},
        Faulty{version_2(R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "to_points"})"),
               "layers[3].op: 'b' reads points, but the operation to_points needs voxels"},
        Faulty{
            version_2(
                R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "union_add", "inputs": ["s", "p"]})"),
            "layers[3].inputs[1]: 'p' has points; union_add joins levels of voxels"},
        Faulty{version_2(
                   R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "add", "inputs": ["s", "p"]})"),
               "layers[3].inputs[1]: 'p' has points, but the previous inputs have stride 2 (reached)"},
        Faulty{
            version_2(
                R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "linear", "out_channels": 8, "residual": "s"})"),
            "layers[3].residual: 's' has 8 channels at stride 2 (reached), but this layer has 8 at points"},
        Faulty{version_2(R"({"name": "b", "op": "to_voxels", "voxels_of": "a"})"),
               "layers[2].inputs: 'b' needs points, but 's' has stride 2 (reached)"},
        Faulty{version_2(R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "to_voxels"})"),
               "layers[3].voxels_of: is missing"},
        Faulty{version_2(
                   R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "to_voxels", "voxels_of": "z"})"),
               "layers[3].voxels_of: no earlier layer is called 'z'"},
        Faulty{version_2(
                   R"({"name": "p", "op": "to_points"}, {"name": "b", "op": "to_voxels", "voxels_of": "p"})"),
               "layers[3].voxels_of: 'p' has points, not voxels"},
        Faulty{version_2(R"({"name": "b", "op": "to_points", "mode": "mean"})"),
               "layers[2].mode: 'mean' is not one of trilinear, nearest"},
        Faulty{version_2(R"({"name": "b", "op": "to_points", "voxels_of": "s"})"),
               "layers[2].voxels_of: unknown key"},
        Faulty{
            version_2(R"({"name": "f", "op": "drop_axis"}, {"name": "b", "op": "to_points"})"),
            "layers[3].op: 'b' moves features between points and voxels of stride 2x2x1 (flat); this is not "
            "possible"},
        Faulty{R"({"layers": [{"name": "b", "inputs": ["points"], "kernel_size": 1, "out_channels": 8}]})",
               "layers: no earlier layer is called 'points'"},
        Faulty{unions(7), "layers[13].inputs: the level would depend on more than 64 other levels"},
        Faulty{version_2(R"({"name": "b", "op": "layer_norm", "eps": -1})"),
               "layers[2].eps: expected a number from 0 to 1"},
        Faulty{version_2(R"({"name": "b", "op": "instance_norm", "out_channels": 4})"),
               "layers[2].out_channels: 4, but the inputs give 8"},
        Faulty{version_2(R"({"name": "b", "activation": "leaky", "out_channels": 8})"),
               "layers[2].activation: 'leaky' is not one of none, relu, leaky_relu"},
        Faulty{version_2(R"({"name": "b", "slope": 0.1, "out_channels": 8})"),
               "layers[2].slope: only the activation leaky_relu has a slope"},
        Faulty{version_2(R"({"name": "b", "order": ["norm", "norm"], "out_channels": 8})"),
               "layers[2].order: expected an array of"},
        Faulty{version_2(R"({"name": "b", "order": ["activation"], "out_channels": 8})"),
               "layers[2].order: lacks the step norm of the layer"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

TEST(Operations, PoolsAndNormsAreWrittenAsTheyWereRead) {
  const Network network = parse_network(
      version_2(
          R"({"name": "p", "op": "pool", "reduce": "mean_of_cells", "kernel_size": [2, 2, 1], "stride": 2,
                    "padding": 0, "rule": "reached", "cells": [4, 4, 5], "activation": "relu"},
                   {"name": "l", "op": "layer_norm", "eps": 0.001},
                   {"name": "up", "kernel_size": [2, 2, 1], "transposed": true, "map_of": "p", "out_channels": 8},
                   {"name": "q", "op": "pool", "reduce": "max", "map_of": "s"},
                   {"name": "i", "op": "instance_norm"}, {"name": "one", "kernel_size": 1, "stride": 2, "out_channels": 4})"),
      "net.json");
  const Layer& pool = network.layers[2];
  EXPECT_EQ(pool.reduction, PoolReduction::mean_of_cells);
  EXPECT_EQ(pool.stride, PerAxis(2));
  EXPECT_FLOAT_EQ(network.layers[3].norm_epsilon, 1e-3F);
  EXPECT_FLOAT_EQ(network.layers[6].norm_epsilon, 1e-5F);
  const std::string written = network_json(network);
  EXPECT_EQ(network_json(parse_network(written, "net.json")), written);
  const Levels levels = levels_of(network);
  EXPECT_EQ(levels.layers[4].stride_out, levels.layers[1].stride_out) << "back to the level before the pool";
  EXPECT_EQ(levels.layers[5].map, levels.layers[1].map);
  EXPECT_NE(levels.layers[7].stride_out, levels.layers[6].stride_out);
}

const std::string opaque_s2 = R"({"name": "o", "op": "opaque", "inputs": ["a"], "operation": "torch softmax",
    "input_shapes": [[9, 8]], "output_shape": [9, 16], "multiply_adds": 1000})";

INSTANTIATE_TEST_SUITE_P(
    OpaqueParts, NetworkFaults,
    testing::Values(
        Faulty{R"({"schema": "spira.network 2", "layers": [{"name": "o", "op": "opaque", "operation": "pool"},
                   {"name": "b", "out_channels": 8}]})",
               "layers: no layer can run: 'o' is opaque (pool)"},
        Faulty{version_2(R"({"name": "s", "op": "opaque"})"), "layers[2].name: 's' is already used"},
        Faulty{version_2(opaque_s2 + R"(, {"name": "o", "inputs": ["s"], "out_channels": 8})"),
               "layers[3].name: 'o' is already used"},
        Faulty{version_2(opaque_s2 + R"(, {"name": "b", "inputs": ["o", "none"], "out_channels": 8})"),
               "layers[3].inputs: no earlier layer is called 'none'"},
        Faulty{version_2(R"({"name": "o", "op": "opaque", "kernel_size": 3})"),
               "layers[2].kernel_size: unknown key"},
        Faulty{version_2(R"({"name": "o", "op": "opaque", "multiply_adds": -1})"),
               "layers[2].multiply_adds: expected a whole number"},
        // The position is that of the file.
        Faulty{version_2(opaque_s2 + R"(, {"name": "b", "inputs": ["s"], "out_channels": 0})"),
               "layers[3].out_channels: 0 is not in the range 1 to 65,536"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

TEST(Operations, AnUnknownOperationIsAnsweredWithAllNames) {
  const std::string unknown = version_2(R"({"name": "b", "op": "fold"})");
  try {
    static_cast<void>(parse_network(unknown, "net.json"));
    FAIL();
  } catch (const Error& error) {
    for (const char* name : {"conv", "concat", "add", "multiply", "affine", "activation", "group_sum",
                             "dense", "linear", "opaque"})
      EXPECT_THAT(error.what(), testing::ContainsRegex(std::string("[ ,]") + name + "(,|;|$)"));
  }
}

/// Everything that needs the opaque layer "o" does not run: by input, by residual, by map, or by the default
/// input.
TEST(OpaqueParts, SkipTheLayersThatNeedThem) {
  const Network network = parse_network(
      R"({"schema": "spira.network 2", "outputs": ["sum", "side"], "layers": [
      {"name": "a", "stride": 2, "out_channels": 8},
      {"name": "o", "op": "opaque", "inputs": ["a"], "operation": "torch softmax", "output_shape": [9, 16]},
      {"name": "behind", "kernel_size": 2, "stride": 2, "out_channels": 4, "multiply_adds": 77},
      {"name": "side", "inputs": ["a"], "out_channels": 16},
      {"name": "adds", "inputs": ["side"], "out_channels": 16, "residual": "o"},
      {"name": "mapped", "inputs": ["a"], "map_of": "behind", "out_channels": 4},
      {"name": "sum", "op": "add", "inputs": ["adds", "side"]},
      {"name": "last", "inputs": ["side"], "out_channels": 2}]})",
      "net.json");
  std::vector<std::string> run, skipped;
  for (const Layer& layer : network.layers)
    run.push_back(layer.name);
  for (const SkippedLayer& one : network.skipped)
    skipped.push_back(one.layer.name + " " + one.why);
  EXPECT_THAT(run, testing::ElementsAre("a", "side", "last"));
  EXPECT_THAT(skipped,
              testing::ElementsAre("o is opaque (torch softmax)", "behind reads 'o', which does not run",
                                   "adds has the residual 'o', which does not run",
                                   "mapped uses the kernel map of 'behind', which does not run",
                                   "sum reads 'adds', which does not run"));
  EXPECT_EQ(network.skipped[1].layer.in_channels, 16);  // from the shape of the opaque output
  EXPECT_EQ(network.skipped[1].layer.multiply_adds, 77);
  EXPECT_THAT(network.outputs, testing::ElementsAre("side"));
  EXPECT_TRUE(network.skipped[4].output);
  EXPECT_EQ(partial_text(network), "partial: 3 of 8 layers; no total of the network");
  EXPECT_EQ(partial_text(network_preset("resn21")), "");
  EXPECT_EQ(levels_of(network).layers.size(), 3U);

  const std::string written = network_json(network);
  const Network back = parse_network(written, "again.json");
  EXPECT_EQ(network_json(back), written);
  EXPECT_EQ(back.skipped.size(), 5U);
  EXPECT_EQ(back.skipped[4].position, 6U);
  EXPECT_EQ(network_identity(back).find("softmax"), std::string::npos);
}

/// A union of three levels without z, as in VoxelNeXt, with levels that depend on it.
TEST(Operations, UnionsAndFlatLevelsHaveTheirRules) {
  const Network network = read_network(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/voxelnext/voxelnext.json");
  const std::string written = network_json(network);
  EXPECT_EQ(network_json(parse_network(written, "net.json")), written);
  const Levels levels = levels_of(network);
  const auto at = [&](const char* name) {
    return levels.layers[static_cast<std::size_t>(network.index_of(name))];
  };
  const LevelRule& join = levels.set(at("join").stride_out).rule;
  EXPECT_TRUE(join.is_union());
  EXPECT_EQ(join.parts().size(), 3U);
  EXPECT_EQ(join.stride(), PerAxis(8));
  EXPECT_EQ(at("join").inputs.size(), 3U);
  EXPECT_EQ(level_text(levels, at("join").stride_out), "8 (joined)");
  EXPECT_EQ(level_text(levels, at("bev").stride_out), "8x8x1 (flat)");
  EXPECT_EQ(level_text(levels, at("conv_out").stride_out), "8x8x1 (flat #2)");
  EXPECT_EQ(levels.set(at("conv_out").stride_out).rule.base(), join);
  EXPECT_EQ(at("head.out").stride_out, at("conv_out").stride_out);
}

/// Levels that are equal in every scene have one number: a union does not depend on the order of its parts.
TEST(Operations, EqualUnionsAreOneLevel) {
  const Network network = parse_network(R"({"schema": "spira.network 2", "layers": [
      {"name": "a", "stride": 2, "out_channels": 4},
      {"name": "b", "inputs": ["input"], "stride": 4, "rule": "reached", "out_channels": 4},
      {"name": "u", "op": "union_add", "inputs": ["a", "b"]},
      {"name": "v", "op": "union_add", "inputs": ["b", "u"]},
      {"name": "same", "op": "union_add", "inputs": ["a", "a"]},
      {"name": "f", "op": "drop_axis"}, {"name": "g", "op": "drop_axis"}]})",
                                        "net.json");
  const Levels levels = levels_of(network);
  EXPECT_EQ(levels.layers[3].stride_out, levels.layers[2].stride_out);
  EXPECT_EQ(levels.layers[4].stride_out, levels.layers[0].stride_out);
  EXPECT_EQ(levels.layers[6].stride_out, levels.layers[5].stride_out) << "z is dropped once";
}

TEST(Operations, OfPointsHaveTheirOwnRows) {
  const Network network = parse_network(version_2(R"({"name": "z", "op": "to_points", "mode": "nearest"},
                   {"name": "skip", "op": "linear", "inputs": ["points"], "out_channels": 8},
                   {"name": "sum", "op": "add", "inputs": ["z", "skip"]},
                   {"name": "v", "op": "to_voxels", "voxels_of": "input"}, {"name": "c", "out_channels": 8})"),
                                        "net.json");
  const Levels levels = levels_of(network);
  EXPECT_TRUE(levels.has_points());
  EXPECT_TRUE(reads_point_features(network));
  const auto at = [&](const char* name) {
    return levels.layers.at(static_cast<std::size_t>(network.index_of(name)));
  };
  EXPECT_EQ(level_text(levels, at("z").stride_out), "points");
  EXPECT_EQ(at("skip").stride_out, at("z").stride_out);
  EXPECT_EQ(at("sum").stride_out, at("z").stride_out);
  EXPECT_EQ(at("v").stride_out, 1);
  EXPECT_EQ(at("c").map.stride_in, 1);
  const std::string written = network_json(network);
  EXPECT_EQ(network_json(parse_network(written, "net.json")), written);
  EXPECT_FALSE(levels_of(network_preset("resn21")).has_points());
}

/// "points" is a source only if no layer has this name.
TEST(Operations, ALayerMayBeCalledPoints) {
  const Network network = parse_network(
      version_2(R"({"name": "points", "out_channels": 8}, {"name": "b", "out_channels": 8})"), "n");
  EXPECT_FALSE(levels_of(network).has_points());
  EXPECT_FALSE(reads_point_features(network));
}

TEST(Operations, AreWrittenAsTheyWereRead) {
  for (const char* name : {"unetv2", "gates", "preact", "pools", "voxelnext", "spvcnn"}) {
    const std::string file =
        SPIRA_SOURCE_DIR "/tests/fixtures/oracle/" + std::string(name) + "/" + name + ".json";
    const Network network = read_network(file);
    const std::string written = network_json(network);
    EXPECT_EQ(network_json(parse_network(written, name)), written);
  }
}

/// A layer with kernel size 3 that uses the map of a 1x3x3 layer computes like a 1x3x3 layer. However, its
/// weights have 27 matrices.
TEST(Operations, ALayerOnASmallerMapHasItsKernel) {
  const Network gates = read_network(SPIRA_SOURCE_DIR "/tests/fixtures/oracle/gates/gates.json");
  const Layer& layer = gates.layers.at(static_cast<std::size_t>(gates.index_of("conv2")));
  EXPECT_EQ(layer.kernel_size, PerAxis(1, 3, 3));
  EXPECT_EQ(layer.stored_kernel_size, PerAxis(3));
}

TEST(Operations, KeepTheLevelOfTheirInputsAndNeedNoMap) {
  const Network network =
      parse_network(version_2(R"({"name": "b", "op": "add", "inputs": ["s", "a"]})"), "n");
  const Levels levels = levels_of(network);
  EXPECT_EQ(levels.layers[2].stride_out, levels.layers[1].stride_out);
  EXPECT_EQ(levels.maps.size(), 2U);
}

/// A norm is folded into the weights only if no other step comes before it.
TEST(Steps, OfALayerDoNotContainAFoldedNorm) {
  using enum LayerStep;
  Layer layer;
  EXPECT_EQ(layer.steps(), std::vector{activation});
  layer.residual = "r";
  EXPECT_EQ(layer.steps(), (std::vector{add, activation}));
  layer.order = {activation, norm, add};
  EXPECT_EQ(layer.steps(), (std::vector{activation, norm, add}));
  layer.activation = Activation::none;
  EXPECT_EQ(layer.steps(), std::vector{add});
}

INSTANTIATE_TEST_SUITE_P(
    Documents, NetworkFaults,
    testing::Values(
        Faulty{"{", "invalid JSON at line 1, column 2: unexpected end of the text"},
        Faulty{"[]", "an array; expected a JSON object"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 18446744073709551615}]})",
               "layers[0].out_channels: expected a whole number"},
        Faulty{"{}", "layers: expected an array"},
        Faulty{R"({"layers": []})", "layers: a network needs at least one layer"},
        Faulty{R"({"colour": 1, "layers": []})", "colour: unknown key"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "kernel": 3}]})",
               "layers[0].kernel: unknown key"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "kernel_size": 4}]})",
               "layers[0].kernel_size: 4 is not one of 1, 2, 3, 5, 7"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "stride": 3}]})",
               "layers[0].stride: 3 is not one of"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "kernel_size": 1, "stride": 2}]})",
               "layers[0].stride: a layer with kernel size 1 must have stride 1"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 0}]})", "layers[0].out_channels: 0 is not in"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": "8"}]})",
               "layers[0].out_channels: expected a whole number"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "inputs": ["b"]}]})",
               "layers[0].inputs[0]: no earlier layer is called 'b'"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8, "in_channels": 5}]})",
               "layers[0].in_channels: 5, but its inputs have 4"},
        Faulty{R"({"layers": [{"name": "a", "out_channels": 8}, {"name": "a", "out_channels": 8}]})",
               "layers[1].name: 'a' is already used"},
        Faulty{
            R"({"layers": [{"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 4, "residual": "a"}]})",
            "layers[1].residual: 'a' has 8 channels"},
        Faulty{
            R"({"layers": [{"name": "a", "out_channels": 8, "kernel_size": 2, "stride": 2, "transposed": true}]})",
            "layers[0].transposed: no earlier layer of kernel size 2 and stride 2 has outputs at stride 1"},
        Faulty{
            R"({"layers": [{"name": "a", "out_channels": 8, "stride": 16}, {"name": "b", "out_channels": 8, "stride": 8}]})",
            "layers[1].stride: the output would have stride 128"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

TEST(LastReaders, CountResidualsToo) {
  Network network;
  network.layers.resize(3);
  network.layers[0].name = "a";
  network.layers[1].name = "b";
  network.layers[1].inputs = {"a"};
  network.layers[2].name = "c";
  network.layers[2].inputs = {"b"};
  network.layers[2].residual = "a";
  EXPECT_EQ(last_readers(network), (std::vector<int>{2, 2, -1}));
}

TEST(LastReaders, KeepTheResultsOfTheNetwork) {
  const Network network = parse_network(
      R"({"schema": "spira.network 2", "outputs": ["a"], "layers": [
          {"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8}, {"name": "c", "out_channels": 8}]})",
      "net.json");
  EXPECT_EQ(last_readers(network), (std::vector<int>{-1, 2, -1}));
}

TEST(NetworkOrigin, IsNoPartOfTheIdentity) {
  const std::string layers = R"("layers": [{"name": "a", "out_channels": 8}]})";
  const Network plain = parse_network(R"({"schema": "spira.network 2", )" + layers, "a.json");
  const Network known = parse_network(
      R"({"schema": "spira.network 2", "origin": {"library": "spconv 2.3.8", "date": "2026-11-26"}, )"
      R"("outputs": ["a"], )" +
          layers,
      "b.json");
  EXPECT_EQ(origin_text(known), "date 2026-11-26, library spconv 2.3.8");
  EXPECT_EQ(network_identity(plain), network_identity(known));
  EXPECT_NE(network_json(plain), network_json(known));
  const Network coarse = parse_network(
      R"({"schema": "spira.network 2", "input": {"grid": {"voxel_m": 0.1}}, )" + layers, "c.json");
  EXPECT_NE(network_identity(plain), network_identity(coarse));
}

}  // namespace
}  // namespace spira
