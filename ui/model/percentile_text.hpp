// The slow end of a series as the window says it: a dash for what the samples are too few to tell.
#pragma once

#include <QString>

#include <span>

namespace spira::ui {

/// "p90 1.20 ms, p95 \u2013, p99 \u2013".
[[nodiscard]] QString percentilesText(std::span<const double> samples_ms);
/// For a tip: how many samples the dashes need; empty where there is none.
[[nodiscard]] QString missingPercentilesText(std::span<const double> samples_ms);

}  // namespace spira::ui
