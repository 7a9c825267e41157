#include "engine/backend/dataflow.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace spira {
namespace {

constexpr std::string_view hybrid_prefix = "hybrid:", sorted_prefix = "mask-sorted:";
constexpr int most_listed_splits = 8;

int max_threshold_of(const Layer& layer) {
  return KernelOffsets(layer.kernel(), 1).max_threshold();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Sets the fields of `plan` from a name. Returns false if the name is unknown.
bool set_dataflow(const Layer& layer, LayerPlan& plan, std::string_view name) {
  const int most = max_threshold_of(layer);
  plan.dense_layout = MapLayout::z_runs;
  plan.splits = 0;
  plan.method = FeatureMethod::by_layout;
  if (name.starts_with(hybrid_prefix) || name.starts_with(sorted_prefix)) {
    const bool hybrid = name.starts_with(hybrid_prefix);
    const auto number = parse_int(std::string(name.substr((hybrid ? hybrid_prefix : sorted_prefix).size())));
    constexpr std::int64_t beyond_any = 1000;
    if (!number || *number < 1 || *number > beyond_any) return false;
    plan.threshold = hybrid ? static_cast<int>(*number) : most;
    if (hybrid) return plan.threshold < most;
    plan.dense_layout = MapLayout::mask_sorted;
    plan.splits = static_cast<int>(*number);
    return true;
  }
  const bool dense = name == "os" || name == "unsorted";
  plan.threshold = dense ? most : 0;
  if (name == "unsorted") plan.dense_layout = MapLayout::output_major;
  if (name == "gather") plan.method = FeatureMethod::gather_gemm_scatter;
  if (name == "gather-fp16") plan.method = FeatureMethod::gather_gemm_scatter_fp16;
  return dense || name == "ws" || name == "gather" || name == "gather-fp16";
}

}  // namespace

std::string dataflow_text(const Layer& layer, const LayerPlan& plan) {
  if (!layer.convolution()) return {};
  if (plan.method != FeatureMethod::by_layout)
    return plan.method == FeatureMethod::gather_gemm_scatter ? "gather" : "gather-fp16";
  if (plan.threshold == 0) return "ws";
  if (plan.threshold < max_threshold_of(layer))
    return std::string(hybrid_prefix) + std::to_string(plan.threshold);
  if (plan.dense_layout == MapLayout::mask_sorted)
    return std::string(sorted_prefix) + std::to_string(plan.splits);
  return plan.dense_layout == MapLayout::output_major ? "unsorted" : "os";
}

std::string why_not_plan(const Layer& layer, const LayerPlan& plan) {
  if (std::string why = why_not_threshold(layer, plan.threshold); !why.empty()) return why;
  const bool sorted = plan.dense_layout == MapLayout::mask_sorted;
  if (!layer.convolution())
    return sorted || plan.method != FeatureMethod::by_layout ? "only a convolution has a dataflow" : "";
  if (plan.method != FeatureMethod::by_layout && plan.threshold != 0)
    return "gather-GEMM-scatter needs pair lists (t = 0)";
  if (!sorted) return plan.splits == 0 ? "" : "only sorted outputs (mask-sorted) have splits";
  if (plan.threshold < max_threshold_of(layer))
    return "sorted outputs need all offsets in one part (t = " + std::to_string(max_threshold_of(layer)) +
           ")";
  return why_not_splits(layer.kernel().columns(), plan.splits);
}

std::vector<std::string> dataflows_of(const Layer& layer) {
  std::vector<std::string> names;
  if (!layer.convolution()) return names;
  const int most = max_threshold_of(layer);
  const auto add = [&](const std::string& name) {
    LayerPlan plan;
    if (set_dataflow(layer, plan, name) && why_not_plan(layer, plan).empty()) names.push_back(name);
  };
  add("os");
  add("ws");
  for (int t = 1; t < most; ++t)
    add(std::string(hybrid_prefix) + std::to_string(t));
  add("unsorted");
  for (int splits = 1; splits <= most_listed_splits; ++splits)
    add(std::string(sorted_prefix) + std::to_string(splits));
  add("gather");
  add("gather-fp16");
  return names;
}

LayerPlan with_dataflow(const Layer& layer, LayerPlan plan, std::string_view name) {
  const std::string quoted = "dataflow '" + shortened(std::string(name)) + "'";
  if (!layer.convolution())
    throw Error(ErrorKind::usage, quoted + ": " + layer.name + " is not a convolution");
  if (!set_dataflow(layer, plan, name))
    throw Error(ErrorKind::usage, quoted + ": expected " + joined(dataflows_of(layer)));
  if (const std::string why = why_not_plan(layer, plan); !why.empty())
    throw Error(ErrorKind::usage, quoted + ": " + why + ". Possible here: " + joined(dataflows_of(layer)));
  return plan;
}

}  // namespace spira
