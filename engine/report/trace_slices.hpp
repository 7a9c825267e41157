// Computes the slices of a trace from a report, in whole nanoseconds on threads of processes.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Process numbers of a trace. Recorded work is shown in the process of the host or the GPU. Medians are not
/// recorded work, so they have a separate process.
constexpr int host_process = 1, gpu_process = 2, median_process = 3;

struct TraceSlice {
  std::string name;  ///< Example: "search" for the stage "map[conv1].search".
  StageKey stage;
  int process = median_process, thread = 1;
  std::int64_t begin = 0, end = 0;  ///< Nanoseconds.
  Statistics stats;  ///< Statistics of the length of the slice over all repetitions, in milliseconds.
};

/// Returns the medians of the stages as slices. Top-level stages are placed end to end in this order:
/// indexing, then the map and the features of each layer. Children lie within their parent and begin 0.001
/// us after it. A parent precedes its children in the list.
[[nodiscard]] std::vector<TraceSlice> median_slices(const Measurement& measurement);
/// Returns the slices of a timeline as it was recorded. Threads are streams (tracks), numbered from 1. A
/// child begins after its parent, and the parent precedes the child in the list. Marks may be wrong by the
/// resolution of the clock. Throws `Error(input)` that names the spans if spans of one stream overlap by
/// more than that.
[[nodiscard]] std::vector<TraceSlice> recorded_slices(const Timeline& timeline);

}  // namespace spira
