#include "engine/network/network.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace spira {
namespace {

/// The channels and the stride of an output of a layer or of the input of the network.
struct Source {
  int channels = 0, stride = 1;
};

class Checker {
 public:
  explicit Checker(const Network& network) : network_(network) {
    sources_["input"] = {network.in_channels, 1};
  }

  std::vector<std::string> run() {
    check_input();
    if (network_.layers.empty()) fault("layers", "a network needs at least one layer");
    for (std::size_t at = 0; at < network_.layers.size(); ++at)
      check(network_.layers[at], at);
    return faults_;
  }

 private:
  void fault(const std::string& path, const std::string& text) { faults_.push_back(path + ": " + text); }

  void check_input() {
    const auto listed = static_cast<int>(network_.features.size());
    constexpr int max_channels = 4'096;
    if (network_.features_from_file) {
      if (network_.in_channels < 1 || network_.in_channels > max_channels)
        fault("in_channels", std::to_string(network_.in_channels) + " is not in 1..4096");
    } else if (listed > 0 && network_.in_channels != listed) {
      fault("in_channels",
            std::to_string(network_.in_channels) + ", but input.features lists " + std::to_string(listed));
    } else if (listed == 0 && network_.in_channels != 4) {
      fault("in_channels", std::to_string(network_.in_channels) +
                               ", but without input.features a scene has 4 (x, y, z, intensity)");
    }
  }

  void check(const Layer& layer, std::size_t at) {
    const std::string path = "layers[" + std::to_string(at) + "]";
    if (layer.name.empty()) fault(path + ".name", "must not be empty");
    if (sources_.contains(layer.name))
      fault(path + ".name", "'" + shortened(layer.name) + "' is already used");
    static const std::set<int> sizes{1, 2, 3, 5, 7};
    if (!sizes.contains(layer.kernel_size)) {
      fault(path + ".kernel_size", std::to_string(layer.kernel_size) + " is not one of 1, 2, 3, 5, 7");
    }
    static const std::set<int> strides{1, 2, 4, 8, 16};
    if (!strides.contains(layer.stride)) {
      fault(path + ".stride", std::to_string(layer.stride) + " is not one of 1, 2, 4, 8, 16");
    }
    constexpr int max_channels = 65'536;
    if (layer.out_channels < 1 || layer.out_channels > max_channels) {
      fault(path + ".out_channels", std::to_string(layer.out_channels) + " is not in 1..65536");
    }
    if (layer.kernel_size == 1 && layer.stride != 1)
      fault(path + ".stride", "a layer with kernel size 1 must have stride 1");
    if (layer.transposed && layer.stride == 1)
      fault(path + ".stride", "a transposed layer needs a stride of 2 or more");
    const int stride_in = check_inputs(layer, path);
    const int stride_out = check_stride(layer, path, stride_in);
    check_residual(layer, path, stride_out);
    sources_[layer.name] = {layer.out_channels, stride_out};
  }

  int check_inputs(const Layer& layer, const std::string& path) {
    if (layer.inputs.empty()) fault(path + ".inputs", "a layer needs at least one input");
    constexpr std::size_t max_inputs = 64;
    if (layer.inputs.size() > max_inputs) {
      fault(path + ".inputs", std::to_string(layer.inputs.size()) + " inputs; the limit is 64");
      return 1;
    }
    int channels = 0, stride = 0;
    for (std::size_t at = 0; at < layer.inputs.size(); ++at) {
      const auto here = path + ".inputs[" + std::to_string(at) + "]";
      const auto found = sources_.find(layer.inputs[at]);
      if (found == sources_.end()) {
        fault(here, "no earlier layer is called '" + shortened(layer.inputs[at]) + "'");
        return 1;
      }
      channels += found->second.channels;
      if (stride != 0 && stride != found->second.stride) {
        fault(here, "'" + shortened(layer.inputs[at]) + "' has stride " +
                        std::to_string(found->second.stride) + ", but the previous inputs have stride " +
                        std::to_string(stride));
      }
      stride = found->second.stride;
    }
    if (layer.in_channels != channels) {
      fault(path + ".in_channels", std::to_string(layer.in_channels) + ", but its inputs have " +
                                       std::to_string(channels) + " channels in total");
    }
    return std::max(1, stride);
  }

  int check_stride(const Layer& layer, const std::string& path, int stride_in) {
    if (!layer.transposed) {
      const int stride_out = stride_in * layer.stride;
      if (stride_out > 16)
        fault(path + ".stride",
              "the output would have stride " + std::to_string(stride_out) + "; the limit is 16");
      if (layer.stride > 1) down_maps_.insert({layer.kernel_size, stride_in, stride_out});
      return std::min(stride_out, 16);  // Limited, because the product over many layers can overflow.
    }
    if (layer.stride > stride_in) {
      fault(path + ".stride", "cannot up-sample by " + std::to_string(layer.stride) + " from stride " +
                                  std::to_string(stride_in));
      return 1;
    }
    const int stride_out = stride_in / std::max(1, layer.stride);
    if (!down_maps_.contains({layer.kernel_size, stride_out, stride_in})) {
      fault(path + ".transposed", "no earlier layer of kernel size " + std::to_string(layer.kernel_size) +
                                      " goes from stride " + std::to_string(stride_out) + " to " +
                                      std::to_string(stride_in) + ", so no kernel map can be reused");
    }
    return stride_out;
  }

  void check_residual(const Layer& layer, const std::string& path, int stride_out) {
    if (layer.residual.empty()) return;
    const auto found = sources_.find(layer.residual);
    if (found == sources_.end()) {
      fault(path + ".residual", "no earlier layer is called '" + shortened(layer.residual) + "'");
    } else if (found->second.channels != layer.out_channels || found->second.stride != stride_out) {
      fault(path + ".residual",
            "'" + shortened(layer.residual) + "' has " + std::to_string(found->second.channels) +
                " channels at stride " + std::to_string(found->second.stride) + ", but this layer has " +
                std::to_string(layer.out_channels) + " at stride " + std::to_string(stride_out));
    }
  }

  const Network& network_;
  std::map<std::string, Source> sources_;
  std::set<std::array<int, 3>> down_maps_;
  std::vector<std::string> faults_;
};

}  // namespace

int Network::index_of(std::string_view layer) const noexcept {
  const auto found =
      std::find_if(layers.begin(), layers.end(), [&](const Layer& l) { return l.name == layer; });
  return found == layers.end() ? -1 : static_cast<int>(found - layers.begin());
}

std::vector<std::string> faults(const Network& network) {
  return Checker(network).run();
}

std::vector<int> last_readers(const Network& network) {
  std::vector<int> last(network.layers.size(), -1);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    auto names = network.layers[at].inputs;
    names.push_back(network.layers[at].residual);
    for (const auto& name : names) {
      if (const int input = network.index_of(name); input >= 0)
        last[static_cast<std::size_t>(input)] = static_cast<int>(at);
    }
  }
  return last;
}

Levels levels_of(const Network& network) {
  if (const auto found = faults(network); !found.empty()) {
    throw Error(ErrorKind::input, "network " + network.name + ": " + found.front());
  }
  Levels levels;
  std::set<int> strides{1};
  std::unordered_map<std::string_view, int> stride_of{{"input", 1}};
  for (const Layer& layer : network.layers) {
    LayerLevels here;
    here.stride_in = stride_of.at(layer.inputs.front());
    here.stride_out = layer.transposed ? here.stride_in / layer.stride : here.stride_in * layer.stride;
    here.transposed = layer.transposed;
    here.map = {layer.kernel_size, std::min(here.stride_in, here.stride_out),
                std::max(here.stride_in, here.stride_out)};
    stride_of[layer.name] = here.stride_out;
    strides.insert(here.stride_out);
    if (std::find(levels.maps.begin(), levels.maps.end(), here.map) == levels.maps.end())
      levels.maps.push_back(here.map);
    levels.max_kernel_size = std::max(levels.max_kernel_size, layer.kernel_size);
    levels.layers.push_back(here);
  }
  levels.strides.assign(strides.begin(), strides.end());
  levels.max_stride = levels.strides.back();
  return levels;
}

}  // namespace spira
