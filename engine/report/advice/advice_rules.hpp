// Declares the rules for advice. Each rule is a function that can add advice to a list.
#pragma once

#include "engine/job/stage_tree.hpp"
#include "engine/report/advice/advice.hpp"

namespace spira {

using AllAdvice = std::vector<Advice>;

[[nodiscard]] std::string layer_name(const AdviceFacts& facts, int layer);
/// Returns the names of the layers, such as "conv1" or "conv1 and 3 more".
[[nodiscard]] std::string layer_names(const AdviceFacts& facts, const std::vector<int>& layers);
[[nodiscard]] const Plan* plan_of(const AdviceFacts& facts) noexcept;
/// Returns the sum of the medians of all stages with this name, in milliseconds.
[[nodiscard]] double named_stages_ms(const StageTree& stages, std::string_view name);

// Rules for settings (advice_settings.cpp).
void add_thresholds_of_sweep(const AdviceFacts& facts, AllAdvice& all);
void add_thresholds_of_profile(const AdviceFacts& facts, AllAdvice& all);
void add_other_profile(const AdviceFacts& facts, AllAdvice& all);
void add_split_maps(const AdviceFacts& facts, AllAdvice& all);
void add_post_processing(const AdviceFacts& facts, AllAdvice& all);

// Rules for the scene and its packing.
void add_wide_packing(const AdviceFacts& facts, AllAdvice& all);
void add_tight_packing(const AdviceFacts& facts, AllAdvice& all);
void add_flat_densities(const AdviceFacts& facts, AllAdvice& all);
void add_voxels_would_do(const AdviceFacts& facts, AllAdvice& all);

// Rules for bird's-eye views (advice_bev.cpp).
void add_wide_blocks(const AdviceFacts& facts, AllAdvice& all);
void add_dear_mask(const AdviceFacts& facts, AllAdvice& all);

// Rules for the device and its use.
void add_no_overlap(const AdviceFacts& facts, AllAdvice& all);
void add_few_voxels(const AdviceFacts& facts, AllAdvice& all);
void add_held_back(const AdviceFacts& facts, AllAdvice& all);

}  // namespace spira
