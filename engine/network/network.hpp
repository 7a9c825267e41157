// A sparse convolution network as data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// y = ReLU(BN(conv(concat(inputs))) + residual); BN, residual and ReLU are optional.
/// kernel_size 1 is a linear layer. A transposed layer (up-sampling) takes the kernel map of the matching
/// down-sampling layer (same K, same two strides) with input and output exchanged: no new search.
struct Layer {
  std::string name;
  std::vector<std::string>
      inputs;           ///< names of earlier layers or "input"; several are concatenated along channels
  int kernel_size = 3;  ///< 1, 2, 3, 5, 7
  int stride = 1;       ///< down-sampling factor (up-sampling factor where transposed), 1 = submanifold
  bool transposed = false;
  int in_channels = 0, out_channels = 0;  ///< in: the sum over `inputs`
  bool batch_norm = true, relu = true, bias = false;
  std::string residual;  ///< name of the layer whose output is added before the ReLU; empty: none
};

struct Network {
  std::string name, title;
  int in_channels = 4;
  std::vector<Layer> layers;                                          ///< in order of execution
  [[nodiscard]] int index_of(std::string_view layer) const noexcept;  ///< -1: none
};

/// All faults at once, each "layers[3].inputs[0]: no earlier layer is called 'conv9'"; empty: sound.
[[nodiscard]] std::vector<std::string> faults(const Network& network);

/// Reads JSON (docs/network-files.md). Throws Error(input) "FILE: layers[2].kernel_size: 4 is not one of 1,
/// 2, 3, 5, 7"; unknown keys are faults too.
[[nodiscard]] Network read_network(const std::filesystem::path& file);
[[nodiscard]] Network parse_network(std::string_view json, std::string_view file_name);
[[nodiscard]] std::string network_json(const Network& network);

/// The three built-in networks. samples/networks/NAME.json holds the same, and a test keeps them equal.
struct PresetFacts {
  std::string_view id, title;  ///< "minkunet42", "MinkUNet-42"
};
[[nodiscard]] std::span<const PresetFacts> network_presets() noexcept;
[[nodiscard]] Network network_preset(std::string_view id);  ///< throws Error(usage) naming the choices
[[nodiscard]] Network network_by_name_or_file(const std::string& text);  ///< preset id, else a path

/// One layer alone as a network: what `spira layer` and sweeps of a single layer run.
[[nodiscard]] Network single_layer_network(int kernel_size, int stride, int in_channels, int out_channels);

}  // namespace spira
