// Texts about devices, reports and samples that several views show.
#pragma once

#include "engine/report/report.hpp"
#include "engine/run/replay/search_counters.hpp"

#include <QString>

#include <span>

namespace spira::ui {

[[nodiscard]] QString unitsText(const DeviceFacts& device);  ///< "2 threads, AVX-512" or "132 SMs, sm_90"
/// Returns a text such as "21 Nov 2026, 22:28 UTC" for an ISO 8601 date.
[[nodiscard]] QString dateText(const std::string& created);
/// Returns a text such as "Recorded on NVIDIA H200 (132 SMs, sm_90), driver 580.1, 21 Nov 2026, 22:28 UTC,
/// CUDA events".
[[nodiscard]] QString recordedText(const Report& report);

/// Returns a text such as "p90 1.20 ms, p95 \u2013, p99 \u2013".
[[nodiscard]] QString percentilesText(std::span<const double> samples_ms);
/// Returns a tooltip with the numbers of samples that the missing percentiles require. Returns an empty
/// string if none is missing.
[[nodiscard]] QString missingPercentilesText(std::span<const double> samples_ms);

/// Returns "4.95 comparisons and 0.31 sectors per query with z-delta, ..." for all maps together, with one
/// part per search algorithm. Uses a decimal point in every locale, as files do.
[[nodiscard]] QString searchesText(const SearchCounters& counters);

}  // namespace spira::ui
