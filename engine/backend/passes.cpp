#include "engine/backend/passes.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <optional>

namespace spira {

std::vector<int> output_layers(const Network& network) {
  std::vector<int> layers;
  for (const std::string& output : network.outputs)
    layers.push_back(network.index_of(output));
  if (layers.empty()) layers.push_back(static_cast<int>(network.layers.size()) - 1);
  return layers;
}

namespace {

/// Returns true if dgrad reads the same map as the forward pass, with reversed columns.
bool reads_reversed(const Layer& layer, const LayerLevels& levels) {
  return !layer.transposed && levels.map.submanifold() && levels.map.kernel.centred();
}

}  // namespace

DgradForm dgrad_form(const Layer& layer, const LayerLevels& levels) {
  if (reads_reversed(layer, levels)) return {WeightForm::reversed, false};
  return {WeightForm::transposed, !layer.transposed};
}

BackwardPlan default_backward(const Layer& layer, const LayerLevels& levels, const LayerPlan& forward) {
  BackwardPlan plan{forward, forward};
  // dgrad of a transposed layer reads the map of a strided layer, like the forward pass of that layer.
  Layer reader = layer;
  reader.transposed = false;
  if (layer.transposed)
    plan.dgrad.set_threshold(feasible_thresholds(reader).back());
  else if (!reads_reversed(layer, levels) && forward.threshold != 0)
    plan.dgrad.set_threshold(0);
  plan.wgrad.method = FeatureMethod::by_layout;
  return plan;
}

BackwardPlan backward_of(const Plan& plan, const Network& network, const Levels& levels, std::size_t layer) {
  if (!plan.backward.empty()) return plan.backward.at(layer);
  return default_backward(network.layers[layer], levels.layers[layer], plan.layers.at(layer));
}

std::string why_not_pass(const Layer& layer, const LayerLevels& levels, LayerPass pass,
                         const LayerSetting& setting) {
  LayerPlan plan;
  plan.set(setting);
  if (pass == LayerPass::forward) return why_not_plan(layer, plan);
  if (pass == LayerPass::wgrad && setting.method != FeatureMethod::by_layout)
    return "wgrad does not support gather-GEMM-scatter";
  if (pass == LayerPass::dgrad && !layer.transposed && !reads_reversed(layer, levels) &&
      setting.of_map() != 0)
    return "only pair lists (t = 0) can exchange inputs and outputs";
  // The map of a transposed layer is that of a strided layer.
  Layer reader = layer;
  reader.transposed = false;
  return why_not_plan(reader, plan);
}

std::vector<int> feasible_thresholds(const Layer& layer, const LayerLevels& levels, LayerPass pass) {
  std::vector<int> thresholds;
  const int highest = KernelOffsets(layer.kernel(), 1).max_threshold();
  for (int t = 0; t <= highest; ++t) {
    if (why_not_pass(layer, levels, pass, t).empty()) thresholds.push_back(t);
  }
  return thresholds;
}

std::vector<bool> trained_layers(const Network& network) {
  std::vector<bool> trained(network.layers.size());
  for (const int output : output_layers(network))
    trained[static_cast<std::size_t>(output)] = true;
  const auto mark = [&](const std::string& name) {
    if (const int index = network.index_of(name); index >= 0) trained[static_cast<std::size_t>(index)] = true;
  };
  for (std::size_t at = network.layers.size(); at-- > 0;) {
    if (!trained[at]) continue;
    mark(network.layers[at].residual);
    for (const std::string& input : network.layers[at].inputs)
      mark(input);
  }
  return trained;
}

bool needs_dgrad(const Network& network, const Layer& layer) {
  return std::any_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](const std::string& input) { return network.index_of(input) >= 0; });
}

std::string why_no_pass(const Network& network, std::size_t layer, LayerPass pass) {
  if (!trained_layers(network).at(layer)) return "no output depends on the layer, so it has no gradients";
  if (pass == LayerPass::dgrad && !needs_dgrad(network, network.layers[layer]))
    return "the layer reads only the input of the network, so it has no dgrad";
  return {};
}

void set_pass(Plan& plan, const Network& network, std::size_t layer, LayerPass pass,
              std::string_view dataflow) {
  const Layer& here = network.layers.at(layer);
  const Levels levels = levels_of(network);
  const auto wanted = setting_of(dataflow, KernelOffsets(here.kernel(), 1).max_threshold());
  if (!here.convolution() || !wanted)
    throw Error(ErrorKind::usage,
                "expected a dataflow that exists for the kernel size of the layer, such as ws");
  std::string why = why_not_pass(here, levels.layers[layer], pass, *wanted);
  if (why.empty()) why = why_no_pass(network, layer, pass);
  if (!why.empty()) throw Error(ErrorKind::usage, why);
  for (std::size_t at = plan.backward.size(); at < network.layers.size(); ++at)
    plan.backward.push_back(default_backward(network.layers[at], levels.layers[at], plan.layers.at(at)));
  BackwardPlan& own = plan.backward.at(layer);
  (pass == LayerPass::dgrad ? own.dgrad : own.wgrad).set(*wanted);
}

}  // namespace spira
