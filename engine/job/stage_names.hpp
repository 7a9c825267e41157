// Identifies the stages of a run, and lists their names. The names are the same on every back end.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

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
  /// The time of a stage that its inner stages do not cover. Charts show it like a stage, but no stage of a
  /// run belongs to this group.
  residual
};

struct StageFacts {
  std::string_view name;  ///< Last part of a path, without the text in [..].
  StageGroup group;       ///< Determines the colour in charts.
  std::string_view text;  ///< One sentence for tooltips.
};

/// Returns all stages: voxelize (pack, sort, input), downsample[s], map[layer] (preprocess, search,
/// transpose, filter), features[layer] (order, weights, os, ws, gather, gemm, scatter, epilogue), transfer. A
/// compiled network also records clear, and records input as a separate stage next to the maps.
[[nodiscard]] std::span<const StageFacts> stage_facts() noexcept;

/// Identifies a stage of a run. Files and views show it as a text such as "map[conv1].search". Layer names
/// may contain dots and brackets.
struct StageKey {
  std::string phase;    ///< A top-level stage, such as "voxelize", "downsample", "map" or "features".
  std::string subject;  ///< The layer of a map or of features, or the stride of a downsampling.
  std::string step;     ///< The path inside the phase, such as "search". Empty for the phase itself.

  StageKey() = default;
  StageKey(std::string phase_name, std::string its_subject, std::string its_step = {})
      : phase(std::move(phase_name)), subject(std::move(its_subject)), step(std::move(its_step)) {}
  /// Parses the text of a stage. Any text is valid; an unknown stage has the group `other`.
  StageKey(std::string_view text);
  StageKey(const std::string& text) : StageKey(std::string_view(text)) {}
  StageKey(const char* text) : StageKey(std::string_view(text)) {}

  [[nodiscard]] std::string text() const;
  /// Returns the last part of the path, such as "search" for "map[conv1].search" and "map" for "map[conv1]".
  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::string_view layer() const noexcept;  ///< Returns "" for stages without a layer.
  [[nodiscard]] StageGroup group() const noexcept;
  /// Returns true if the stage builds a kernel map. Stages that reorder a map for a layer count too, even if
  /// they run during the features, such as "features[conv1].order".
  [[nodiscard]] bool of_map() const noexcept;
  auto operator<=>(const StageKey&) const = default;
};

}  // namespace spira
