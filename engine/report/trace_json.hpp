// Computes the slices (drawn spans) of a trace from a report. Times are in whole nanoseconds.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Process numbers of a trace. Recorded work belongs to the process of the host or of the GPU. Medians are
/// not recorded work, so they have a separate process.
constexpr int host_process = 1, gpu_process = 2, median_process = 3;

struct TraceSlice {
  std::string name;  ///< Name of the stage, such as "search" for the stage "map[conv1].search".
  StageKey stage;
  int process = median_process, thread = 1;
  std::int64_t begin = 0, end = 0;  ///< In nanoseconds.
  Statistics stats;                 ///< Statistics of the duration over all repetitions, in milliseconds.
};

/// Returns the medians of the stages as slices. Top-level stages are placed end to end: first indexing, then
/// the map and the features of each layer. Children lie inside their parent and begin 0.001 us after its
/// begin. A parent precedes its children in the list.
[[nodiscard]] std::vector<TraceSlice> median_slices(const Measurement& measurement);
/// Returns the slices of a recorded timeline. Threads are streams (tracks), numbered from 1. A child begins
/// after its parent, and the parent precedes the child in the list. Time stamps may be wrong by the
/// resolution of the clock. If spans of one stream overlap by more than this resolution, throws
/// `Error(input)` that names the spans.
[[nodiscard]] std::vector<TraceSlice> recorded_slices(const Timeline& timeline);

}  // namespace spira
