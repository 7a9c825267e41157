// Tests hostile files: networks, weights, voxel files and captures that are damaged or made to mislead a
// reader. Each must be refused in one line that names the file and the fault. A reader must not crash, and
// must not allocate memory only because a header claims a large size.
#include "engine/base/error.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/verify/capture.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>

namespace spira::test {
namespace {

using testing::HasSubstr;

struct Hostile {
  std::string bytes;
  std::string says;
};

void PrintTo(const Hostile& file, std::ostream* out) {
  *out << file.says;
}

/// Expects that `read` rejects the file with an error of one line and exit code 3.
void expect_refused(const Hostile& hostile, const std::string& name,
                    const std::function<void(const std::filesystem::path&)>& read) {
  const TempFolder folder;
  const auto file = folder.write(name, hostile.bytes);
  try {
    read(file);
    FAIL() << "the file must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(facts(error.kind()).exit_code, 3) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(name));
    EXPECT_THAT(error.what(), HasSubstr(hostile.says));
    const std::string line = printable(error.what());
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_LT(line.size(), 2'000U);
  }
}

std::string case_of(const testing::TestParamInfo<Hostile>& info) {
  return case_name(info.index, info.param.says.c_str());
}

// Networks.

class HostileNetwork : public testing::TestWithParam<Hostile> {};

void expect_network_refused(const Hostile& hostile) {
  expect_refused(hostile, "net.json",
                 [](const std::filesystem::path& file) { static_cast<void>(read_network(file)); });
}

TEST_P(HostileNetwork, IsRefusedInOneLine) {
  expect_network_refused(GetParam());
}

std::string network(const std::string& keys,
                    const std::string& layers = R"({"name": "a", "out_channels": 8})") {
  return R"({"schema": "spira.network 2")" + keys + R"(, "layers": [)" + layers + "]}";
}
/// Returns a network of two layers. The first layer has the keys `keys`.
std::string layer(const std::string& keys) {
  return network("",
                 R"({"name": "a", "out_channels": 8, )" + keys + R"(}, {"name": "b", "out_channels": 8})");
}
std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int at = 0; at < times; ++at)
    all += text;
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    References, HostileNetwork,
    testing::Values(
        Hostile{layer(R"("inputs": ["a"])"), "layers[0].inputs[0]: no earlier layer is called 'a'"},
        Hostile{layer(R"("inputs": ["b"])"), "layers[0].inputs[0]: no earlier layer is called 'b'"},
        Hostile{layer(R"("inputs": ["input", ""])"), "layers[0].inputs[1]: no earlier layer is called ''"},
        Hostile{layer(R"("inputs": [])"), "layers[0].inputs: a layer needs at least one input"},
        Hostile{R"({"schema": "spira.network 2", "layers": [{"name": "a", "op": "add", "inputs": []}]})",
                "layers[0].inputs: a layer needs at least one input"},
        Hostile{layer(R"("residual": "a")"), "layers[0].residual: no earlier layer is called 'a'"},
        Hostile{layer(R"("residual": "b")"), "layers[0].residual: no earlier layer is called 'b'"},
        Hostile{layer(R"("residual": "input")"), "layers[0].residual: 'input' has 4 channels"},
        Hostile{layer(R"("map_of": "b")"), "layers[0].map_of: no earlier layer is called 'b'"},
        Hostile{layer(R"("map_of": "input")"), "layers[0].map_of: no earlier layer is called 'input'"},
        Hostile{layer(R"("map_of": "a", "transposed": true)"),
                "layers[0].map_of: no earlier layer is called 'a'"},
        Hostile{layer(R"("transposed": true)"), "layers[0].stride: a transposed layer needs a stride of 2"},
        Hostile{network("", R"({"name": "input", "out_channels": 8})"),
                "layers[0].name: 'input' is already used"},
        Hostile{network("", R"({"out_channels": 8})"), "layers[0].name: must not be empty"},
        Hostile{network("", R"({"name": "a"})"), "layers[0].out_channels: is missing"},
        Hostile{network("", R"({"name": "a", "stride": 2, "out_channels": 8, "padding": 0},
                               {"name": "b", "stride": 2, "out_channels": 8, "padding": 1, "inputs": ["input"]},
                               {"name": "c", "stride": 2, "out_channels": 8, "transposed": true})"),
                "layers[2].transposed: the outputs of several earlier layers are at stride 2"},
        Hostile{
            network("",
                    R"({"name": "a", "stride": 2, "rule": "reached", "cells": [9, 9, 9], "out_channels": 8},
                               {"name": "b", "stride": 2, "rule": "reached", "cells": [5, 5, 6], "out_channels": 8})"),
            "layers[1].cells: 6 cells along z, but 9 cells of the input give 5"},
        Hostile{
            network(
                R"(, "input": {"grid": {"voxel_m": 0.1, "cells": [1408, 1600, 40]}})",
                R"({"name": "a", "stride": 2, "rule": "reached", "cells": [704, 22, 21], "out_channels": 8})"),
            "layers[0].cells: 22 cells along y, but 1,600 cells of the input give at least 800"}),
    case_of);

/// Returns a network whose second layer is `layer`. Its first layer "p" has points.
std::string after_points(const std::string& layer) {
  return network("", R"({"name": "p", "op": "to_points"}, )" + layer);
}

INSTANTIATE_TEST_SUITE_P(
    Points, HostileNetwork,
    testing::Values(
        Hostile{after_points(R"({"name": "b", "op": "to_voxels", "voxels_of": "b"})"),
                "layers[1].voxels_of: no earlier layer is called 'b'"},
        Hostile{after_points(R"({"name": "b", "op": "to_voxels", "voxels_of": "p"})"),
                "layers[1].voxels_of: 'p' has points, not voxels"},
        Hostile{after_points(R"({"name": "b", "op": "to_voxels", "voxels_of": "points"})"),
                "layers[1].voxels_of: no earlier layer is called 'points'"},
        Hostile{after_points(R"({"name": "b", "op": "to_voxels", "voxels_of": ["input"]})"),
                "layers[1].voxels_of: expected a string"},
        Hostile{
            after_points(R"({"name": "b", "op": "to_voxels", "inputs": ["p", "p"], "voxels_of": "input"})"),
            "layers[1].inputs: the operation to_voxels must have exactly one input"},
        Hostile{after_points(R"({"name": "b", "op": "to_voxels", "voxels_of": "input", "mode": "nearest"})"),
                "layers[1].mode: unknown key"},
        Hostile{after_points(R"({"name": "b", "op": "to_points", "inputs": ["input"], "mode": "mean"})"),
                "layers[1].mode: 'mean' is not one of trilinear, nearest"},
        Hostile{after_points(R"({"name": "b", "op": "to_points", "inputs": ["input"], "mode": 3})"),
                "layers[1].mode: expected a string"},
        Hostile{after_points(R"({"name": "b", "op": "to_points", "inputs": ["input", "input"]})"),
                "layers[1].inputs: the operation to_points must have exactly one input"},
        Hostile{after_points(R"({"name": "b", "op": "to_points", "inputs": ["input"], "out_channels": 5})"),
                "layers[1].out_channels: 5, but the inputs give 4"},
        Hostile{after_points(R"({"name": "b", "op": "linear", "stride": 2, "out_channels": 8})"),
                "'b' reads points, which have no neighbours; only a linear layer can read them"},
        Hostile{after_points(R"({"name": "b", "op": "linear", "map_of": "p", "out_channels": 8})"),
                "layers[1].op: 'b' reads points"},
        Hostile{after_points(R"({"name": "b", "op": "linear", "out_channels": 4, "residual": "input"})"),
                "'input' has 4 channels at stride 1, but this layer has 4 at points"},
        Hostile{after_points(R"({"name": "b", "op": "add", "inputs": ["p", "input"]})"),
                "layers[1].inputs[1]: 'input' has stride 1, but the previous inputs have points"},
        Hostile{after_points(R"({"name": "b", "op": "concat", "inputs": ["input", "points"]})"),
                "layers[1].inputs[1]: 'points' has points, but the previous inputs have stride 1"},
        Hostile{after_points(R"({"name": "b", "op": "union_add", "inputs": ["input", "points"]})"),
                "layers[1].inputs[1]: 'points' has points; union_add joins levels of voxels"},
        Hostile{
            after_points(
                R"({"name": "b", "op": "linear", "inputs": ["points"], "out_channels": 4, "norm": {"eps": -1}})"),
            "layers[1].norm.eps: expected a number from 0 to 1"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Numbers, HostileNetwork,
    testing::Values(
        Hostile{layer(R"("kernel_size": 0)"), "layers[0].kernel_size: 0 is not in the range 1 to 7"},
        Hostile{layer(R"("kernel_size": 8)"), "layers[0].kernel_size: 8 is not in the range 1 to 7"},
        Hostile{layer(R"("kernel_size": [3, 3, -3])"),
                "layers[0].kernel_size: -3 is not in the range 1 to 7"},
        Hostile{layer(R"("kernel_size": [1073741824, 1, 1])"),
                "layers[0].kernel_size: 1,073,741,824 is not in the range 1 to 7"},
        Hostile{layer(R"("kernel_size": 4294967299)"), "layers[0].kernel_size: expected a whole number"},
        Hostile{layer(R"("kernel_size": 3.5)"), "layers[0].kernel_size: expected a whole number"},
        Hostile{layer(R"("stride": 3)"), "layers[0].stride: 3 is not one of 1, 2, 4, 8, 16, 32, 64"},
        Hostile{layer(R"("stride": 0)"), "layers[0].stride: 0 is not one of"},
        Hostile{layer(R"("stride": [2, -2, 2])"), "layers[0].stride: -2 is not one of"},
        Hostile{layer(R"("stride": 128)"), "layers[0].stride: 128 is not one of"},
        Hostile{layer(R"("padding": [0, 0, 7])"), "layers[0].padding: 7 is not in the range 0 to 2"},
        Hostile{layer(R"("rule": "reached", "cells": [1, 1, -2147483649])"),
                "layers[0].cells[2]: expected a whole"},
        Hostile{layer(R"("rule": "reached", "cells": [4294967297, 1, 1])"),
                "layers[0].cells[0]: expected a whole"},
        Hostile{layer(R"("in_channels": 2147483648)"), "layers[0].in_channels: expected a whole number"},
        Hostile{network("", R"({"name": "a", "out_channels": 65537})"),
                "layers[0].out_channels: 65,537 is not in the range"},
        Hostile{network("", R"({"name": "a", "out_channels": 1e3})"),
                "layers[0].out_channels: expected a whole"},
        Hostile{network("", R"({"name": "a", "out_channels": -9223372036854775808})"),
                "layers[0].out_channels: expected a whole number"},
        Hostile{network(R"(, "in_channels": -1)"), "in_channels: -1"},
        Hostile{network(R"(, "in_channels": 4097, "input": {"features": "file"})"),
                "in_channels: 4,097 is not in the range"},
        Hostile{layer(R"("norm": {"eps": -1e-9})"), "layers[0].norm.eps: expected a number from 0 to 1"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Types, HostileNetwork,
    testing::Values(
        Hostile{R"({"schema": 2, "layers": []})", "schema: expected a string"},
        Hostile{R"({"schema": "spira.network 99", "layers": []})", "schema: expected \"spira.network 1\""},
        Hostile{network(R"(, "name": ["n"])"), "name: expected a string"},
        Hostile{network(R"(, "title": null)"), "title: expected a string"},
        Hostile{network(R"(, "input": ["x"])"), "input: expected an object"},
        Hostile{network(R"(, "input": {"features": 7})"), "input.features: expected \"file\" or an array"},
        Hostile{network(R"(, "input": {"features": [["x"]]})"), "input.features[0]"},
        Hostile{R"({"layers": {"a": 1}})", "layers: expected an array of layers"},
        Hostile{network("", "[]"), "layers[0]: expected an object"},
        Hostile{network("", "null"), "layers[0]: expected an object"},
        Hostile{layer(R"("inputs": "input")"), "layers[0].inputs: expected an array of names"},
        Hostile{layer(R"("inputs": [["input"]])"), "layers[0].inputs: expected an array of names"},
        Hostile{layer(R"("kernel_size": "3")"), "layers[0].kernel_size: expected a whole number"},
        Hostile{layer(R"("kernel_size": {"x": 3})"), "layers[0].kernel_size: expected a whole number"},
        Hostile{layer(R"("stride": true)"), "layers[0].stride: expected a whole number"},
        Hostile{layer(R"("padding": "same")"), "layers[0].padding: expected a whole number"},
        Hostile{layer(R"("transposed": 1)"), "layers[0].transposed: expected true or false"},
        Hostile{layer(R"("bias": "no")"), "layers[0].bias: expected true or false"},
        Hostile{layer(R"("norm": [1e-3])"), "layers[0].norm: expected true or false"},
        Hostile{layer(R"("norm": {"eps": "small"})"), "layers[0].norm.eps: expected a number"},
        Hostile{layer(R"("activation": true)"), "layers[0].activation: expected a string"},
        Hostile{layer(R"("residual": ["a"])"), "layers[0].residual: expected a string"},
        Hostile{layer(R"("rule": 1)"), "layers[0].rule: expected a string"},
        Hostile{layer(R"("rule": "reached", "cells": 9)"), "layers[0].cells: expected three whole numbers"},
        Hostile{layer(R"("rule": "reached", "cells": [9, 9, 9, 9])"),
                "layers[0].cells: expected three whole"},
        Hostile{layer(R"("map_of": 0)"), "layers[0].map_of: expected a string"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Texts, HostileNetwork,
    testing::Values(Hostile{"", "the file is empty; expected a JSON object"},
                    Hostile{" \n\t", "unexpected end of the text"}, Hostile{"null", "expected a JSON object"},
                    Hostile{std::string(64, '\0'), "invalid JSON at line 1, column 1"},
                    Hostile{"{\"layers\": []} {}", "invalid JSON at line 1, column 16"},
                    Hostile{"{\"layers\": [], // none\n}", "invalid JSON at line 1"},
                    Hostile{std::string("\xFF\xFE{\0\"\0", 6), "invalid JSON at line 1, column 1"},
                    Hostile{"{\"name\": \"\xC3\x28\", \"layers\": []}", "invalid JSON at line 1"},
                    Hostile{"{\"name\": \"\\ud800\", \"layers\": []}", "invalid JSON at line 1"},
                    Hostile{std::string("{\"name\": \"a\0b\", \"layers\": []}", 29),
                            "invalid JSON at line 1"},
                    Hostile{R"({"in_channels": NaN, "layers": []})", "invalid JSON at line 1"},
                    Hostile{R"({"in_channels": -Infinity, "layers": []})", "invalid JSON at line 1"},
                    Hostile{layer(R"("norm": {"eps": 1e400})"), "the number is out of range (1e400)"},
                    Hostile{network("", R"({"name": "a", "out_channels": 8, "name": "b"})"),
                            "layers[0].name: the key occurs twice in one object"},
                    Hostile{R"({"layers": [], "layers": []})", "layers: the key occurs twice in one object"},
                    Hostile{network(R"(, "origin": {"k": 1, "l": 2})"), "origin.k: expected a string"}),
    case_of);

// Parameters are created whenever the program starts, so these long files are not parameters.
TEST(HugeNetworks, AreRefusedInOneLine) {
  const Hostile files[] = {
      {network(R"(, "outputs": ["a", ")" + std::string(3'000'000, 'n') + R"("])"),
       "outputs[1]: no layer is called 'nnn"},
      {R"({"layers": )" + repeated("[", 100'000) + repeated("]", 100'000) + "}", "nested deeper than 40"},
      {repeated(R"({"layers": )", 100'000), "nested deeper than 40"},
      {network(R"(, "name": ")" + std::string(1'000'000, 'n') + "\""), "name: 1,000,000 bytes; expected"},
      {network(", \"" + std::string(1'000'000, 'k') + "\": 1"), "kkk... (1,000,000 bytes): unknown key"},
      {std::string(17U << 20U, ' '), "net.json"}};
  for (const Hostile& file : files) {
    SCOPED_TRACE(file.says);
    expect_network_refused(file);
  }
}

// The tests below read weights. The network has one layer with a weight of [27, 4, 2], a bias and no norm.

Network one_layer() {
  return parse_network(R"({"schema": "spira.network 2", "name": "one",
      "layers": [{"name": "conv", "out_channels": 2, "norm": false, "bias": true}]})",
                       "one.json");
}

/// Returns a file with this header. `header_bytes` is the header length that the file contains.
std::string tensors(const std::string& header, const std::string& data, std::uint64_t header_bytes) {
  std::string bytes;
  put(bytes, header_bytes);
  return bytes + header + data;
}
std::string tensors(const std::string& header, const std::string& data = "") {
  return tensors(header, data, header.size());
}

class HostileWeights : public testing::TestWithParam<Hostile> {};

TEST_P(HostileWeights, AreRefusedInOneLine) {
  expect_refused(GetParam(), "net.safetensors", [](const std::filesystem::path& file) {
    static_cast<void>(read_safetensors(file, one_layer()));
  });
}

/// Returns a file of one tensor that is described by `facts`, with eight bytes of data.
std::string one_tensor(const std::string& facts) {
  return tensors(R"({"conv.bias": )" + facts + "}", std::string(8, '\0'));
}

/// Returns the first bytes of a checkpoint as torch.save writes them: an archive whose first member is a
/// pickle, or a pickle.
std::string checkpoint(bool archive) {
  return (archive ? std::string("PK\3\4\0\0\b\b\0\0", 10) + std::string(20, '\0') + "archive/data.pkl"
                  : std::string("\x80\2\x8a\nl\xfc\x9c")) +
         std::string(64, '\0');
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, HostileWeights,
                         testing::Values(Hostile{checkpoint(true), "is a PyTorch checkpoint"},
                                         Hostile{checkpoint(false),
                                                 "export the model with the Python package spira_export"}),
                         case_of);
INSTANTIATE_TEST_SUITE_P(Checkpoints, HostileNetwork,
                         testing::Values(Hostile{checkpoint(true), "is a PyTorch checkpoint"},
                                         Hostile{checkpoint(true) + std::string(17'000'000, '\0'),
                                                 "is a PyTorch checkpoint"}),
                         case_of);

INSTANTIATE_TEST_SUITE_P(
    Headers, HostileWeights,
    testing::Values(
        Hostile{"", "net.safetensors"}, Hostile{"\x02\0\0", "a .safetensors file has at least 8"},
        Hostile{tensors("{}", "", 3), "the header has 3 bytes, but only 2 bytes follow"},
        Hostile{tensors("{}", "", 1ULL << 63U), "the header has 9223372036854775808 bytes"},
        Hostile{tensors("{}", "", ~0ULL), "the header has 18446744073709551615 bytes"},
        Hostile{tensors("{}", "", 0), "header: the file is empty"},
        Hostile{tensors(R"({"conv.bias": {"dtype": "F3)"), "header: invalid JSON"},
        Hostile{tensors("[]"), "header: an array; expected a JSON object"},
        Hostile{tensors(std::string(100, '\xFE')), "header: invalid JSON at line 1, column 1"},
        Hostile{tensors(R"({"a": )" + repeated("[", 50'000)), "nested deeper than 40"},
        Hostile{tensors("{\"\xC0\xAF\": 1}"), "header: invalid JSON"},
        Hostile{tensors(R"({"conv.bias": 1, "conv.bias": 1})"), "header: conv.bias: the key occurs twice"},
        Hostile{tensors(R"({"a\nb": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}})"), "tensor a"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Tensors, HostileWeights,
    testing::Values(
        Hostile{one_tensor("null"), "tensor conv.bias: expected dtype, shape and data_offsets"},
        Hostile{one_tensor(R"({"shape": [2], "data_offsets": [0, 8]})"),
                "expected dtype, shape and data_offsets"},
        Hostile{one_tensor(R"({"dtype": 32, "shape": [2], "data_offsets": [0, 8]})"),
                "expected dtype, shape"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": 2, "data_offsets": [0, 8]})"),
                "shape must be an array"},
        Hostile{one_tensor(
                    R"({"dtype": "F32", "shape": [1, 1, 1, 1, 1, 1, 1, 1, 1, 2], "data_offsets": [0, 8]})"),
                "shape must be an array of up to 9 sizes"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})"),
                "a size is larger than"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": ["2"], "data_offsets": [0, 8]})"),
                "a size is larger than"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [18446744073709551615, 2], "data_offsets": [0, 8]})"),
                "a size is larger than the file"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [64, 64, 64, 64], "data_offsets": [0, 8]})"),
                "larger than the file"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})"),
                "data_offsets are invalid"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]})"),
                "beyond the end of the file"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [18446744073709551608, 0]})"),
                "data_offsets are invalid"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [0]})"), "must be [begin, end]"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]})"),
                "must be [begin, end]"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [0.0, 8.0]})"),
                "must be [begin, end]"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]})"),
                "do not match the shape"},
        Hostile{one_tensor(R"({"dtype": "F64", "shape": [2], "data_offsets": [0, 8]})"),
                "dtype F64, expected F32 or F16"},
        Hostile{one_tensor(R"({"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]})"),
                "dtype BF16, expected F32 or F16"},
        Hostile{one_tensor(R"({"dtype": ")" + std::string(5'000, 'F') +
                           R"(", "shape": [2], "data_offsets": [0, 8]})"),
                "expected F32 or F16"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})"),
                "tensor conv.bias has shape [0], expected [2]"},
        Hostile{one_tensor(R"({"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]})"),
                "tensor conv.bias has shape [1, 2], expected [2]"},
        Hostile{tensors(R"({"conv.bias": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                            "conv.copy": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})",
                        std::string(8, '\0')),
                "tensors overlap"},
        Hostile{tensors(R"({"conv.bias": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}})",
                        std::string("\0\x7C\0\0", 4)),
                "tensor conv.bias has NaN or infinite values: 1 of 2"}),
    case_of);

// The tests below read voxel files. They force the format, because a damaged file may not be detected.

class HostileVoxels : public testing::TestWithParam<Hostile> {};

TEST_P(HostileVoxels, AreRefusedInOneLine) {
  expect_refused(GetParam(), "voxels.safetensors", [](const std::filesystem::path& file) {
    Job job;
    static_cast<void>(load_scene(file, {"voxels"}, job));
  });
}

struct Array {
  std::string name, type, shape, data;
};

/// Returns a .safetensors file that contains these arrays.
std::string file_of(const std::vector<Array>& arrays) {
  std::string header, data;
  for (const Array& array : arrays) {
    header += (header.empty() ? "{\"" : ", \"") + array.name + R"(": {"dtype": ")" + array.type +
              R"(", "shape": )" + array.shape + R"(, "data_offsets": [)" + std::to_string(data.size()) +
              ", " + std::to_string(data.size() + array.data.size()) + "]}";
    data += array.data;
  }
  return tensors(header.empty() ? "{}" : header + "}", data);
}

template <class Number> std::string numbers(const std::vector<Number>& values) {
  std::string bytes;
  for (const Number value : values)
    put(bytes, value);
  return bytes;
}

const Array two_coords{"coords", "I32", "[2, 3]", numbers<std::int32_t>({0, 0, 0, 1, 2, 3})};
const Array two_features{"features", "F32", "[2, 1]", numbers<float>({1, 2})};

INSTANTIATE_TEST_SUITE_P(
    Tensors, HostileVoxels,
    testing::Values(
        Hostile{"", "is empty"}, Hostile{file_of({}), "tensor coords is missing"},
        Hostile{file_of({two_coords}), "tensor features is missing"},
        Hostile{file_of({two_features}), "tensor coords is missing"},
        Hostile{file_of({{"coords", "F32", "[2, 3]", std::string(24, '\0')}, two_features}),
                "tensor coords: dtype F32, expected I32 or I64"},
        Hostile{file_of({{"coords", "U32", "[2, 3]", std::string(24, '\0')}, two_features}), "dtype U32"},
        Hostile{file_of({{"coords", "I32", "[6]", std::string(24, '\0')}, two_features}),
                "tensor coords has shape [6]"},
        Hostile{file_of({{"coords", "I32", "[3, 2]", std::string(24, '\0')}, two_features}),
                "has shape [3, 2]"},
        Hostile{file_of({{"coords", "I32", "[2, 3, 1]", std::string(24, '\0')}, two_features}),
                "has shape [2, 3, 1]"},
        Hostile{file_of({{"coords", "I32", "[2, 3]", std::string(23, '\0')}, two_features}),
                "do not match the shape"},
        Hostile{file_of({{"coords", "I32", "[0, 3]", ""}, {"features", "F32", "[0, 1]", ""}}),
                "contains no voxels"},
        Hostile{file_of({{"coords", "I32", "[0, 3]", ""}, two_features}), "contains no voxels"},
        Hostile{file_of({two_coords, {"features", "F32", "[3, 1]", std::string(12, '\0')}}),
                "2 rows of coords, but 3 rows of features"},
        Hostile{file_of({two_coords, two_features, {"points", "I32", "[1, 3]", std::string(12, '\0')}}),
                "tensor points: dtype I32, expected F32"},
        Hostile{file_of({two_coords, two_features, {"points", "F32", "[3]", std::string(12, '\0')}}),
                "tensor points has shape [3], expected [points, 3] or [points, 4]"},
        Hostile{file_of({two_coords, two_features, {"points", "F32", "[0, 3]", ""}}), "points has 0 rows"},
        Hostile{file_of({two_coords, two_features, {"points", "F32", "[1, 4]", std::string(16, '\0')}}),
                "points has 4 columns, but coords has 3"},
        Hostile{file_of({two_coords, two_features, {"points", "F32", "[4611686018427387904, 3]", ""}}),
                "voxels.safetensors"},
        Hostile{file_of({two_coords,
                         two_features,
                         {"points", "F32", "[1, 3]",
                          numbers<float>({1, std::numeric_limits<float>::quiet_NaN(), 2})}}),
                "points[0] has a value that is NaN or infinite"},
        Hostile{
            file_of({two_coords, two_features, {"points", "F32", "[1, 3]", numbers<float>({1, -3e38F, 2})}}),
            "coordinates are limited to 2^30"},
        Hostile{
            file_of({two_coords, two_features, {"point_features", "F32", "[1, 1]", std::string(4, '\0')}}),
            "tensor point_features needs the tensor points"},
        Hostile{file_of({two_coords,
                         two_features,
                         {"points", "F32", "[1, 3]", std::string(12, '\0')},
                         {"point_features", "F32", "[2, 1]", std::string(8, '\0')}}),
                "1 rows of points, but 2 rows of point_features"},
        Hostile{file_of({two_coords, {"features", "F32", "[0, 1]", ""}}),
                "2 rows of coords, but 0 rows of features"},
        Hostile{file_of({two_coords, {"features", "F32", "[2, 0]", ""}}), "tensor features has shape [2, 0]"},
        Hostile{file_of({two_coords, {"features", "F32", "[2]", std::string(8, '\0')}}),
                "tensor features has shape [2]"},
        Hostile{file_of({two_coords, {"features", "I32", "[2, 1]", std::string(8, '\0')}}),
                "dtype I32, expected F32"},
        Hostile{file_of({two_coords, {"features", "F16", "[2, 4097]", std::string(2UL * 2 * 4097, '\0')}}),
                "with 1 to 4,096 channels"},
        Hostile{
            file_of({{"coords", "I32", "[2, 3]", numbers<std::int32_t>({5, -6, 7, 5, -6, 7})}, two_features}),
            "the voxel of row 0 occurs again in row 1"},
        Hostile{file_of({{"coords", "I64", "[2, 4]",
                          numbers<std::int64_t>({1LL << 40U, 0, 0, 0, 1LL << 41U, 1, 1, 1})},
                         two_features}),
                "coords[0] has batch index 1099511627776; expected 0 to 255"},
        Hostile{file_of({{"coords", "I64", "[2, 3]", numbers<std::int64_t>({0, 0, 0, 0, 1LL << 32U, 0})},
                         two_features}),
                "coords[1] is 4294967296; coordinates are limited to 2^30"},
        Hostile{file_of({{"coords", "I32", "[2, 3]",
                          numbers<std::int32_t>({0, 0, 0, 0, 0, std::numeric_limits<int>::min()})},
                         two_features}),
                "coords[1] is -2147483648"},
        Hostile{file_of({two_coords, {"features", "F16", "[2, 1]", std::string("\0\0\0\xFC", 4)}}),
                "features[1] has a value that is NaN or infinite"}),
    case_of);

class HostileArchive : public testing::TestWithParam<Hostile> {};

void expect_archive_refused(const Hostile& hostile) {
  expect_refused(hostile, "voxels.npz", [](const std::filesystem::path& file) {
    Job job;
    static_cast<void>(load_scene(file, {"npz"}, job));
  });
}

TEST_P(HostileArchive, IsRefusedInOneLine) {
  expect_archive_refused(GetParam());
}

/// A member of a zip archive without compression. A test may pass a wrong size, checksum or method.
struct ZipMember {
  std::string name, content;
  std::uint32_t plain = 0;  ///< 0 stands for the size of `content`.
  std::uint32_t crc = 0;    ///< 0 stands for the checksum of `content`.
  std::uint16_t method = 0;
};

std::string archive(const std::vector<ZipMember>& members, std::uint16_t count_shift = 0) {
  std::string all, directory;
  for (const ZipMember& member : members) {
    std::string common;
    put(common, member.method);
    put(common, 0U);
    put(common, member.crc != 0 ? member.crc : crc_of(member.content));
    put(common, static_cast<std::uint32_t>(member.content.size()));
    put(common, member.plain != 0 ? member.plain : static_cast<std::uint32_t>(member.content.size()));
    put(common, static_cast<std::uint16_t>(member.name.size()));
    put(common, std::uint16_t{0});
    const auto offset = static_cast<std::uint32_t>(all.size());
    all += std::string("PK\x03\x04\x14\0\0\0", 8) + common + member.name + member.content;
    directory += std::string("PK\x01\x02\x14\0\x14\0\0\0", 10) + common + std::string(10, '\0');
    put(directory, offset);
    directory += member.name;
  }
  std::string end("PK\x05\x06\0\0\0\0", 8);
  const auto count = static_cast<std::uint16_t>(members.size() + count_shift);
  put(end, count);
  put(end, count);
  put(end, static_cast<std::uint32_t>(directory.size()));
  put(end, static_cast<std::uint32_t>(all.size()));
  return all + directory + end + std::string(2, '\0');
}
/// Returns an NPY file with one element of this type. `type` is a Python literal.
std::string npy_of_type(const std::string& type, const std::string& data) {
  std::string header = "{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  put(bytes, static_cast<unsigned short>(header.size()));
  return bytes + header + data;
}
/// Returns an archive that contains the arrays "coords" and "features".
std::string voxels(const std::string& coords, const std::string& features) {
  return archive({{"coords.npy", coords}, {"features.npy", features}});
}

const std::string npy_coords = npy("<i4", "(2, 3)", two_coords.data);
const std::string npy_features = npy("<f4", "(2, 1)", two_features.data);

INSTANTIATE_TEST_SUITE_P(
    Arrays, HostileArchive,
    testing::Values(
        Hostile{voxels(npy("|O", "(2, 3)", "\x80\x04\x95 c os system"), npy_features), "pickle"},
        Hostile{voxels(npy_coords, npy("|O", "(2, 1)", "\x80\x04\x95 c os system")), "pickle"},
        Hostile{voxels(npy("<c16", "(2, 3)", std::string(96, '\0')), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<U4", "(2, 3)", std::string(96, '\0')), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<i4", "(6,)", two_coords.data), npy_features),
                "expected voxels x 3 or voxels x 4"},
        Hostile{voxels(npy("<i4", "(3, 2)", two_coords.data), npy_features),
                "expected voxels x 3 or voxels x 4"},
        Hostile{voxels(npy("<i4", "()", two_coords.data), npy_features), "expected voxels x 3 or voxels x 4"},
        Hostile{voxels(npy_coords, npy("<f4", "(2,)", two_features.data)), "expected voxels x channels"},
        Hostile{voxels(npy_coords, npy("<f4", "(2, 0)", "")), "expected voxels x channels"},
        Hostile{voxels(npy_coords, npy("<f4", "(3, 1)", std::string(12, '\0'))),
                "2 rows of coords, but 3 rows"},
        Hostile{voxels(npy("<i4", "(0, 3)", ""), npy("<f4", "(0, 1)", "")), "contains no voxels"},
        Hostile{voxels(npy("<i4", "(99999999999, 3)", two_coords.data), npy_features),
                "the array ends before its last value"},
        Hostile{voxels(npy("<i4", "(18446744073709551615, 3)", two_coords.data), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<i4", "(6148914691236517206, 3)", two_coords.data), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<i4", "(-2, 3)", two_coords.data), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<i4", "(2, 3)", two_coords.data.substr(0, 20)), npy_features), "voxels.npz"},
        Hostile{voxels(npy("<u8", "(2, 3)", numbers<std::uint64_t>({0, 0, 0, ~0ULL, 0, 0})), npy_features),
                "coordinates are limited to 2^30"},
        Hostile{voxels(npy_coords, npy("<f8", "(2, 1)", numbers<double>({1e300, 0}))),
                "features[0] has a value that is NaN or infinite"},
        Hostile{
            voxels(npy_of_type("[('a', [('b', [('c', '|V0', (1000000,))], (1000000,))], (1000000,))]", ""),
                   npy_features),
            "its elements contain no numbers"},
        Hostile{voxels(npy_of_type("[('x', '<f4', (1000000,)), ('y', '<f4', (1000000,))]", ""), npy_features),
                "elements larger than 1 MiB"},
        Hostile{voxels(npy_of_type("[('x', '<f4'), ('pad', '|U4611686018427387905')]", std::string(8, '\0')),
                       npy_features),
                "type 'U4611686018427387905', expected numbers"},
        Hostile{voxels(npy_of_type("[('x', '<f4', (-1,))]", ""), npy_features),
                "the size of a field is unknown or too large"},
        Hostile{voxels(npy_of_type(repeated("[", 5'000), ""), npy_features), "voxels.npz"},
        Hostile{voxels("\x93NUMPY\x09\x09\xFF\xFF{", npy_features), "voxels.npz"},
        Hostile{voxels(npy_coords.substr(0, 40), npy_features), "voxels.npz"},
        Hostile{voxels("", npy_features), "voxels.npz"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Members, HostileArchive,
    testing::Values(
        Hostile{archive({}), "NPZ"}, Hostile{"PK\x03\x04", "too short for a zip archive"},
        Hostile{voxels(npy_coords, npy_features).substr(0, 400), "no zip directory (truncated?)"},
        Hostile{archive({{"coords.npy", npy_coords}, {"features.npy", npy_features}}, 1), "zip directory is"},
        Hostile{archive({{"coords.npy", npy_coords, 4'294'967'294U}, {"features.npy", npy_features}}),
                "its compressed size differs from its size"},
        Hostile{archive({{"coords.npy", npy_coords, 4'294'967'295U}, {"features.npy", npy_features}}),
                "its compressed size differs from its size"},
        Hostile{archive({{"coords.npy", npy_coords, 0, 0xDEADBEEF}, {"features.npy", npy_features}}),
                "its checksum (CRC) differs"},
        Hostile{archive({{"coords.npy", npy_coords, 0, 0, 99}, {"features.npy", npy_features}}),
                "unsupported compression method"},
        Hostile{archive({{"coords.npy", npy_coords, 0, 0, 8}, {"features.npy", npy_features}}),
                "coords.npy: NPY: does not begin with an NPY signature"},
        Hostile{archive({{"\xFF\xFE\n.npy", npy("<f4", "(2,)", two_features.data)}}),
                "the NPZ file has no array of points"},
        Hostile{voxels(npy_of_type("[]", ""), npy_features), "its elements contain no numbers"}),
    case_of);

TEST(HugeArchives, AreRefusedInOneLine) {
  const std::string name = std::string(200, 'n') + ".npy";
  expect_archive_refused({archive(std::vector<ZipMember>(3'000, {name, "\x93NUMPY"})), "voxels.npz"});
  expect_archive_refused({archive(std::vector<ZipMember>(3'000, {name, npy("<f4", "(1,)", "1234")})),
                          "the NPZ file has no array of points"});
}

// Captures. The network is one_layer().

class HostileCapture : public testing::TestWithParam<Hostile> {};

TEST_P(HostileCapture, IsRefusedInOneLine) {
  expect_refused(GetParam(), "net.capture.safetensors", [](const std::filesystem::path& file) {
    static_cast<void>(read_capture(file, one_layer()));
  });
}

const Array rows_of_layer{"conv.rows", "I32", "[1]", numbers<std::int32_t>({2})};
const Array coords_of_layer{"conv.coords", "I32", "[2, 3]", two_coords.data};
const Array output_of_layer{"conv.output", "F32", "[2, 2]", std::string(16, '\0')};

/// Returns a capture with these tensors for the layer.
std::string capture(const Array& rows, const Array& coords, const Array& output,
                    std::vector<Array> more = {}) {
  more.insert(more.end(), {two_coords, two_features, rows, coords, output});
  return file_of(more);
}

class HostileCaptureOfPoints : public testing::TestWithParam<Hostile> {};

TEST_P(HostileCaptureOfPoints, IsRefusedInOneLine) {
  const Network network = parse_network(
      R"({"schema": "spira.network 2", "input": {"features": "file"}, "in_channels": 1, "layers": [{"name": "z", "op": "to_points"}]})",
      "net.json");
  expect_refused(GetParam(), "net.capture.safetensors",
                 [&](const std::filesystem::path& file) { static_cast<void>(read_capture(file, network)); });
}

/// Returns a capture of the layer z, whose rows are points.
std::string capture_of_points(std::int32_t rows, const Array& points) {
  return file_of({two_coords,
                  two_features,
                  {"z.rows", "I32", "[1]", numbers<std::int32_t>({rows})},
                  {"z.output", "F32", "[2, 1]", std::string(8, '\0')},
                  points});
}

INSTANTIATE_TEST_SUITE_P(
    Tensors, HostileCaptureOfPoints,
    testing::Values(Hostile{capture_of_points(2, two_coords), "net.capture.safetensors"},
                    Hostile{capture_of_points(2, {"z.coords", "I32", "[2, 3]", two_coords.data}),
                            "tensor z.points is missing"},
                    Hostile{
                        capture_of_points(2, {"z.points", "I32", "[2, 1]", numbers<std::int32_t>({0, 1})}),
                        "tensor z.points has shape [2, 1]"},
                    Hostile{capture_of_points(2, {"z.points", "I32", "[2]", numbers<std::int32_t>({1, 1})}),
                            "tensor z.points contains a point twice"},
                    Hostile{capture_of_points(1, {"z.points", "I32", "[2]", numbers<std::int32_t>({0, 1})}),
                            "tensor z.points has 2 rows, but z.rows is 1"}),
    case_of);

INSTANTIATE_TEST_SUITE_P(
    Tensors, HostileCapture,
    testing::Values(
        Hostile{"", "net.capture.safetensors"},
        Hostile{file_of({two_coords, two_features}), "contains no output of network one"},
        Hostile{file_of({two_coords, two_features, coords_of_layer, output_of_layer}),
                "tensor conv.rows is missing"},
        Hostile{file_of({two_coords, two_features, rows_of_layer, output_of_layer}),
                "tensor conv.coords is missing"},
        Hostile{capture({"conv.rows", "F32", "[1]", std::string(4, '\0')}, coords_of_layer, output_of_layer),
                "tensor conv.rows: dtype F32, expected I32"},
        Hostile{capture({"conv.rows", "I32", "[]", std::string(4, '\0')}, coords_of_layer, output_of_layer),
                "tensor conv.rows has shape [], expected [1]"},
        Hostile{capture({"conv.rows", "I32", "[0]", ""}, coords_of_layer, output_of_layer),
                "tensor conv.rows has shape [0], expected [1]"},
        Hostile{capture({"conv.rows", "I32", "[1]", numbers<std::int32_t>({-1})}, coords_of_layer,
                        output_of_layer),
                "tensor conv.rows is -1"},
        Hostile{capture({"conv.rows", "I32", "[1]", numbers<std::int32_t>({1})}, coords_of_layer,
                        output_of_layer),
                "tensor conv.coords has 2 rows, but conv.rows is 1"},
        Hostile{
            capture(rows_of_layer, {"conv.coords", "I64", "[2, 3]", std::string(48, '\0')}, output_of_layer),
            "tensor conv.coords: dtype I64, expected I32"},
        Hostile{
            capture(rows_of_layer, {"conv.coords", "I32", "[2, 5]", std::string(40, '\0')}, output_of_layer),
            "tensor conv.coords has shape [2, 5], expected [-1, 3]"},
        Hostile{
            capture(rows_of_layer, {"conv.coords", "I32", "[2, 4]", std::string(32, '\0')}, output_of_layer),
            "tensor conv.coords contains a voxel twice"},
        Hostile{capture(rows_of_layer, {"conv.coords", "I32", "[0, 3]", ""},
                        {"conv.output", "F32", "[0, 2]", ""}),
                "tensor conv.coords contains no voxels"},
        Hostile{capture(rows_of_layer,
                        {"conv.coords", "I32", "[2, 3]", numbers<std::int32_t>({4, 4, 4, 4, 4, 4})},
                        output_of_layer),
                "tensor conv.coords contains a voxel twice"},
        Hostile{
            capture(rows_of_layer, coords_of_layer, {"conv.output", "F16", "[2, 2]", std::string(8, '\0')}),
            "tensor conv.output: dtype F16, expected F32"},
        Hostile{
            capture(rows_of_layer, coords_of_layer, {"conv.output", "F32", "[3, 2]", std::string(24, '\0')}),
            "tensor conv.output has shape [3, 2], expected [2, 2]"},
        Hostile{
            capture(rows_of_layer, coords_of_layer, {"conv.output", "F32", "[2, 3]", std::string(24, '\0')}),
            "tensor conv.output has shape [2, 3], expected [2, 2]"},
        Hostile{
            capture(rows_of_layer, coords_of_layer,
                    {"conv.output", "F32", "[2, 2]", std::string(12, '\0') + std::string("\0\0\xC0\x7F", 4)}),
            "tensor conv.output has NaN or infinite values"},
        Hostile{capture(rows_of_layer, coords_of_layer, output_of_layer,
                        {{"conv.cells", "I32", "[3, 3]", std::string(36, '\0')}}),
                "tensor conv.cells has shape [3, 3], expected [2, 3]"},
        Hostile{capture({"conv.rows", "I32", "[1]", numbers<std::int32_t>({std::numeric_limits<int>::max()})},
                        coords_of_layer, output_of_layer, {{"conv.cells", "I32", "[0, 3]", ""}}),
                "tensor conv.cells has shape [0, 3], expected [2147483647, 3]"},
        Hostile{
            capture(rows_of_layer, coords_of_layer, output_of_layer, {{"other.output", "F32", "[0]", ""}}),
            "tensor other.output belongs to no layer of network one"}),
    case_of);

/// This test shows that correct files of the same kinds are accepted. Otherwise the rejected files would
/// prove nothing.
TEST(SoundFiles, AreAccepted) {
  const TempFolder folder;
  Job job;
  EXPECT_NO_THROW(static_cast<void>(read_network(folder.write("net.json", layer(R"("bias": true)")))));
  const std::string weights = file_of({{"conv.weight", "F32", "[27, 4, 2]", std::string(864, '\0')},
                                       {"conv.bias", "F32", "[2]", std::string(8, '\0')}});
  EXPECT_NO_THROW(static_cast<void>(read_safetensors(folder.write("net.safetensors", weights), one_layer())));
  EXPECT_NO_THROW(static_cast<void>(
      load_scene(folder.write("v.safetensors", file_of({two_coords, two_features})), {"voxels"}, job)));
  EXPECT_NO_THROW(
      static_cast<void>(load_scene(folder.write("v.npz", voxels(npy_coords, npy_features)), {"npz"}, job)));
  EXPECT_NO_THROW(static_cast<void>(read_capture(
      folder.write("c.safetensors", capture(rows_of_layer, coords_of_layer, output_of_layer)), one_layer())));
}

}  // namespace
}  // namespace spira::test
