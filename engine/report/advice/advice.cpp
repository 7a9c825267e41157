#include "engine/report/advice/advice.hpp"

#include "engine/base/text.hpp"
#include "engine/report/advice/advice_rules.hpp"
#include "engine/report/report_exports.hpp"

#include <algorithm>
#include <array>

namespace spira {

std::string_view code_of(AdviceRule rule) noexcept {
  constexpr std::array<std::string_view, 14> codes{
      "faster_threshold", "simpler_threshold", "wide_packing", "tight_packing",  "split_maps",
      "post_processing",  "no_overlap",        "few_voxels",   "flat_densities", "held_back",
      "other_profile",    "voxels_would_do",   "wide_blocks",  "dear_mask"};
  return codes.at(static_cast<std::size_t>(rule));
}

std::string Gain::text() const {
  if (kind == GainKind::unknown) return "gain not known";
  const std::string amount = ms > 0      ? ms_text(ms)
                             : bytes > 0 ? bytes_text(static_cast<std::uint64_t>(bytes))
                                         : "0 ms";
  return kind == GainKind::measured ? amount + ", measured" : "at most " + amount + ", modelled";
}

std::string layer_name(const AdviceFacts& facts, int layer) {
  return facts.network->layers.at(static_cast<std::size_t>(layer)).name;
}

std::string layer_names(const AdviceFacts& facts, const std::vector<int>& layers) {
  std::string text = layer_name(facts, layers.front());
  if (layers.size() > 1) text += " and " + std::to_string(layers.size() - 1) + " more";
  return text;
}

const Plan* plan_of(const AdviceFacts& facts) noexcept {
  if (facts.plan != nullptr) return facts.plan;
  return facts.measurement == nullptr ? nullptr : &facts.measurement->plan;
}

double named_stages_ms(const StageTree& stages, std::string_view name) {
  double sum = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    if (stages.key(node).name() == name) sum += stages.median_ms(node);
  }
  return sum;
}

AdviceFacts facts_of(const Report& report) {
  AdviceFacts facts;
  facts.scene = &report.scene;
  facts.network = &report.network;
  facts.measurement = &report.measurement;
  for (const Densities& densities : report.layer_densities)
    facts.densities.push_back(&densities);
  facts.threshold_sweep = report.threshold_sweep.get();
  facts.pack_sweep = report.pack_sweep.get();
  return facts;
}

namespace {

AllAdvice sorted_by_gain(AllAdvice all) {
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return std::pair(a.gain.ms, a.gain.bytes) > std::pair(b.gain.ms, b.gain.bytes);
  });
  return all;
}

}  // namespace

std::vector<Advice> advise(const AdviceFacts& facts) {
  AllAdvice all;
  if (facts.network == nullptr || facts.network->layers.empty()) return all;
  // All rules are about voxels and kernel maps, which a relational run does not have.
  if (facts.scene != nullptr && facts.scene->triples) return all;
  if (facts.network->space == NetworkSpace::bev) {
    for (const auto rule : {add_wide_blocks, add_dear_mask, add_held_back})
      rule(facts, all);
    return sorted_by_gain(std::move(all));
  }
  for (const auto rule :
       {add_thresholds_of_sweep, add_thresholds_of_profile, add_wide_packing, add_tight_packing,
        add_split_maps, add_post_processing, add_no_overlap, add_few_voxels, add_flat_densities,
        add_held_back, add_other_profile, add_voxels_would_do})
    rule(facts, all);
  return sorted_by_gain(std::move(all));
}

std::string advice_text(const std::vector<Advice>& advice, std::size_t most) {
  std::string text;
  for (std::size_t at = 0; at < std::min(most, advice.size()); ++at) {
    text += std::to_string(at + 1) + ". " + advice[at].action + " (" + advice[at].gain.text() +
            "): " + advice[at].evidence + "\n";
  }
  return text;
}

std::string advice_markdown(const std::vector<Advice>& advice) {
  std::vector<std::vector<std::string>> cells{{"rank", "action", "gain", "reason"}};
  for (const Advice& one : advice)
    cells.push_back({std::to_string(cells.size()), one.action, one.gain.text(), one.evidence});
  return markdown_table(cells);
}

}  // namespace spira
