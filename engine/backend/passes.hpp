// Returns which settings the passes of a training step can have, and which passes a layer has.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/network/weights.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Returns the indices of the layers whose outputs have a first gradient: the outputs of the network, or the
/// last layer if the network file names no outputs.
[[nodiscard]] std::vector<int> output_layers(const Network& network);

/// How the gradient with respect to the inputs of a layer is computed with convolve(). Submanifold layers
/// with a centred kernel use reversed weights. All other layers use transposed weights, and exchange the
/// inputs and the outputs of the map unless the layer is transposed.
struct DgradForm {
  WeightForm form = WeightForm::transposed;
  bool transposed = false;  ///< ConvRequest::transposed.
};
[[nodiscard]] DgradForm dgrad_form(const Layer& layer, const LayerLevels& levels);
/// Returns the settings of the backward passes of a layer without an entry in Plan::backward. dgrad reads the
/// map of the forward pass if the layer is submanifold with a centred kernel. Transposed layers run
/// output-stationary. All other layers read pair lists, which are an additional map if the forward pass runs
/// output-stationary. wgrad reads the map of the forward pass.
[[nodiscard]] BackwardPlan default_backward(const Layer& layer, const LayerLevels& levels,
                                            const LayerPlan& forward);
/// Returns the settings of the backward passes of a layer: those of Plan::backward, or default_backward().
[[nodiscard]] BackwardPlan backward_of(const Plan& plan, const Network& network, const Levels& levels,
                                       std::size_t layer);
/// Returns the reason why a pass of a convolution cannot run with a setting. Returns an empty string if it
/// can. dgrad of a transposed layer is a strided convolution, and can run all dataflows of such a layer.
[[nodiscard]] std::string why_not_pass(const Layer& layer, const LayerLevels& levels, LayerPass pass,
                                       const LayerSetting& setting);
/// Returns the thresholds with which a pass of a convolution can run, in ascending order.
[[nodiscard]] std::vector<int> feasible_thresholds(const Layer& layer, const LayerLevels& levels,
                                                   LayerPass pass);
/// Returns true if a layer reads the output of at least one other layer, so that it needs a dgrad.
[[nodiscard]] bool needs_dgrad(const Network& network, const Layer& layer);
/// Returns, for each layer, true if an output of output_layers() depends on it, so that it has gradients.
[[nodiscard]] std::vector<bool> trained_layers(const Network& network);
/// Returns the reason why a layer has no such pass in the training steps of its network. Returns an empty
/// string if it has one.
[[nodiscard]] std::string why_no_pass(const Network& network, std::size_t layer, LayerPass pass);
/// Sets the dataflow of dgrad or wgrad of a layer. All layers without an entry in Plan::backward get their
/// default settings. Throws `Error(usage)` if the dataflow does not exist for the kernel, if the pass cannot
/// run it, or if the layer has no such pass.
void set_pass(Plan& plan, const Network& network, std::size_t layer, LayerPass pass,
              std::string_view dataflow);

}  // namespace spira
