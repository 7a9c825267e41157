// Measured stages as a tree: names, samples, bytes. Pure data; written by a Recorder, read by reports and
// charts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class Clock : std::uint8_t { steady, cuda_events };
[[nodiscard]] std::string_view clock_text(Clock clock) noexcept;  ///< "steady clock", "CUDA events"
/// The same beside wall times, which the host's steady clock takes whatever takes the stages: "CUDA events,
/// wall times by the host clock".
[[nodiscard]] std::string_view clocks_text(Clock of_stages) noexcept;

struct StageNode {
  std::string name;
  int parent = -1;                 ///< index in StageTree::nodes; a parent stands before its children
  std::vector<double> samples_ms;  ///< one a repetition
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< modelled, one repetition
  bool failed = false;                             ///< left by an exception
  /// The largest sum of live buffers of the back end's pool while the stage was open, over all repetitions,
  /// without what was live before the first of them (0 where less was live). At least that of any stage
  /// inside; buffers of earlier stages that still live count. Empty: not taken.
  std::optional<std::size_t> peak_bytes{};
};

struct StageTree {
  Clock clock = Clock::steady;
  std::vector<StageNode> nodes;

  [[nodiscard]] std::string path(int node) const;                ///< "map[conv1].search"
  [[nodiscard]] int find(std::string_view path) const noexcept;  ///< -1: none
  [[nodiscard]] double median_ms(int node) const;                ///< 0 without samples
  [[nodiscard]] double sum_of_tops_ms() const;                   ///< medians of the stages in no other
  /// Medians of what is of a kernel map, wherever it was recorded (stage_of_map); parts of it count once.
  [[nodiscard]] double maps_ms() const;
  [[nodiscard]] std::optional<std::size_t> peak_bytes() const;  ///< the largest of all stages; empty: none
  /// Appends the samples of `other` to the same paths, whose peak becomes the larger one; paths not here yet
  /// are added.
  void merge(const StageTree& other);
};

}  // namespace spira
