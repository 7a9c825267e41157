// Computes the gradients of a network: the backward pass of a training step. A training step converts the
// weights, runs the network, keeps the outputs of all layers, and then computes the gradients of all layers.
// Optimizers are not included.
#pragma once

#include "engine/backend/gradients.hpp"
#include "engine/backend/passes.hpp"
#include "engine/measure/sampling.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

class Session;
struct Measurement;
struct MemoryForecast;

constexpr int usual_loss_scale = 1024, max_loss_scale = 1 << 30;
/// Returns true for a power of two from 1 to max_loss_scale.
[[nodiscard]] constexpr bool is_loss_scale(std::int64_t value) noexcept {
  return value >= 1 && value <= max_loss_scale && (value & (value - 1)) == 0;
}

struct TrainingRequest {
  /// The first gradient is multiplied by this power of two, so that gradients do not become 0 in fp16. The
  /// gradients of the weights are divided by it.
  int loss_scale = 1;
  /// The gradient of the loss with respect to the output of the network. Shape: [rows][channels]. If it is
  /// empty, each output has a random gradient, N(0, 1) * 1e-3.
  std::vector<float> first_gradient{};
  std::uint64_t seed = 1;       ///< The seed of random gradients.
  bool keep_gradients = false;  ///< If true, the result contains LayerGradients::sum.
};

/// The gradients of one layer, in the memory of the back end.
struct LayerGradients {
  /// The dataflows of the two passes. Empty if a pass did not run: layers that read only the input of the
  /// network have no dgrad, and layers on which no output depends have neither.
  std::string dgrad, wgrad;
  MasterWeights weights;  ///< Divided by the loss scale. Empty buffers if wgrad did not run.
  /// The gradient with respect to the sums of the layer, before the residual and the ReLU are applied,
  /// multiplied by the loss scale. `nullptr` unless TrainingRequest::keep_gradients is set.
  std::shared_ptr<const Features> sum{};
};
struct BackwardResult {
  std::vector<LayerGradients> layers;
};

/// Returns the reason why a network cannot be trained, with the name of the layer. Returns an empty string if
/// it can.
[[nodiscard]] std::string why_not_training(const Network& network);
void require_trainable(const Network& network);  ///< Throws `Error(usage)` if it cannot be trained.
/// Throws `Error(device)` if the back end has no gradients, and the errors of require_trainable().
void require_training(Backend& backend, const Network& network);
/// The results of the forward pass, and what the backward pass reads in addition. All pointers must be valid
/// during the call. The lists have one entry per layer.
struct BackwardRequest {
  const Network* network = nullptr;
  const Levels* levels = nullptr;
  const Features* input = nullptr;                         ///< The input features of the network.
  std::vector<std::shared_ptr<const Features>> outputs{};  ///< Each output is freed as soon as possible.
  std::vector<BackwardPlan> backward{};
  std::vector<std::shared_ptr<const KernelMap>> dgrad_maps{}, wgrad_maps{};
  std::vector<UploadedWeights> dgrad_weights{};
  /// The first gradients, already multiplied by the loss scale. `nullptr` for layers without one.
  std::vector<std::shared_ptr<const Features>> first{};
  int loss_scale = 1;
  bool keep_gradients = false;
};
/// Computes the gradients of all layers, from the last to the first. Opens the stages dgrad[name] and
/// wgrad[name].
[[nodiscard]] BackwardResult run_backward(Backend& backend, BackwardRequest request, Job& job);

/// What the backward passes of one layer read, so that each pass can be measured alone.
struct PassInputs {
  std::shared_ptr<const Features> in;  ///< The inputs of the layer, joined.
  Features gradient;                   ///< A random gradient with respect to the sums of the layer.
  UploadedWeights dgrad_weights;       ///< The weights in the form of dgrad.
};
/// Computes dgrad or wgrad of one layer from a map with the settings of `setting`. Returns the gradient
/// with respect to the inputs, or to the weights with one row for each column and input channel, in fp32.
[[nodiscard]] Features compute_pass(Backend& backend, const Layer& layer, const LayerLevels& levels,
                                    LayerPass pass, const LayerSetting& setting, const KernelMap& map,
                                    const PassInputs& inputs, Job& job);

/// Returns true if a gradient of the weights has NaN or infinite values. Also finds such values in the
/// gradient of the output of a layer, because the gradient of the bias is the sum of its rows.
[[nodiscard]] bool overflows(Backend& backend, const BackwardResult& result);
/// Returns the reason why the training steps have no result, such as "overflow: loss scale 1024 is too
/// large". Returns an empty string without an overflow.
[[nodiscard]] std::string overflow_text(const Measurement& measurement);

/// Returns the line with the time of a step and the shares of its stages, such as "step 6.10 ms (median of
/// 30 samples, IQR 0.05 ms): forward 31 %, dgrad 29 %, wgrad 34 %, maps 3 %, repack 2 %, voxels 1 %; loss
/// scale 1024, no overflow". The shares are relative to the sum of all stages.
[[nodiscard]] std::string step_text(const Measurement& measurement);

/// Predicts the memory of training steps of the loaded scene. `MemoryForecast::run()` is the prediction for
/// `TrainingMeasurement::peak_bytes`. The back end must have gradients.
[[nodiscard]] MemoryForecast training_forecast(Session& session, const Plan& plan);

/// Measures training steps of the loaded scene and adds them to `measurement`, which must come from
/// Session::measure() with the same plan. Steps with and without time stamps are interleaved. Throws the same
/// errors as require_training().
void measure_training(Session& session, const TrainingRequest& request, const SamplingProtocol& how,
                      Measurement& measurement, Job& job);

}  // namespace spira
