// Declares `Gradients`, the interface of the kernels that training needs in addition to those of `Backend`.
#pragma once

#include "engine/backend/backend.hpp"

#include <vector>

namespace spira {

/// The fp32 weights of one layer, or their gradients, in the memory of a back end. The order is that of
/// LayerWeights on every back end.
struct MasterWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  Buffer weight;  ///< Shape: [K^3][C_in][C_out], fp32.
  Buffer bias;    ///< Shape: [C_out], fp32.
};

struct WgradRequest {
  /// True if the layer is transposed, as in ConvRequest.
  bool transposed = false;
  /// The result is multiplied by this factor, the reciprocal of the loss scale.
  float factor = 1;
};

/// A range of channels of features.
struct ChannelSlice {
  const Features* of = nullptr;
  int first = 0, channels = 0;

  [[nodiscard]] static ChannelSlice all_of(const Features& features) {
    return {&features, 0, features.channels};
  }
};

/// Computes gradients. The gradient with respect to the inputs of a layer (dgrad) needs no function here: it
/// is Backend::convolve() with weights of another form (see WeightForm). Sums are computed in fp32 (in double
/// precision by the reference), in an order that depends neither on the threads nor on the run. The calls
/// follow the rules of Backend. Each call records inner stages:
/// - wgrad: order, if lists of the map are built, and reduce, if partial sums are added;
/// - accumulate: gate.
/// The caller opens the outer stages "repack[..]", "dgrad[..]" and "wgrad[..]".
class Gradients {
 public:
  Gradients() = default;
  virtual ~Gradients() = default;
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

  /// Computes the gradient with respect to the weights and the bias of a layer: dW_k is the sum of x_j^T g_i
  /// over all pairs (output i, input j) of column k, and db is the sum of all g_i. `in` contains the inputs x
  /// of the layer, and `out_gradient` the gradient g with respect to its sums, before the residual and the
  /// ReLU are applied. The parts of the map can have any layout.
  virtual MasterWeights wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                              const WgradRequest& request, Job& job) = 0;
  /// Adds slices with the same rows, channels and precision. If `gate` is not `nullptr`, a value of the
  /// result is 0 where `gate` is not above 0. This is the gradient of a ReLU with the output `gate`. The
  /// gradient of one of several joined inputs is a slice.
  virtual Features accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) = 0;
  /// Converts weights to the precision and the layout that convolve() reads. The result is the same as that
  /// of Backend::upload_weights() for in_form(weights, form).
  virtual UploadedWeights repack(const MasterWeights& weights, WeightForm form, Precision precision,
                                 Job& job) = 0;
  /// Returns how much memory wgrad() needs for a layer while it runs, in addition to its arguments and its
  /// result, in bytes.
  [[nodiscard]] virtual std::size_t wgrad_memory(const MemoryShape& layer) const = 0;
  /// Returns the size of the weights that repack() returns for a layer with these channels, in bytes.
  [[nodiscard]] virtual std::size_t packed_bytes(const MemoryShape& layer) const;
};

/// Throws `Error(internal)` if the map and the features do not match.
void require_sound(const KernelMap& map, const Features& in, const Features& out_gradient,
                   const WgradRequest& request);
/// Throws `Error(internal)` if `parts` is empty, if a slice exceeds its features, or if the parts and the
/// gate have different shapes.
void require_sound(const std::vector<ChannelSlice>& parts, const Features* gate);

}  // namespace spira
