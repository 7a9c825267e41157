// The rules of advice.hpp, each a function that adds what it has to say.
#pragma once

#include "engine/job/stage_names.hpp"
#include "engine/report/advice.hpp"

namespace spira {

using AllAdvice = std::vector<Advice>;

[[nodiscard]] std::string layer_name(const AdviceFacts& facts, int layer);
/// "conv1", "conv1 and 3 more"
[[nodiscard]] std::string layer_names(const AdviceFacts& facts, const std::vector<int>& layers);
[[nodiscard]] const Plan* plan_of(const AdviceFacts& facts) noexcept;
/// Median of all stages of that name in a tree, added up.
[[nodiscard]] double named_stages_ms(const StageTree& stages, std::string_view name);

// Of settings (advice_settings.cpp).
void add_thresholds_of_sweep(const AdviceFacts& facts, AllAdvice& all);
void add_thresholds_of_profile(const AdviceFacts& facts, AllAdvice& all);
void add_other_profile(const AdviceFacts& facts, AllAdvice& all);
void add_split_maps(const AdviceFacts& facts, AllAdvice& all);
void add_post_processing(const AdviceFacts& facts, AllAdvice& all);

// Of the scene and its packing (advice_scene.cpp).
void add_wide_packing(const AdviceFacts& facts, AllAdvice& all);
void add_tight_packing(const AdviceFacts& facts, AllAdvice& all);
void add_flat_densities(const AdviceFacts& facts, AllAdvice& all);

// Of the device and how it was used (advice_device.cpp).
void add_no_overlap(const AdviceFacts& facts, AllAdvice& all);
void add_few_voxels(const AdviceFacts& facts, AllAdvice& all);
void add_held_back(const AdviceFacts& facts, AllAdvice& all);
void add_host_bound(const AdviceFacts& facts, AllAdvice& all);

}  // namespace spira
