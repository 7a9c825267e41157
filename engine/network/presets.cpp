#include "engine/base/error.hpp"
#include "engine/network/network.hpp"

#include <algorithm>
#include <array>

namespace spira {
namespace {

constexpr std::array<PresetFacts, 5> all_presets{{
    {"resn21", "SparseResNet-21"},
    {"minkunet42", "MinkUNet-42"},
    {"resnl20", "CenterPoint-Large-like, 20 layers"},
    {"fcgf", "FCGF, ResUNetBN2C"},
    {"sbnet", "SBNet, bird's-eye view backbone"},
}};

/// Adds layers to a network. Remembers the output channels of each layer, so that the presets need not repeat
/// them.
class Builder {
 public:
  Builder(std::string name, std::string title) {
    network_.name = std::move(name);
    network_.title = std::move(title);
  }

  struct Shape {
    int kernel_size = 3, stride = 1, out_channels = 0;
    bool transposed = false, relu = true;
    std::string residual{};
    bool batch_norm = true, bias = false;
  };

  std::string add(const std::string& name, const std::vector<std::string>& inputs, const Shape& shape) {
    Layer layer;
    layer.name = name;
    layer.inputs = inputs;
    layer.kernel_size = shape.kernel_size;
    layer.stride = shape.stride;
    layer.transposed = shape.transposed;
    layer.activation = shape.relu ? Activation::relu : Activation::none;
    layer.residual = shape.residual;
    layer.batch_norm = shape.batch_norm;
    layer.bias = shape.bias;
    layer.out_channels = shape.out_channels;
    for (const auto& input : inputs)
      layer.in_channels += channels(input);
    network_.layers.push_back(layer);
    return name;
  }

  /// Adds two convolutions and a shortcut to the network. The shortcut is a 1x1x1 layer if the number of
  /// channels changes.
  std::string residual_block(const std::string& name, const std::vector<std::string>& inputs, int kernel_size,
                             int out_channels) {
    int in_channels = 0;
    for (const auto& input : inputs)
      in_channels += channels(input);
    std::string shortcut = inputs.front();
    if (inputs.size() > 1 || in_channels != out_channels) {
      shortcut = add(name + ".shortcut", inputs, {1, 1, out_channels, false, false});
    }
    const auto first = add(name + ".conv1", inputs, {kernel_size, 1, out_channels});
    return add(name + ".conv2", {first}, {kernel_size, 1, out_channels, false, true, shortcut});
  }

  [[nodiscard]] int channels(const std::string& name) const {
    const int index = network_.index_of(name);
    return index < 0 ? network_.in_channels : network_.layers[static_cast<std::size_t>(index)].out_channels;
  }
  [[nodiscard]] Network take() { return std::move(network_); }

 private:
  Network network_;
};

Network resnet(std::string name, std::string title, int kernel_size, const std::vector<int>& widths) {
  Builder build(std::move(name), std::move(title));
  std::string at = "input";
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    const std::string prefix = "stage" + std::to_string(stage + 1);
    at = build.add(prefix + ".conv", {at}, {kernel_size, stage == 0 ? 1 : 2, widths[stage]});
    at = build.residual_block(prefix + ".block1", {at}, kernel_size, widths[stage]);
    at = build.residual_block(prefix + ".block2", {at}, kernel_size, widths[stage]);
  }
  return build.take();
}

/// Returns a network like SparseResNet21D of TorchSparse. The last layer of the original has a (1, 3, 1)
/// kernel with stride (1, 2, 1). Here, the last layer is cubic.
Network resn21() {
  Network network = resnet("resn21", "SparseResNet-21 (cubic last layer)", 3, {16, 32, 64, 128});
  Layer last;
  last.name = "out.conv";
  last.inputs = {network.layers.back().name};
  last.stride = 2;
  last.in_channels = last.out_channels = 128;
  network.layers.push_back(last);
  return network;
}

Network minkunet42() {
  Builder build("minkunet42", "MinkUNet-42");
  std::string at = build.add("stem.conv1", {"input"}, {3, 1, 32});
  at = build.add("stem.conv2", {at}, {3, 1, 32});
  std::vector<std::string> skips{at};
  const std::array<int, 4> encoder{32, 64, 128, 256};
  for (std::size_t stage = 0; stage < encoder.size(); ++stage) {
    const std::string prefix = "encoder" + std::to_string(stage + 1);
    at = build.add(prefix + ".down", {at}, {2, 2, build.channels(at)});
    at = build.residual_block(prefix + ".block1", {at}, 3, encoder.at(stage));
    at = build.residual_block(prefix + ".block2", {at}, 3, encoder.at(stage));
    skips.push_back(at);
  }
  skips.pop_back();
  const std::array<int, 4> decoder{256, 128, 96, 96};
  for (std::size_t stage = 0; stage < decoder.size(); ++stage) {
    const std::string prefix = "decoder" + std::to_string(stage + 1);
    at = build.add(prefix + ".up", {at}, {2, 2, decoder.at(stage), true});
    at = build.residual_block(prefix + ".block1", {at, skips.back()}, 3, decoder.at(stage));
    at = build.residual_block(prefix + ".block2", {at}, 3, decoder.at(stage));
    skips.pop_back();
  }
  return build.take();
}

/// Returns ResUNetBN2C of FCGF (model/resunet.py), with the default size of its first kernel, but with the 4
/// input features of a scene.
Network fcgf() {
  Builder build("fcgf", "FCGF, ResUNetBN2C");
  std::string at = "input";
  std::vector<std::string> skips;
  const std::array<int, 4> down{32, 64, 128, 256};
  for (std::size_t stage = 0; stage < down.size(); ++stage) {
    const std::string number = std::to_string(stage + 1);
    const bool first = stage == 0;
    at = build.add("conv" + number, {at}, {first ? 5 : 3, first ? 1 : 2, down.at(stage), false, false});
    at = build.residual_block("block" + number, {at}, 3, down.at(stage));
    skips.push_back(at);
  }
  skips.pop_back();
  std::vector<std::string> inputs{at};
  const std::array<int, 3> up{128, 64, 64};
  for (std::size_t stage = 0; stage < up.size(); ++stage) {
    const std::string name = std::to_string(down.size() - stage) + "_tr";
    at = build.add("conv" + name, inputs, {3, 2, up.at(stage), true, false});
    at = build.residual_block("block" + name, {at}, 3, up.at(stage));
    inputs = {at, skips.back()};
    skips.pop_back();
  }
  at = build.add("conv1_tr", inputs, {1, 1, 64, false, true, "", false});
  build.add("final", {at}, {1, 1, 32, false, false, "", false, true});
  return build.take();
}

/// Returns the backbone of the detector of SBNet (section 4.2 of the paper) for the bird's-eye view of KITTI,
/// without the two layers that up-sample its result.
Network sbnet() {
  Network network;
  network.name = "sbnet";
  network.title = "SBNet, bird's-eye view backbone";
  network.space = NetworkSpace::bev;
  network.in_channels = 23;
  const auto add = [&](const std::string& name, int kernel_size, int stride, int out_channels,
                       const std::string& unit = {}, const std::string& residual = {}) {
    Layer layer;
    layer.name = name;
    layer.inputs = {network.layers.empty() ? "input" : network.layers.back().name};
    layer.kernel_size = {kernel_size, kernel_size, 1};
    layer.stride = {stride, stride, 1};
    layer.in_channels = network.layers.empty() ? network.in_channels : network.layers.back().out_channels;
    layer.out_channels = out_channels;
    layer.unit = unit;
    layer.residual = residual;
    network.layers.push_back(std::move(layer));
  };
  struct Stage {
    int units, channels;
  };
  constexpr std::array<Stage, 4> stages{{{3, 96}, {6, 192}, {6, 256}, {3, 384}}};
  constexpr int narrowing = 4;
  add("conv1.1", 3, 1, 32);
  add("conv1.2", 3, 2, stages[0].channels);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const auto [units, channels] = stages.at(stage);
    const std::string prefix = "conv" + std::to_string(stage + 2);
    if (stage > 0) add(prefix + ".down", 3, 2, channels);
    for (int at = 1; at <= units; ++at) {
      const std::string unit = prefix + ".unit" + std::to_string(at), input = network.layers.back().name;
      add(unit + ".in", 1, 1, channels / narrowing, unit);
      add(unit + ".mid", 3, 1, channels / narrowing, unit);
      add(unit + ".out", 1, 1, channels, unit, input);
    }
  }
  return network;
}

}  // namespace

std::span<const PresetFacts> network_presets() noexcept {
  return all_presets;
}

Network network_preset(std::string_view id) {
  if (id == "resn21") return resn21();
  if (id == "minkunet42") return minkunet42();
  if (id == "resnl20") return resnet("resnl20", "CenterPoint-Large-like, K = 5", 5, {16, 32, 64, 128});
  if (id == "fcgf") return fcgf();
  if (id == "sbnet") return sbnet();
  std::string choices;
  for (const auto& preset : all_presets)
    choices += (choices.empty() ? "" : ", ") + std::string(preset.id);
  throw Error(ErrorKind::usage, "network '" + std::string(id) + "': expected " + choices + " or a JSON file");
}

Network network_by_name_or_file(const std::string& text) {
  const bool preset = std::any_of(all_presets.begin(), all_presets.end(),
                                  [&](const PresetFacts& facts) { return facts.id == text; });
  // A text that looks like a path is a missing file, and another one is a misspelt id.
  const std::filesystem::path path(text);
  const bool names_file = path.has_parent_path() || path.has_extension() || std::filesystem::exists(path);
  return !preset && names_file ? read_network(path) : network_preset(text);
}

Network single_layer_network(PerAxis kernel_size, int stride, int in_channels, int out_channels) {
  Network network;
  network.name = network.title = "layer";
  // Scenes have 4 channels. If the network has another number, a linear layer comes first.
  if (in_channels != network.in_channels) {
    Layer widen;
    widen.name = "widen";
    widen.inputs = {"input"};
    widen.kernel_size = 1;
    widen.in_channels = network.in_channels;
    widen.out_channels = in_channels;
    network.layers.push_back(widen);
  }
  Layer layer;
  layer.name = "conv";
  layer.inputs = {network.layers.empty() ? "input" : "widen"};
  layer.kernel_size = kernel_size;
  layer.stride = stride;
  layer.in_channels = in_channels;
  layer.out_channels = out_channels;
  network.layers.push_back(layer);
  if (const auto found = faults(network); !found.empty()) throw Error(ErrorKind::usage, found.front());
  return network;
}

}  // namespace spira
