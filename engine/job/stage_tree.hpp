// Measured stages as a tree: names, samples, bytes. Pure data; written by a Recorder, read by reports and
// charts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class Clock : std::uint8_t { steady, cuda_events };
[[nodiscard]] std::string_view clock_text(Clock clock) noexcept;  ///< "steady clock", "CUDA events"

struct StageNode {
  std::string name;
  int parent = -1;                 ///< index in StageTree::nodes; a parent stands before its children
  std::vector<double> samples_ms;  ///< one a repetition
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< modelled, one repetition
  bool failed = false;                             ///< left by an exception
};

struct StageTree {
  Clock clock = Clock::steady;
  std::vector<StageNode> nodes;

  [[nodiscard]] std::string path(int node) const;                ///< "map[conv1].search"
  [[nodiscard]] int find(std::string_view path) const noexcept;  ///< -1: none
  [[nodiscard]] double median_ms(int node) const;                ///< 0 without samples
  /// Appends the samples of `other` to the same paths; paths not here yet are added.
  void merge(const StageTree& other);
};

}  // namespace spira
