// Tests networks with "space": "bev": their files, their faults, their units and the preset sbnet.
#include "engine/bev/unit.hpp"

#include "tests/support/case_name.hpp"
#include "tests/unit/bev/made_masks.hpp"

#include <gmock/gmock.h>

namespace spira {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string with_layers(const std::string& layers, const std::string& keys = {}) {
  return R"({"schema": "spira.network 1", "name": "net", "space": "bev", "in_channels": 8, )" + keys +
         R"("layers": [)" + layers + "]}";
}
Network network_of(const std::string& layers) {
  return parse_network(with_layers(layers), "net.json");
}
std::vector<BevUnit> units(const std::string& layers) {
  return units_of(network_of(layers));
}

/// The network of the documentation: a strided layer and a residual unit.
const char* const one_unit = R"({"name": "conv1", "stride": 2, "out_channels": 96},
    {"name": "u1.in", "kernel_size": 1, "out_channels": 24, "unit": "u1"},
    {"name": "u1.mid", "out_channels": 24, "unit": "u1"},
    {"name": "u1.out", "kernel_size": 1, "out_channels": 96, "residual": "conv1", "unit": "u1"})";

TEST(BevUnits, AreReadFromANetworkFile) {
  const Network network = network_of(one_unit);
  EXPECT_EQ(network.space, NetworkSpace::bev);
  EXPECT_EQ(network.layers[0].kernel_size, PerAxis(3, 3, 1));
  EXPECT_EQ(network.layers[0].stride, PerAxis(2, 2, 1));
  EXPECT_EQ(network.layers[1].kernel_size, PerAxis(1));
  const auto found = units_of(network);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "conv1") << "a layer without a unit is a separate unit";
  EXPECT_EQ(found[0].source, -1);
  EXPECT_EQ(found[0].stride_in, 1);
  EXPECT_EQ(found[0].stride_out, 2);
  EXPECT_EQ(found[0].layers(), 1);
  EXPECT_EQ(found[0].halo, 1);
  EXPECT_FALSE(found[0].residual);
  EXPECT_FALSE(found[0].keeps_input);
  EXPECT_EQ(found[1].name, "u1");
  EXPECT_EQ(found[1].first, 1);
  EXPECT_EQ(found[1].last, 3);
  EXPECT_EQ(found[1].source, 0);
  EXPECT_EQ(found[1].stride_in, 2);
  EXPECT_EQ(found[1].stride_out, 2);
  EXPECT_EQ(found[1].step(), 1);
  EXPECT_EQ(found[1].halo, 1);
  EXPECT_TRUE(found[1].residual);
  EXPECT_FALSE(found[1].keeps_input) << "only the unit itself reads its input";
  EXPECT_EQ(coarsest_stride(found), 2);
}

TEST(BevUnits, AreWrittenAndReadBack) {
  const Network network = network_of(one_unit);
  const std::string written = network_json(network);
  EXPECT_THAT(written, HasSubstr(R"("space": "bev")"));
  EXPECT_THAT(written, HasSubstr(R"("unit": "u1")"));
  EXPECT_THAT(written, HasSubstr(R"("stride": 2)"));
  EXPECT_EQ(network_json(parse_network(written, "written.json")), written);
  EXPECT_THAT(network_json(network_preset("resn21")), Not(HasSubstr("space")));
  const Network second = parse_network(
      R"({"schema": "spira.network 2", "space": "bev", "in_channels": 9, "outputs": ["b"],
          "layers": [{"name": "a", "kernel_size": 5, "out_channels": 8, "norm": {"eps": 0.001}, "unit": "u"},
                     {"name": "b", "activation": "none", "out_channels": 8, "unit": "u"}]})",
      "net.json");
  const std::string text = network_json(second);
  EXPECT_EQ(network_json(parse_network(text, "again.json")), text);
  EXPECT_EQ(units_of(second).size(), 1U);
}

TEST(BevUnits, BlockTrap3HaloOfStridesAndKernels) {
  const auto halo = [](const std::string& layers) { return units(layers).front().halo; };
  EXPECT_EQ(halo(R"({"name": "a", "kernel_size": 1, "out_channels": 8})"), 0);
  EXPECT_EQ(halo(R"({"name": "a", "kernel_size": 7, "out_channels": 8})"), 3);
  EXPECT_EQ(halo(R"({"name": "a", "out_channels": 8, "unit": "u"},
                    {"name": "b", "out_channels": 8, "unit": "u"})"),
            2);
  EXPECT_EQ(halo(R"({"name": "a", "kernel_size": 5, "out_channels": 8, "unit": "u"},
                    {"name": "b", "out_channels": 8, "unit": "u"})"),
            3);
  const auto strided = units(R"({"name": "a", "stride": 2, "out_channels": 8, "unit": "u"},
                                {"name": "b", "out_channels": 8, "unit": "u"},
                                {"name": "c", "kernel_size": 5, "out_channels": 8, "unit": "u"})");
  EXPECT_EQ(strided.front().halo, 1 + (2 * (1 + 2))) << "H_u = h_1 + t * (h_2 + h_3)";
  EXPECT_EQ(strided.front().reach(), 4) << "7 / 2, rounded up";
  EXPECT_EQ(strided.front().gathered_edge(8), (2 * 7) + 1 + 14);
}

TEST(BevUnits, GatherTheCellsThatTheirLayersRead) {
  const auto found = units(one_unit);
  // The paper: a block of b cells computes (b - k) / t + 1 cells.
  for (const int core : {4, 8, 16, 32}) {
    EXPECT_EQ(found[0].gathered_edge(core), (2 * core) + 1);
    EXPECT_EQ((found[0].gathered_edge(core) - 3) / 2 + 1, core);
    EXPECT_EQ(found[1].gathered_edge(core), core + 2);
  }
  EXPECT_EQ(found[0].reach(), 1);
  EXPECT_EQ(found[1].reach(), 1);
}

TEST(BevUnits, BlockTrap6AnInputThatIsReadLaterIsKept) {
  const auto found = units(R"({"name": "a", "out_channels": 8},
                              {"name": "b", "out_channels": 8},
                              {"name": "c", "inputs": ["a"], "out_channels": 8},
                              {"name": "d", "out_channels": 8, "residual": "c"},
                              {"name": "e", "inputs": ["input"], "out_channels": 8})");
  std::vector<bool> keeps;
  for (const BevUnit& unit : found)
    keeps.push_back(unit.keeps_input);
  EXPECT_THAT(keeps, ElementsAre(true, true, false, false, false))
      << "e reads the input image, and c reads the output of a";
  const Network outputs = parse_network(
      R"({"schema": "spira.network 2", "space": "bev", "in_channels": 8, "outputs": ["a", "b"],
          "layers": [{"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8}]})",
      "net.json");
  EXPECT_TRUE(units_of(outputs)[1].keeps_input) << "a is a result of the network";
}

TEST(BevUnits, CountMultiplyAdds) {
  const Network network = network_of(one_unit);
  const auto found = units_of(network);
  EXPECT_EQ(multiply_adds_per_cell(network, found[0]), 9 * 8 * 96);
  EXPECT_EQ(multiply_adds_per_cell(network, found[1]), (96 * 24) + (9 * 24 * 24) + (24 * 96));
  EXPECT_EQ(multiply_adds_per_block(network, found[0], 8), 64 * 9 * 8 * 96);
  // The first layer also computes the halo of the second one.
  EXPECT_EQ(multiply_adds_per_block(network, found[1], 8),
            (100 * 96 * 24) + (64 * ((9 * 24 * 24) + (24 * 96))));
}

TEST(BevUnits, OfOtherNetworksAreRefused) {
  EXPECT_EQ(error_of(ErrorKind::input, [] { return units_of(network_preset("resn21")); }),
            R"(resn21: only a network with "space": "bev" runs on a bird's-eye view, such as sbnet)");
  Network faulty = network_of(one_unit);
  faulty.layers[2].stride = {2, 2, 1};
  faulty.layers[3].residual.clear();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { return units_of(faulty); }),
              HasSubstr("net: layers[2].stride: only the first layer of a unit can have a stride above 1"));
}

struct BevFault {
  std::string json;
  const char* says;
};
class BevFaults : public testing::TestWithParam<BevFault> {};

TEST_P(BevFaults, NameTheKeyAndTheReason) {
  EXPECT_THAT(error_of(ErrorKind::input, [] { return parse_network(GetParam().json, "net.json"); }),
              HasSubstr(std::string("net.json: ") + GetParam().says));
}

/// Returns a network with one layer in version 2 of the format.
std::string layer_2(const std::string& keys) {
  return R"({"schema": "spira.network 2", "space": "bev", "in_channels": 8, "layers": [
      {"name": "a", "out_channels": 8}, {"name": "b", )" +
         keys + "}]}";
}
/// Returns a network whose unit "u" has two layers, followed by `more`.
std::string unit_and(const std::string& more) {
  return with_layers(R"({"name": "a", "out_channels": 8, "unit": "u"},
                        {"name": "b", "out_channels": 8, "unit": "u"}, )" +
                     more);
}

INSTANTIATE_TEST_SUITE_P(
    Space, BevFaults,
    testing::Values(
        BevFault{R"({"space": "sphere", "layers": [{"name": "a", "out_channels": 8}]})",
                 "space: 'sphere' is not one of voxels, bev"},
        BevFault{R"({"space": "bev", "in_channels": 3, "layers": [{"name": "a", "out_channels": 8}]})",
                 "in_channels: 3 is not in the range 4 to 4,096"},
        BevFault{R"({"space": "bev", "in_channels": 4097, "layers": [{"name": "a", "out_channels": 8}]})",
                 "in_channels: 4,097 is not in the range 4 to 4,096"},
        BevFault{R"({"space": "voxels", "in_channels": 8, "layers": [{"name": "a", "out_channels": 8}]})",
                 "in_channels: 8, but without input.features a network reads 4 features"},
        BevFault{R"({"layers": [{"name": "a", "out_channels": 8, "unit": "u"}]})",
                 R"(layers[0].unit: only a network with "space": "bev" has units; remove this key)"},
        BevFault{R"({"schema": "spira.network 2", "space": "bev", "in_channels": 4,
                     "input": {"features": ["x", "y", "z", "one"]},
                     "layers": [{"name": "a", "out_channels": 8}]})",
                 "input.features: a bird's-eye view has its own input image; remove this key"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

INSTANTIATE_TEST_SUITE_P(
    Layers, BevFaults,
    testing::Values(
        BevFault{layer_2(R"("op": "concat", "inputs": ["a", "a"])"),
                 "layers[1].op: a layer of a bird's-eye view must be a convolution"},
        BevFault{layer_2(R"("op": "pool", "reduce": "max")"),
                 "layers[1].op: a layer of a bird's-eye view must be a convolution"},
        BevFault{with_layers(R"({"name": "a", "stride": 2, "out_channels": 8},
                                {"name": "b", "stride": 2, "transposed": true, "out_channels": 8})"),
                 "layers[1].transposed: a layer of a bird's-eye view cannot be transposed"},
        BevFault{with_layers(R"({"name": "a", "kernel_size": 2, "stride": 2, "out_channels": 8})"),
                 "layers[0].kernel_size: 2 is not one of 1, 3, 5, 7"},
        BevFault{layer_2(R"("kernel_size": [3, 5, 1], "out_channels": 8)"),
                 "layers[1].kernel_size: 3x5x1; expected one number, for x and y"},
        BevFault{layer_2(R"("kernel_size": [3, 3, 3], "stride": [2, 1, 1], "out_channels": 8)"),
                 "layers[1].stride: 2x1x1; expected one number, for x and y"},
        BevFault{layer_2(R"("rule": "reached", "out_channels": 8)"),
                 "layers[1].rule: a layer of a bird's-eye view has the rule floor and the usual padding"},
        BevFault{layer_2(R"("padding": 0, "out_channels": 8)"),
                 "layers[1].rule: a layer of a bird's-eye view has the rule floor and the usual padding"},
        BevFault{layer_2(R"("map_of": "a", "out_channels": 8)"),
                 "layers[1].rule: a layer of a bird's-eye view has the rule floor and the usual padding"},
        BevFault{with_layers(R"({"name": "a", "neighbours": "ball", "out_channels": 8})"),
                 "layers[0].neighbours: a layer of a bird's-eye view cannot have native neighbours"},
        BevFault{layer_2(R"("activation": "silu", "out_channels": 8)"),
                 "layers[1].activation: a layer of a bird's-eye view can only have a ReLU"},
        BevFault{layer_2(R"("order": ["add", "norm", "activation"], "residual": "a", "out_channels": 8)"),
                 "layers[1].activation: a layer of a bird's-eye view can only have a ReLU"},
        BevFault{with_layers(R"({"name": "a", "out_channels": 8}, {"name": "b", "out_channels": 8},
                                {"name": "c", "inputs": ["a", "b"], "out_channels": 8})"),
                 "layers[2].inputs: a layer of a bird's-eye view must have exactly one input"},
        BevFault{layer_2(R"("inputs": ["points"], "kernel_size": 1, "out_channels": 8)"),
                 "layers[1].inputs: a bird's-eye view has no points; use 'input'"},
        BevFault{with_layers(R"({"name": "a", "inputs": ["none"], "out_channels": 8})"),
                 "layers[0].inputs[0]: no earlier layer is called 'none'"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

INSTANTIATE_TEST_SUITE_P(
    Units, BevFaults,
    testing::Values(
        BevFault{
            unit_and(R"({"name": "c", "out_channels": 8}, {"name": "d", "out_channels": 8, "unit": "u"})"),
            "layers[3].unit: 'u' is already used; the layers of a unit must be adjacent"},
        BevFault{with_layers(R"({"name": "a", "out_channels": 8, "unit": "u"},
                                {"name": "b", "inputs": ["input"], "out_channels": 8, "unit": "u"})"),
                 "layers[1].inputs: must be 'a', the previous layer of the unit"},
        BevFault{with_layers(R"({"name": "a", "out_channels": 8, "unit": "u"},
                                {"name": "b", "stride": 2, "out_channels": 8, "unit": "u"})"),
                 "layers[1].stride: only the first layer of a unit can have a stride above 1"},
        BevFault{with_layers(R"({"name": "a", "out_channels": 8, "residual": "input", "unit": "u"},
                                {"name": "b", "out_channels": 8, "unit": "u"})"),
                 "layers[0].residual: only the last layer of a unit can have a residual"},
        BevFault{unit_and(R"({"name": "c", "out_channels": 8, "unit": "v"},
                             {"name": "d", "out_channels": 8, "residual": "input", "unit": "v"})"),
                 "layers[3].residual: 'input' is not the input of the unit"},
        BevFault{with_layers(R"({"name": "a", "stride": 2, "out_channels": 8, "residual": "input"})"),
                 "layers[0].residual: 'input' has 8 channels at stride 1, but this layer has 8 at stride 2"},
        BevFault{with_layers(R"({"name": "a", "out_channels": 4, "residual": "input"})"),
                 "layers[0].residual: 'input' has 8 channels at stride 1, but this layer has 4 at stride 1"},
        BevFault{unit_and(R"({"name": "c", "inputs": ["a"], "out_channels": 8})"),
                 "layers[2].inputs[0]: 'a' is an inner layer of a unit, whose output is not stored"},
        BevFault{R"({"schema": "spira.network 2", "space": "bev", "in_channels": 8, "outputs": ["a"],
                     "layers": [{"name": "a", "out_channels": 8, "unit": "u"},
                                {"name": "b", "out_channels": 8, "unit": "u"}]})",
                 "outputs[0]: 'a' is an inner layer of a unit, whose output is not stored"}),
    [](const auto& info) { return test::case_name(info.index, info.param.says); });

TEST(SbnetPreset, HasTheBackboneOfThePaper) {
  const Network network = network_preset("sbnet");
  EXPECT_EQ(network.layers.size(), 2U + 18 * 3 + 3);
  EXPECT_EQ(network.in_channels, 23);
  EXPECT_TRUE(faults(network).empty());
  const auto found = units_of(network);
  ASSERT_EQ(found.size(), 2U + 18 + 3);
  EXPECT_EQ(coarsest_stride(found), 16);
  std::vector<std::string> single;
  std::map<int, int> residual_units, channels;
  for (const BevUnit& unit : found) {
    EXPECT_FALSE(unit.keeps_input) << unit.name;
    EXPECT_EQ(unit.halo, 1) << unit.name;
    const Layer& last = network.layers[static_cast<std::size_t>(unit.last)];
    if (unit.residual) {
      EXPECT_EQ(unit.layers(), 3);
      EXPECT_EQ(unit.step(), 1);
      EXPECT_EQ(network.layers[static_cast<std::size_t>(unit.first)].out_channels, last.out_channels / 4);
      ++residual_units[unit.stride_out];
      channels[unit.stride_out] = last.out_channels;
    } else {
      single.push_back(unit.name + " " + std::to_string(unit.stride_in) + ">" +
                       std::to_string(unit.stride_out) + " " + std::to_string(last.out_channels));
    }
  }
  EXPECT_THAT(single, ElementsAre("conv1.1 1>1 32", "conv1.2 1>2 96", "conv3.down 2>4 192",
                                  "conv4.down 4>8 256", "conv5.down 8>16 384"));
  EXPECT_EQ(residual_units, (std::map<int, int>{{2, 3}, {4, 6}, {8, 6}, {16, 3}}));
  EXPECT_EQ(channels, (std::map<int, int>{{2, 96}, {4, 192}, {8, 256}, {16, 384}}));
}

TEST(SbnetPreset, HasTheWorkOfThePaper) {
  // Work of a unit of each stage, in GFLOP, for the sizes of the tables of the paper.
  const Network network = network_preset("sbnet");
  const std::map<int, std::pair<int, double>> expected{
      {2, {400 * 704, 5.51}}, {4, {200 * 352, 5.51}}, {8, {100 * 176, 2.45}}, {16, {50 * 88, 1.38}}};
  double all = 0;
  for (const BevUnit& unit : units_of(network)) {
    if (!unit.residual) continue;
    const auto& [cells, gflop] = expected.at(unit.stride_out);
    const double here = 2e-9 * static_cast<double>(multiply_adds_per_cell(network, unit)) * cells;
    EXPECT_NEAR(here, gflop, 0.005) << unit.name;
    all += here;
  }
  EXPECT_NEAR(all, 68, 1);
}

TEST(SbnetPreset, RunsOnTheFlatVoxelsOfAMaskToo) {
  const Levels levels = levels_of(network_preset("sbnet"));
  EXPECT_EQ(levels.sets.size(), 5U);
  for (const MapKey& map : levels.maps)
    EXPECT_EQ(map.kernel.size[2], 1);
}

}  // namespace
}  // namespace spira
