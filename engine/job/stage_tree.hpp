// Stores measured stages as a tree of names, samples and bytes. A Recorder writes the tree; reports and
// charts read it.
#pragma once

#include "engine/job/stage_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

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
