// Lists all stage names, which are the same on every back end, and what each stage does.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spira {

enum class StageGroup {
  voxelize,
  downsample,
  search,
  transpose,
  filter,
  output_stationary,
  weight_stationary,
  epilogue,
  other,
  residual  ///< Not a stage: the part of a stage that its inner stages do not cover.
};

struct StageFacts {
  std::string_view name;  ///< Last part of a path, without [..].
  StageGroup group;       ///< Determines the colour in charts.
  std::string_view text;  ///< One sentence for tooltips.
};

/// Lists all stages: voxelize (pack, sort, input), downsample[s], map[layer] (preprocess, search, transpose,
/// filter), features[layer] (order, weights, os, ws, gather, gemm, scatter, epilogue), transfer. A compiled
/// network records input as a separate stage, next to the maps, and also records clear.
[[nodiscard]] std::span<const StageFacts> stage_facts() noexcept;
/// Examples: "search", "downsample".
[[nodiscard]] std::string_view last_of_path(std::string_view path) noexcept;
/// Accepts "map[conv1].search" or "search". Returns StageGroup::other if the name is not in the list.
[[nodiscard]] StageGroup stage_group(std::string_view name) noexcept;
/// Returns true if a stage belongs to a kernel map: "map[conv1]", the stages inside it, and stages that
/// reorder a map for its reader wherever they were recorded, such as "features[conv1].order".
[[nodiscard]] bool stage_of_map(std::string_view path) noexcept;
/// Returns "conv1" for "map[conv1].search" and "features[conv1]", and an empty text for stages without a
/// layer.
[[nodiscard]] std::string_view layer_of_stage(std::string_view path) noexcept;
/// Example: stage_of("map", "conv1") == "map[conv1]".
[[nodiscard]] std::string stage_of(std::string_view name, std::string_view subject);

}  // namespace spira
