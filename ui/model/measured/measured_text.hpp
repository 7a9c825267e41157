// Texts about devices, reports and samples. Several views use them.
#pragma once

#include "engine/report/report.hpp"
#include "engine/run/replay/search_counters.hpp"

#include <QString>

#include <span>

namespace spira::ui {

/// Returns a text such as "2 threads, AVX-512" or "132 SMs, sm_90".
[[nodiscard]] QString unitsText(const DeviceFacts& device);
/// Returns a text such as "21 Nov 2026, 22:28 UTC" for an ISO 8601 date.
[[nodiscard]] QString dateText(const std::string& created);
/// Returns a text such as "Recorded on NVIDIA H200 (132 SMs, sm_90), driver 580.1, 21 Nov 2026, 22:28 UTC,
/// CUDA events".
[[nodiscard]] QString recordedText(const Report& report);

/// Returns a text such as "p90 1.20 ms, p95 \u2013, p99 \u2013". A dash means that there are too few samples.
[[nodiscard]] QString percentilesText(std::span<const double> samples_ms);
/// Returns a tooltip that shows how many samples the missing percentiles require. Returns an empty string if
/// no percentile is missing.
[[nodiscard]] QString missingPercentilesText(std::span<const double> samples_ms);

/// Returns a text such as "4.95 comparisons and 0.31 sectors per query with z-delta, ..." with one part per
/// search algorithm. The numbers cover all kernel maps. The decimal separator is a point in every locale, as
/// in files.
[[nodiscard]] QString searchesText(const SearchCounters& counters);

}  // namespace spira::ui
