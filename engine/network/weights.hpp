// Provides the weights of a network: random weights from a seed, or weights from a .safetensors file. Batch
// norm is folded into the weights.
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

/// The weights of one layer in host memory, including the folded batch norm: y = sum_k x W_k + bias. Layers
/// that are not convolutions have 0 columns, no weight and no bias.
struct LayerWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  std::vector<float> weight;  ///< Shape: [K^3][C_in][C_out]. The columns are in the order of KernelOffsets.
  std::vector<float> bias;    ///< Shape: [C_out]. All zeros if the layer has neither bias nor batch norm.
  /// A factor and a summand for each channel if Layer::has_scale() is true, otherwise empty. Shape: [C_out].
  std::vector<float> scale{}, shift{};
};

/// How a pass reads the weights of a layer. The gradient with respect to the inputs (dgrad) is a convolution
/// of the gradient with respect to the outputs, with transposed weights.
enum class WeightForm : std::uint8_t {
  forward,     ///< Has the form of LayerWeights.
  transposed,  ///< Each W_k is transposed, with the shape [C_out][C_in]. The bias is 0.
  /// Like `transposed`, but column k contains the weights of column K^3-1-k. The kernel map of a submanifold
  /// layer with a centred kernel is its own transpose if its columns are reversed, so dgrad reads the map of
  /// the layer with these weights.
  reversed
};
/// Returns the weights in this form, without scale and shift.
[[nodiscard]] LayerWeights in_form(const LayerWeights& weights, WeightForm form);

struct BatchNorm {
  std::vector<float> gamma, beta, mean, variance;  ///< The shape of each is [C_out].
  float epsilon = 1e-5F;
};
/// Folds a batch norm into weights:
/// - weight' = weight * gamma / sqrt(variance + epsilon),
/// - bias' = (bias - mean) * gamma / sqrt(variance + epsilon) + beta.
void fold(const BatchNorm& norm, LayerWeights& weights);
/// Stores a batch norm that is not folded as `scale` and `shift`.
void set_scale(const BatchNorm& norm, LayerWeights& weights);

struct NetworkWeights {
  std::vector<LayerWeights> layers;
  std::string source;             ///< "seeded He, seed 1", or the name of the file.
  std::uint64_t fingerprint = 0;  ///< Hash of the file. 0 for random weights.
};

/// Returns the seed in a source such as "seeded He, seed 1", or an empty optional for weights from a file.
[[nodiscard]] std::optional<std::uint64_t> seed_of(std::string_view source);

/// Draws random weights by He initialisation, N(0, 2 / (C_in K^3 * typical density share)). Also draws
/// batch-norm parameters and folds them into the weights. The result is the same on every platform. Throws
/// `Error(does_not_fit)` if there is too little memory, and `Error(cancelled)` within milliseconds after a
/// stop request.
[[nodiscard]] NetworkWeights seeded_weights(const Network& network, std::uint64_t seed,
                                            const std::stop_token& stop = {});

/// Draws weights and a bias for one layer with any number of columns, like seeded_weights(), and throws the
/// same errors. `terms` is the typical number of columns that contribute to an output.
[[nodiscard]] LayerWeights seeded_layer(const std::string& name, int columns, int in_channels,
                                        int out_channels, double terms, std::uint64_t seed,
                                        const std::stop_token& stop = {});
/// Returns the text of NetworkWeights::source for random weights.
[[nodiscard]] std::string seeded_source(std::uint64_t seed);

/// Reads the tensors "LAYER.weight", "LAYER.bias" and "LAYER.bn.*" (docs/network-files.md). A tensor is
/// faulty if it is missing, belongs to no layer, has another shape or type, or contains NaN, infinite values
/// or a negative variance. Throws one `Error(input)` for all faulty tensors; the message contains the file
/// name, the first five faults and the number of the others.
[[nodiscard]] NetworkWeights read_safetensors(const std::filesystem::path& file, const Network& network);
/// Reads only the tensors of one layer. Throws the same errors as read_safetensors().
[[nodiscard]] NetworkWeights read_layer_weights(const std::filesystem::path& file, const Layer& layer);
/// Returns true for a .safetensors file without a tensor "coords". A file with this tensor is a voxel file.
/// Reads only the header. Returns false if the file cannot be read.
[[nodiscard]] bool is_weights_file(const std::filesystem::path& file);
/// Writes the weights and the bias of each layer with the batch norm folded in. read_safetensors() can read
/// the file for the same network.
void write_safetensors(const std::filesystem::path& file, const Network& network,
                       const NetworkWeights& weights);

}  // namespace spira
