// The one list of stage names (the same on every back end) and what each one means.
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
  residual  ///< of no stage: what the stages inside another one leave of it
};

struct StageFacts {
  std::string_view name;  ///< last part of a path, without [..]
  StageGroup group;       ///< gives the colour
  std::string_view text;  ///< one sentence for tool tips
};

/// voxelize (pack, sort, input), downsample[s], map[layer] (preprocess, search, transpose, filter),
/// features[layer] (order, weights, os, ws, gather, gemm, scatter, epilogue), transfer. A compiled network
/// has input beside its maps, and clear.
[[nodiscard]] std::span<const StageFacts> stage_facts() noexcept;
[[nodiscard]] std::string_view last_of_path(std::string_view path) noexcept;  ///< "search", "downsample"
/// Of "map[conv1].search" or "search"; group other when the name is not in the list.
[[nodiscard]] StageGroup stage_group(std::string_view name) noexcept;
/// Of a kernel map: "map[conv1]", what lies in it, and what puts a map in order for its reader wherever that
/// was recorded, as in "features[conv1].order".
[[nodiscard]] bool stage_of_map(std::string_view path) noexcept;
/// "conv1" of "map[conv1].search" or "features[conv1]"; empty for stages of no layer.
[[nodiscard]] std::string_view layer_of_stage(std::string_view path) noexcept;
/// stage_of("map", "conv1") == "map[conv1]"
[[nodiscard]] std::string stage_of(std::string_view name, std::string_view subject);

}  // namespace spira
