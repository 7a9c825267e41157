#include "engine/backend/dataflow.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"

#include <array>
#include <charconv>
#include <utility>

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

}  // namespace

std::optional<LayerSetting> setting_of(std::string_view dataflow, int max_threshold) {
  LayerSetting setting;
  if (dataflow.starts_with(hybrid_prefix) || dataflow.starts_with(sorted_prefix)) {
    const bool hybrid = dataflow.starts_with(hybrid_prefix);
    const auto number =
        parse_int(std::string(dataflow.substr((hybrid ? hybrid_prefix : sorted_prefix).size())));
    constexpr std::int64_t beyond_any = 1000;
    if (!number || *number < 1 || *number > beyond_any) return std::nullopt;
    if (hybrid) return *number < max_threshold ? std::optional(static_cast<int>(*number)) : std::nullopt;
    return LayerSetting(max_threshold, MapLayout::mask_sorted, static_cast<int>(*number),
                        FeatureMethod::by_layout);
  }
  const bool dense = dataflow == "os" || dataflow == "unsorted";
  setting.threshold = dense ? max_threshold : 0;
  if (dataflow == "unsorted") setting.dense_layout = MapLayout::output_major;
  if (dataflow == "gather") setting.method = FeatureMethod::gather_gemm_scatter;
  if (dataflow == "gather-fp16") setting.method = FeatureMethod::gather_gemm_scatter_fp16;
  const bool known = dense || dataflow == "ws" || dataflow == "gather" || dataflow == "gather-fp16";
  return known ? std::optional(setting) : std::nullopt;
}

std::string dataflow_text(const LayerSetting& setting, int max_threshold) {
  if (setting.method != FeatureMethod::by_layout)
    return setting.method == FeatureMethod::gather_gemm_scatter ? "gather" : "gather-fp16";
  if (setting.threshold == 0) return "ws";
  if (setting.threshold < max_threshold)
    return std::string(hybrid_prefix) + std::to_string(setting.threshold);
  if (setting.dense_layout == MapLayout::mask_sorted)
    return std::string(sorted_prefix) + std::to_string(setting.splits);
  return setting.dense_layout == MapLayout::output_major ? "unsorted" : "os";
}

std::string dataflow_text(const Layer& layer, const LayerPlan& plan) {
  if (!layer.convolution()) return {};
  return dataflow_text(plan.dataflow(), max_threshold_of(layer));
}

std::string setting_text(const LayerSetting& setting, int max_threshold) {
  return setting.is_threshold() ? "t = " + std::to_string(setting.threshold)
                                : dataflow_text(setting, max_threshold);
}

LayerSetting setting_of(const Layer& layer, const LayerPlan& plan) {
  if (!layer.convolution()) return plan.threshold;
  return setting_of(dataflow_text(layer, plan), max_threshold_of(layer)).value_or(plan.threshold);
}

std::string why_not_plan(const Layer& layer, const LayerPlan& plan) {
  if (std::string why = why_not_threshold(layer, plan.threshold); !why.empty()) return why;
  if (std::string why = why_not_algorithm(plan.algorithm, layer.kernel()); !why.empty()) return why;
  const bool sorted = plan.dense_layout == MapLayout::mask_sorted;
  if (!layer.convolution())
    return sorted || plan.method != FeatureMethod::by_layout ? "only a convolution has a dataflow" : "";
  if (plan.method != FeatureMethod::by_layout && plan.threshold != 0)
    return "gather-GEMM-scatter needs pair lists (t = 0)";
  if (!sorted) return plan.splits == 0 ? "" : "only the dataflow mask-sorted has splits";
  if (plan.threshold < max_threshold_of(layer))
    return "mask-sorted outputs require that all offsets run output-stationary (t = " +
           std::to_string(max_threshold_of(layer)) + ")";
  return why_not_splits(layer.kernel().columns(), plan.splits);
}

bool divides_at_threshold(const Layer& layer, const LayerPlan& plan) {
  return layer.convolution() && setting_of(layer, plan).is_threshold();
}

bool can_run_dataflow(const Layer& layer, std::string_view name) {
  const auto setting = setting_of(name, max_threshold_of(layer));
  LayerPlan plan;
  if (setting) plan.set(*setting);
  return layer.convolution() && setting && why_not_plan(layer, plan).empty();
}

std::vector<std::string> dataflows_of(const Layer& layer) {
  std::vector<std::string> names;
  for (DataflowChoice& choice : dataflow_choices(layer)) {
    if (choice.why_not.empty()) names.push_back(std::move(choice.name));
  }
  return names;
}

std::vector<DataflowChoice> dataflow_choices(const Layer& layer) {
  std::vector<DataflowChoice> all;
  if (!layer.convolution()) return all;
  const int most = max_threshold_of(layer);
  const auto add = [&](const std::string& name) {
    LayerPlan plan;
    const auto setting = setting_of(name, most);
    if (!setting) return;
    plan.set(*setting);
    all.push_back({name, why_not_plan(layer, plan)});
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
  return all;
}

LayerPlan with_dataflow(const Layer& layer, LayerPlan plan, std::string_view name) {
  const std::string quoted = "dataflow '" + shortened(std::string(name)) + "'";
  if (!layer.convolution())
    throw Error(ErrorKind::usage, quoted + ": " + layer.name + " is not a convolution");
  const std::optional<LayerSetting> setting = setting_of(name, max_threshold_of(layer));
  if (!setting) throw Error(ErrorKind::usage, quoted + ": expected " + joined(dataflows_of(layer)));
  plan.dense_layout = MapLayout::z_runs;
  plan.set(*setting);
  if (const std::string why = why_not_plan(layer, plan); !why.empty())
    throw Error(ErrorKind::usage, quoted + ": " + why + ". Possible here: " + joined(dataflows_of(layer)));
  return plan;
}

std::string layout_text(const KernelMap& map) {
  std::string text;
  for (const KernelMap::Part& part : map.parts) {
    std::string layout(text_of(part.layout));
    if (part.layout == MapLayout::mask_sorted) layout += ":" + std::to_string(part.splits);
    add_to_list(text, layout);
  }
  return text;
}

std::optional<Redundancy> redundancy_of(const KernelMap& map, const LayerPlan& plan) {
  const bool tiles =
      plan.method == FeatureMethod::by_layout &&
      (plan.dense_layout == MapLayout::mask_sorted || plan.dense_layout == MapLayout::output_major);
  if (!tiles) return {};
  return redundancy(map, std::array{RowSorting{plan.splits}}).front();
}

namespace {

constexpr std::string_view torchsparse = "torchsparse",
                           torchsparse_prefix = "torchsparse:", minuet = "minuet";

/// Returns the dataflow of a layer in the plan "torchsparse" (0 splits) or "torchsparse:S".
std::string torchsparse_dataflow(const Layer& layer, int splits) {
  const std::string sorted = std::string(sorted_prefix) + std::to_string(splits);
  return splits > 0 && can_run_dataflow(layer, sorted) ? sorted : "unsorted";
}

}  // namespace

bool is_named_plan(std::string_view name) noexcept {
  return name == torchsparse || name == minuet || name.starts_with(torchsparse_prefix);
}

std::optional<Plan> named_plan(std::string_view name, const Network& network) {
  if (!is_named_plan(name)) return std::nullopt;
  int splits = 0;
  if (name.starts_with(torchsparse_prefix)) {
    const std::string_view number = name.substr(torchsparse_prefix.size());
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), splits);
    if (fault != std::errc{} || end != number.data() + number.size() || splits < 1 ||
        splits > most_listed_splits)
      throw Error(ErrorKind::usage, "plan '" + shortened(std::string(name)) +
                                        "': expected torchsparse:S with 1 to " +
                                        std::to_string(most_listed_splits) + " splits");
  }
  Plan plan = default_plan(network);
  plan.source = name;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    plan.layers[at].algorithm =
        name == minuet && !layer.neighbourhood.native() ? MapAlgorithm::sorted_query : MapAlgorithm::hash;
    const std::string wanted = name == minuet ? "gather-fp16" : torchsparse_dataflow(layer, splits);
    // With one offset, all dataflows are the same product.
    if (layer.kernel().columns() == 1 || !can_run_dataflow(layer, wanted)) continue;
    plan.layers[at] = with_dataflow(layer, plan.layers[at], wanted);
    note_threshold_source(plan, at, plan.source);
  }
  return plan;
}

}  // namespace spira
