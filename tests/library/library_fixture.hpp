// Writes small networks, weights and scenes for the tests of the library.
#pragma once

#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <spira/runner.hpp>
#include <string>
#include <utility>
#include <vector>

namespace spira::test {

/// A tensor of a weight file.
struct WeightArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Returns the bytes of a .safetensors file.
inline std::string weight_bytes(const std::vector<WeightArray>& arrays) {
  std::string header = "{", data;
  for (const WeightArray& array : arrays) {
    std::string shape;
    for (const std::int64_t length : array.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(length);
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
    header += (header.size() == 1 ? "\"" : ",\"") + array.name + R"(":{"dtype":"F32","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  const std::uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

/// A U-Net of five layers that reads x, y, z and intensity.
constexpr const char* little_network = R"({"schema": "spira.network 2", "name": "little", "layers": [
  {"name": "stem", "out_channels": 8},
  {"name": "down", "kernel_size": 2, "stride": 2, "out_channels": 8},
  {"name": "deep", "out_channels": 16},
  {"name": "up", "kernel_size": 2, "stride": 2, "transposed": true, "out_channels": 8},
  {"name": "join", "inputs": ["up", "stem"], "out_channels": 6}], "outputs": ["deep", "join"]})";

/// Returns `count` points in a cube of 10 m, with intensities.
inline Scene random_scene(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> position(0, 10), intensity(0, 1);
  std::vector<float> positions, intensities;
  for (std::int64_t at = 0; at < count; ++at) {
    for (int axis = 0; axis < 3; ++axis)
      positions.push_back(position(random));
    intensities.push_back(intensity(random));
  }
  return Scene::points(Tensor::view(positions, {count, 3}), Tensor::view(intensities, {count}));
}

constexpr std::array<double, 3> half_metre{0.5, 0.5, 0.5};

/// Options for a model on the CPU.
inline ModelOptions on_cpu(int threads = 1) {
  ModelOptions options;
  options.device = {DeviceKind::cpu, threads};
  return options;
}

class Library : public testing::Test {
 protected:
  [[nodiscard]] Network network(const std::string& json) const {
    return Network(folder_.write("network.json", json).string());
  }
  [[nodiscard]] Model little() const { return Model(network(little_network), on_cpu()); }

  TempFolder folder_;
};

template <class T> std::vector<T> copy_of(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

}  // namespace spira::test
