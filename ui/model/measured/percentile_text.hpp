// Text of the upper percentiles of a series. A percentile that needs more samples is shown as a dash.
#pragma once

#include <QString>

#include <span>

namespace spira::ui {

/// Example: "p90 1.20 ms, p95 \u2013, p99 \u2013".
[[nodiscard]] QString percentilesText(std::span<const double> samples_ms);
/// Tooltip text: how many samples the missing percentiles require. Empty if none is missing.
[[nodiscard]] QString missingPercentilesText(std::span<const double> samples_ms);

}  // namespace spira::ui
