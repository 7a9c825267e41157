#include "engine/tune/choice_text.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace spira {
namespace {

int max_threshold_of(const TunedShape& shape) {
  return KernelOffsets(shape.shape.kernel, 1).max_threshold();
}

/// Returns settings as text, such as "t = 0, 2" or "t = 0, unsorted".
std::string list_text(const TunedShape& shape, const std::vector<LayerSetting>& settings) {
  std::string text;
  bool thresholds = false;
  for (const LayerSetting& one : settings) {
    const bool next = thresholds && one.is_threshold();
    text += text.empty() ? "" : ", ";
    text += next ? std::to_string(one.threshold) : setting_text(one, max_threshold_of(shape));
    thresholds = one.is_threshold();
  }
  return text;
}

}  // namespace

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;  // The line must fit into a terminal.
  std::string text;
  for (std::size_t at = 0; at < names.size() && at < most; ++at)
    text += (at == 0 ? "" : ", ") + names[at];
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

std::vector<std::string> undecided_layers(const TuningProfile& profile) {
  std::vector<std::string> names;
  for (const TunedShape& tuned : profile.choices) {
    if (tuned.choice.why == ChoiceReason::few_samples)
      names.insert(names.end(), tuned.layers.begin(), tuned.layers.end());
  }
  return names;
}

std::string undecided_text(const std::vector<std::string>& layers, const std::string& instead) {
  return counted_text(static_cast<std::int64_t>(layers.size()), "layer is undecided and uses ",
                      "layers are undecided and use ") +
         instead + ": " + listed_names(layers);
}

std::string layers_text(const TunedShape& shape) {
  std::string text = shape.layers.front();
  if (shape.layers.size() > 1) text += " and " + std::to_string(shape.layers.size() - 1) + " more";
  return text;
}

const MeasuredCost* measured_cost(const TunedShape& shape, const LayerSetting& setting) {
  for (const MeasuredCost& cost : shape.choice.costs) {
    if (cost.setting == setting && cost.n > 0) return &cost;
  }
  return nullptr;
}

const MeasuredCost* cost_of_max(const TunedShape& shape) {
  return measured_cost(shape, max_threshold_of(shape));
}

std::optional<double> margin_ms(const TunedShape& shape) {
  std::optional<double> least;
  if (shape.choice.why == ChoiceReason::user || shape.choice.why == ChoiceReason::one_graph) return least;
  for (const MeasuredCost& cost : shape.choice.costs) {
    if (cost.setting == shape.choice.setting || cost.n == 0 || !cost.usable) continue;
    least = std::min(least.value_or(cost.extra_ms), cost.extra_ms);
  }
  return least;
}

std::optional<double> margin_share(const TunedShape& shape) {
  const auto margin = margin_ms(shape);
  const MeasuredCost* cost = measured_cost(shape, shape.choice.setting);
  if (!margin || cost == nullptr || !(cost->median_ms > 0)) return std::nullopt;
  return *margin / (cost->median_ms * static_cast<double>(shape.layers.size()));
}

std::string choice_note(const TunedShape& shape) {
  const MeasuredCost* cost = measured_cost(shape, shape.choice.setting);
  std::string note;
  switch (shape.choice.why) {
    case ChoiceReason::fastest:
      note = "fastest";
      break;
    case ChoiceReason::tie_simpler:
      note = shape.choice.ties.empty() ? "tied; same setting as the other layers with this map"
                                       : "tied with " + list_text(shape, shape.choice.ties);
      break;
    case ChoiceReason::few_samples:
      note = "undecided: " + counted_text(cost == nullptr ? 0 : cost->n, "sample, ", "samples, ") +
             std::to_string(fewest_samples_for_verdict) + " needed";
      break;
    case ChoiceReason::only_setting:
      return "only setting";
    case ChoiceReason::one_graph:
      return "required for one CUDA graph";
    case ChoiceReason::user:
      return "set by hand";
  }
  if (cost != nullptr && cost->shared_ms > 0)
    note += ", +" + ms_text(cost->shared_ms) + " for a separate map";
  for (const MeasuredCost& other : shape.choice.costs) {
    if (!other.usable)
      note += ", output with " + setting_text(other.setting, max_threshold_of(shape)) + " differs";
  }
  return note;
}

std::string regret_text(const std::optional<Regret>& regret) {
  if (!regret) return "not measured";
  return (regret->share < 0 ? "" : "+") + percent_text(regret->share) +
         (regret->tied.value_or(false) ? ", tied" : "");
}

std::string scientific(double value) {
  if (!(value > 0)) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return fixed(value / std::pow(10.0, exponent), 1) + "e" + std::to_string(exponent);
}

std::string gain_text(const Samples& baseline, const Samples& tuned) {
  const auto ratio = median_ratio(baseline.ms, tuned.ms);
  if (!ratio) return "undecided, too few samples";
  return std::string(text_of(verdict(*ratio))) + ", " + fixed(ratio->ratio(), 3) +
         " x (95 % interval: " + fixed(ratio->low, 3) + " to " + fixed(ratio->high, 3) + ")";
}

}  // namespace spira
