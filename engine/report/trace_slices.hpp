// The pieces of work of a report as a trace draws them: whole nanoseconds on threads of processes.
#pragma once

#include "engine/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spira {

/// Processes of a trace. Recorded work stands where it ran; medians ran nowhere, so they stand apart.
constexpr int host_process = 1, gpu_process = 2, median_process = 3;

struct TraceSlice {
  std::string name, path;  ///< "search", "map[conv1].search"
  int process = median_process, thread = 1;
  std::int64_t begin = 0, end = 0;  ///< ns
  Statistics stats;                 ///< of its lengths in all repetitions, ms
};

/// Top stages end to end in the order indexing, then map and features of each layer; children within their
/// parent from 0.001 us behind its begin, a parent before its children.
[[nodiscard]] std::vector<TraceSlice> median_slices(const Measurement& measurement);
/// A timeline as it was recorded: thread = stream (track) from 1 on; a child begins behind its parent, which
/// stands before it. Marks may be off by the steps of a clock: spans of one stream that overlap by more throw
/// Error(input) that names them.
[[nodiscard]] std::vector<TraceSlice> recorded_slices(const Timeline& timeline);

}  // namespace spira
