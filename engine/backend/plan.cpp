#include "engine/backend/plan.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <utility>

namespace spira {
namespace {

int max_threshold(const Layer& layer) {
  return KernelOffsets(layer.kernel(), 1).max_threshold();
}

int default_threshold(const Layer& layer) {
  return layer.transposed || layer.neighbourhood.native() ? 0 : max_threshold(layer);
}

}  // namespace

std::string_view text_of(FeatureMethod method) noexcept {
  switch (method) {
    case FeatureMethod::gather_gemm_scatter:
      return "gather-GEMM-scatter";
    case FeatureMethod::gather_gemm_scatter_fp16:
      return "gather-GEMM-scatter with fp16 products";
    case FeatureMethod::by_layout:
      break;
  }
  return "by layout";
}

std::string_view text_of(LayerPass pass) noexcept {
  switch (pass) {
    case LayerPass::dgrad:
      return "dgrad";
    case LayerPass::wgrad:
      return "wgrad";
    case LayerPass::forward:
      break;
  }
  return "forward";
}

std::string_view text_of(UnitMethod method) noexcept {
  switch (method) {
    case UnitMethod::dense:
      return "dense";
    case UnitMethod::gathered:
      return "gathered";
    case UnitMethod::fused:
      return "fused";
    case UnitMethod::rows:
      break;
  }
  return "rows";
}

UnitMethod parse_unit_method(std::string_view text) {
  for (const auto method : {UnitMethod::dense, UnitMethod::gathered, UnitMethod::fused, UnitMethod::rows}) {
    if (text == text_of(method)) return method;
  }
  throw Error(ErrorKind::usage, "method '" + shortened(text) + "': expected dense, gathered, fused or rows");
}

std::string text_of(const UnitPlan& plan) {
  std::string text(text_of(plan.method));
  if (plan.core > 0) text += ", core " + std::to_string(plan.core);
  return text;
}

void LayerPlan::set_threshold(int t) noexcept {
  set(t);
}

void LayerPlan::set(const LayerSetting& setting) noexcept {
  threshold = setting.threshold;
  if (!setting.is_threshold() || dense_layout != MapLayout::offset_major) dense_layout = setting.dense_layout;
  splits = setting.splits;
  method = setting.method;
}

MapRequest request_for(const MapUse& use, std::shared_ptr<const KernelOffsets> offsets) {
  return request_for_threshold(std::move(offsets), use.algorithm, use.threshold, use.key.submanifold(),
                               use.dense_layout, use.splits);
}

MapUse map_use(const LayerLevels& level, const LayerPlan& plan) noexcept {
  return {level.map, plan.threshold, plan.algorithm, plan.dense_layout, plan.splits};
}

Plan default_plan(const Network& network) {
  Plan plan;
  for (const Layer& layer : network.layers) {
    LayerPlan row;
    row.threshold = default_threshold(layer);
    plan.layers.push_back(row);
  }
  return plan;
}

std::vector<int> feasible_thresholds(const Layer& layer) {
  if (layer.transposed || layer.neighbourhood.native()) return {0};
  if (!layer.convolution()) return {max_threshold(layer)};
  const int most = max_threshold(layer);
  if (!layer.submanifold()) return {0, most};
  std::vector<int> all;
  for (int t = 0; t <= most; ++t)
    all.push_back(t);
  return all;
}

std::string why_not_threshold(const Layer& layer, int threshold) {
  const auto feasible = feasible_thresholds(layer);
  if (std::find(feasible.begin(), feasible.end(), threshold) != feasible.end()) return {};
  if (layer.transposed) {
    return "a transposed layer uses the pair lists of its down-sampling layer, so it runs weight-stationary "
           "only (t = 0)";
  }
  if (layer.neighbourhood.native())
    return "native neighbours (" + text_of(layer.neighbourhood) +
           ") give an output several inputs in a column, so the layer runs weight-stationary only (t = 0)";
  if (!layer.convolution())
    return "the operation " + std::string(text_of(layer.op)) + " has no dataflow and no threshold t";
  const int most = max_threshold(layer);
  if (threshold < 0 || threshold > most)
    return "t must be 0 to " + std::to_string(most) + " for kernel size " + text_of(layer.kernel_size);
  return "a strided layer runs all offsets with the same dataflow: use t = 0 or t = " + std::to_string(most) +
         " (section 5.4 of the Spira paper)";
}

void set_threshold(Plan& plan, const Network& network, int threshold) {
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const auto feasible = feasible_thresholds(network.layers[at]);
    const int t = *std::min_element(feasible.begin(), feasible.end(), [&](int a, int b) {
      return std::abs(a - threshold) < std::abs(b - threshold);
    });
    plan.layers.at(at).set_threshold(t);
  }
}

void note_threshold_source(Plan& plan, std::size_t layer, const std::string& name) {
  plan.threshold_sources.resize(plan.layers.size());
  plan.threshold_sources.at(layer) = {name, plan.layers.at(layer).dataflow()};
}

std::string threshold_source(const Plan& plan, const Network& network, std::size_t layer) {
  const LayerSetting setting = plan.layers.at(layer).dataflow();
  if (layer < plan.threshold_sources.size() && plan.threshold_sources[layer].setting == setting)
    return plan.threshold_sources[layer].name;
  return setting == default_threshold(network.layers.at(layer)) ? "default" : "user";
}

}  // namespace spira
