// Stores measured stages as a tree of names, samples and bytes. A Recorder writes the tree; reports and
// charts read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

// Identifies the stages of a run, and lists their names. The names are the same on every back end.

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

enum class Clock : std::uint8_t { steady, cuda_events };
/// Returns "steady clock" or "CUDA events".
[[nodiscard]] std::string_view clock_text(Clock clock) noexcept;
/// Returns the clocks for views that also show wall times, such as "CUDA events, wall times by the host
/// clock". Wall times always come from the steady clock of the host.
[[nodiscard]] std::string_view clocks_text(Clock of_stages) noexcept;

struct StageNode {
  std::string name;                ///< Last part of the path: "map[conv1]", "search".
  int parent = -1;                 ///< Index in StageTree::nodes. A parent comes before its children.
  std::vector<double> samples_ms;  ///< One sample per repetition.
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< Modelled memory traffic.
  bool failed = false;                             ///< True if an exception ended the stage.
  /// Peak memory of the stage in bytes: the largest sum of live buffers in the pool while the stage was open,
  /// over all repetitions. Buffers that were live when the recorder was created do not count; buffers of
  /// earlier stages that are still live do. The value is never below 0 and never below the peak of an inner
  /// stage. Empty if it was not recorded.
  std::optional<std::size_t> peak_bytes{};
};

struct StageTree {
  Clock clock = Clock::steady;
  std::vector<StageNode> nodes;

  [[nodiscard]] StageKey key(int node) const;
  [[nodiscard]] int find(const StageKey& key) const;  ///< Returns -1 if there is no such stage.
  [[nodiscard]] double median_ms(int node) const;     ///< Returns 0 without samples.
  /// Returns the sum of the medians of all top-level stages.
  [[nodiscard]] double sum_of_tops_ms() const;
  /// Returns the sum of the medians of all stages of kernel maps (StageKey::of_map), at any depth of the
  /// tree. A stage inside a counted stage is not counted again.
  [[nodiscard]] double maps_ms() const;
  /// Returns the largest peak of all stages, or an empty optional if no stage has a peak.
  [[nodiscard]] std::optional<std::size_t> peak_bytes() const;
  /// Merges another tree into this tree. Appends the samples of equal paths, stores the larger peak of each
  /// stage, and adds the stages that do not exist yet.
  void merge(const StageTree& other);
};

[[nodiscard]] inline double median_of(std::vector<double> samples) {  ///< Returns 0 for an empty list.
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2.0;
}

}  // namespace spira
