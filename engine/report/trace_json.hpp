// Computes the slices (the spans that are drawn) of a trace from a report. Times are in whole nanoseconds.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Process numbers in a trace. Recorded work is in the process of the host or of the GPU. Medians have no
/// recorded times, so they are in a separate process.
constexpr int host_process = 1, gpu_process = 2, median_process = 3;

struct TraceSlice {
  std::string name;  ///< The last part of the stage, such as "search" for the stage "map[conv1].search".
  StageKey stage;
  int process = median_process, thread = 1;
  std::int64_t begin = 0, end = 0;  ///< In nanoseconds.
  Statistics stats;                 ///< The duration over all repetitions, in milliseconds.
};

/// Returns the medians of the stages as slices. The top-level stages are placed end to end: first indexing,
/// then the map and the features of each layer. Children are inside their parent and begin 0.001 us after it.
/// Each parent is before its children in the list.
[[nodiscard]] std::vector<TraceSlice> median_slices(const Measurement& measurement);
/// Returns the slices of a recorded timeline. Each stream (track) is a thread; threads are numbered from 1. A
/// child begins after its parent, and the parent is before the child in the list. Time stamps can be wrong by
/// the resolution of the clock. If spans of one stream overlap by more than that, throws `Error(input)` with
/// their names.
[[nodiscard]] std::vector<TraceSlice> recorded_slices(const Timeline& timeline);

}  // namespace spira
