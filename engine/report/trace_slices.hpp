// Computes the slices of a trace from a report, in whole nanoseconds on threads of processes.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Process numbers of a trace. Recorded work is in the process where it ran. Medians did not run anywhere, so
/// they have a separate process.
constexpr int host_process = 1, gpu_process = 2, median_process = 3;

struct TraceSlice {
  std::string name;  ///< Example: "search" for the stage "map[conv1].search".
  StageKey stage;
  int process = median_process, thread = 1;
  std::int64_t begin = 0, end = 0;  ///< Nanoseconds.
  Statistics stats;                 ///< Statistics of its length in all repetitions, in milliseconds.
};

/// Lays top-level stages end to end in this order: indexing, then the map and the features of each layer.
/// Children lie within their parent and begin 0.001 us after it. A parent precedes its children in the list.
[[nodiscard]] std::vector<TraceSlice> median_slices(const Measurement& measurement);
/// Returns the slices of a timeline as it was recorded. Threads are streams (tracks), numbered from 1. A
/// child begins after its parent, and the parent precedes the child in the list. Marks may be off by steps of
/// the clock. Throws `Error(input)` that names the spans if spans of one stream overlap by more.
[[nodiscard]] std::vector<TraceSlice> recorded_slices(const Timeline& timeline);

}  // namespace spira
