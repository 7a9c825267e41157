// Weights of a network: seeded or from a .safetensors file, batch norm folded.
#pragma once

#include "engine/network/network.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Host weights of one layer after folding: y = sum_k x W_k + bias.
struct LayerWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  std::vector<float> weight;  ///< [K^3][C_in][C_out], columns as in KernelOffsets
  std::vector<float> bias;    ///< [C_out], zeros where the layer has neither bias nor batch norm
};

struct BatchNorm {
  std::vector<float> gamma, beta, mean, variance;  ///< [C_out] each
  float epsilon = 1e-5F;
};
/// weight * gamma / sqrt(variance + epsilon), bias' = (bias - mean) * gamma / sqrt(..) + beta.
void fold(const BatchNorm& norm, LayerWeights& weights);

struct NetworkWeights {
  std::vector<LayerWeights> layers;  ///< one a layer of the network
  std::string source;                ///< "seeded He, seed 1" or the file name
};

/// That the weights with this source were drawn with; empty: they are of a file.
[[nodiscard]] std::optional<std::uint64_t> seed_of(std::string_view source);

/// He initialisation, N(0, 2 / (C_in K^3 * typical density share)); batch norm parameters are drawn too and
/// folded. The same on every platform. Throws Error(does_not_fit) where the memory is too small for them, and
/// Error(cancelled) within milliseconds of a stop.
[[nodiscard]] NetworkWeights seeded_weights(const Network& network, std::uint64_t seed,
                                            const std::stop_token& stop = {});

/// Reads the tensors "LAYER.weight", "LAYER.bias" and "LAYER.bn.*" that docs/network-files.md lists. Throws
/// one Error(input) that names the file and each tensor that is missing, belongs to no layer, or has another
/// shape, another type, NaN, infinite values or a negative variance; the first five and the number of others.
[[nodiscard]] NetworkWeights read_safetensors(const std::filesystem::path& file, const Network& network);
/// Writes weight and bias of each layer, with the batch norm folded, so that read_safetensors() reads them
/// back for the same network.
void write_safetensors(const std::filesystem::path& file, const Network& network,
                       const NetworkWeights& weights);

}  // namespace spira
