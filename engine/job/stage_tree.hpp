// Defines StageTree, which contains measured stages as a tree of names, samples and bytes. A Recorder writes
// it; reports and charts read it.
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

// The declarations below define the names of the stages of a run. The names are the same on every back end.

enum class StageGroup {
  voxelize,
  downsample,
  search,
  transpose,
  filter,
  order,
  output_stationary,
  weight_stationary,
  epilogue,
  other,
  /// The part of a stage that its inner stages do not cover. Charts show it like a stage. No stage of a run
  /// has this group.
  residual
};

struct StageFacts {
  std::string_view name;  ///< The last part of a path, without the text in [..].
  StageGroup group;       ///< Determines the colour in charts.
  std::string_view text;  ///< One sentence for tooltips.
};

/// Returns all stages: voxelize (pack, sort, input), downsample[s], map[layer] (preprocess, search,
/// transpose, filter, mask, argsort, reorder), features[layer] (order, weights, os, ws, gather, gemm,
/// scatter, epilogue), transfer. A training step also has repack[layer], dgrad[layer] and wgrad[layer]. A
/// compiled network also records the stage clear, and it records input as a
/// separate stage next to the maps.
[[nodiscard]] std::span<const StageFacts> stage_facts() noexcept;

/// Identifies a stage of a run. Files and views show it as text, such as "map[conv1].search". The names of
/// layers can contain dots and brackets.
struct StageKey {
  std::string phase;    ///< The top-level stage, such as "voxelize", "downsample", "map" or "features".
  std::string subject;  ///< The layer of a map or of features, or the stride of a downsampling.
  std::string step;     ///< The path inside the phase, such as "search". Empty for the phase itself.

  StageKey() = default;
  StageKey(std::string phase_name, std::string its_subject, std::string its_step = {})
      : phase(std::move(phase_name)), subject(std::move(its_subject)), step(std::move(its_step)) {}
  /// Parses the text of a stage. Every text is valid; a stage that is not known has the group `other`.
  StageKey(std::string_view text);
  StageKey(const std::string& text) : StageKey(std::string_view(text)) {}
  StageKey(const char* text) : StageKey(std::string_view(text)) {}

  [[nodiscard]] std::string text() const;
  /// Returns the last part of the path, such as "search" for "map[conv1].search" and "map" for "map[conv1]".
  [[nodiscard]] std::string_view name() const noexcept;
  /// Returns an empty string for stages without a layer.
  [[nodiscard]] std::string_view layer() const noexcept;
  [[nodiscard]] StageGroup group() const noexcept;
  /// Returns true if the stage builds a kernel map or reorders a kernel map for a layer. Reordering can be a
  /// stage of the features, such as "features[conv1].order".
  [[nodiscard]] bool of_map() const noexcept;
  auto operator<=>(const StageKey&) const = default;
};

enum class Clock : std::uint8_t { steady, cuda_events };
/// Returns "steady clock" or "CUDA events".
[[nodiscard]] std::string_view clock_text(Clock clock) noexcept;
/// Returns the clocks as text for views that also show wall times, such as "CUDA events, wall times by the
/// host clock". Wall times always come from the steady clock of the host.
[[nodiscard]] std::string_view clocks_text(Clock of_stages) noexcept;

struct StageNode {
  std::string name;                ///< The last part of the path, such as "map[conv1]" or "search".
  int parent = -1;                 ///< Index into StageTree::nodes. A parent comes before its children.
  std::vector<double> samples_ms;  ///< One sample per repetition.
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< Modelled memory traffic.
  bool failed = false;                             ///< True if an exception ended the stage.
  /// The peak memory of the stage in bytes: the largest total size of live buffers while the stage was open,
  /// over all repetitions. Buffers that existed when the recorder was created are not included, but buffers
  /// of earlier stages are. The peak is never less than 0 or than the peak of an inner stage. Empty if the
  /// peak was not recorded.
  std::optional<std::size_t> peak_bytes{};
  /// The kernels that ran in this stage, without its inner stages, such as "AVX2 panels". Empty if the back
  /// end did not name its kernels.
  std::string kernel{};
  /// The layout of the kernel map that the stage reads, such as "z-runs". Set for the stages features[layer],
  /// dgrad[layer] and wgrad[layer] of convolutions.
  std::string layout{};
};

/// Adds a name to a list such as "z-runs + pair lists", unless the list contains it. `name` is one element.
void add_to_list(std::string& list, std::string_view name);

struct StageTree {
  Clock clock = Clock::steady;
  std::vector<StageNode> nodes;

  [[nodiscard]] StageKey key(int node) const;
  [[nodiscard]] int find(const StageKey& key) const;  ///< Returns -1 if the stage is missing.
  [[nodiscard]] double median_ms(int node) const;     ///< Returns 0 if there are no samples.
  /// Returns the sum of the medians of all top-level stages.
  [[nodiscard]] double sum_of_tops_ms() const;
  /// Returns the sum of the medians of all stages for kernel maps (see StageKey::of_map()), at any depth of
  /// the tree. Stages inside such a stage are not counted again.
  [[nodiscard]] double maps_ms() const;
  /// Returns the largest peak of all stages, or an empty optional if no stage has one.
  [[nodiscard]] std::optional<std::size_t> peak_bytes() const;
  /// Returns the layout of the map and the kernels of a top-level stage and its inner stages, such as
  /// "z-runs: AVX2 panels". Returns an empty string for -1 and for stages that name neither.
  [[nodiscard]] std::string kernels(int top) const;
  /// Merges another tree into this tree. Samples of equal paths are appended, the larger of two peaks is
  /// kept, and missing stages are added.
  void merge(const StageTree& other);
};

[[nodiscard]] inline double median_of(std::vector<double> samples) {  ///< Returns 0 for an empty list.
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2.0;
}

}  // namespace spira
